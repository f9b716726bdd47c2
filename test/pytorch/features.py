#===- features.py - what PyTorch/XLA's users do, on one device ------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Features of PyTorch/XLA without SPMD, each compared with torch's CPU: compiled functions, mixed
precision, dropout, views and in-place ops, host transfers, DLPack, checkpoints, profiles, several
devices, arrays without elements. Programs come as HLO protos; a sample also as StableHLO."""

import io
import os
import tempfile

import session

torch, torch_xla = session.start(spmd=False)
import torch_xla.core.xla_model as xm
from torch import nn

args = session.arguments(__doc__, names="")
CASES = []


def case(function):
    CASES.append(function)
    return function


def close(found, expected, tolerance=1e-4):
    torch.testing.assert_close(found.cpu(), expected, rtol=tolerance, atol=tolerance)


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 4))


def losses(model, x, steps=5, lr=0.1, sync=lambda: None):
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    found = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = (model(x) ** 2).mean()
        loss.backward()
        optimizer.step()
        sync()
        found.append(loss.detach())
    return torch.stack([f.cpu() for f in found])


X = torch.linspace(-1, 1, 6 * 8).reshape(6, 8)


@case
def compiled_by_dynamo():
    model = network()
    compiled = torch.compile(network().to("xla"), backend="openxla")
    with torch.no_grad():
        for scale in (1.0, 2.0):
            close(compiled(X.to("xla") * scale), model(X * scale))


@case
def trained_through_dynamo():
    compiled = torch.compile(network().to("xla"), backend="openxla")
    close(losses(compiled, X.to("xla"), sync=torch_xla.sync), losses(network(), X))


@case
def compiled_by_torch_xla():
    step = torch_xla.compile(lambda x: torch.sin(x) @ x.T)
    close(step(X.to("xla")), torch.sin(X) @ X.T)


@case
def mixed_precision():
    model = network()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        expected = model(X)
    with torch.autocast("xla", dtype=torch.bfloat16):
        found = network().to("xla")(X.to("xla"))
    assert found.dtype == torch.bfloat16, found.dtype
    close(found.float(), expected.float(), 3e-2)


@case
def dropout():
    x = torch.ones(1000)
    masks = []
    for _ in range(2):
        torch_xla.manual_seed(7)
        masks.append(nn.functional.dropout(x.to("xla"), 0.25).cpu())
    assert torch.equal(*masks)
    assert set(masks[0].unique().tolist()) <= {0.0, 1 / 0.75} or torch.allclose(masks[0].max(), torch.tensor(4 / 3))
    assert 0.65 < (masks[0] > 0).float().mean() < 0.85
    assert not torch.equal(nn.functional.dropout(x.to("xla"), 0.25).cpu(), masks[0])
    assert torch.equal(nn.functional.dropout(x.to("xla"), 0.25, training=False).cpu(), x)


@case
def random_numbers():
    torch_xla.manual_seed(3)
    x = torch.randn(4000, device="xla").cpu()
    assert abs(x.mean()) < 0.1 and abs(x.std() - 1) < 0.1
    x = torch.rand(4000, device="xla").cpu()
    assert abs(x.mean() - 0.5) < 0.05 and 0 <= x.min() and x.max() < 1
    assert set(torch.randint(3, 6, (100,), device="xla").cpu().tolist()) == {3, 4, 5}


@case
def views_and_in_place():
    def change(x):
        x = x.clone()
        view = x[1:4].t()
        view.add_(1)
        view[0] *= 3
        x[:, 2].copy_(x[:, 0])
        x.masked_fill_(x > 2, -1).clamp_(min=-0.5)
        return x

    close(change(X.to("xla")), change(X))


@case
def donated_parameters():
    # Each step overwrites the parameters, whose memory the program may reuse.
    close(losses(network().to("xla"), X.to("xla"), steps=20, sync=torch_xla.sync), losses(network(), X, steps=20))
    tensor = torch.zeros(64, device="xla")
    torch_xla.sync()
    for _ in range(10):
        tensor.add_(1)
        torch_xla.sync()
    close(tensor, torch.full((64,), 10.0))


@case
def overwritten_parameters():
    # A program says which arguments are dead afterwards, so that results reuse their memory.
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SHARDWRIGHT_SAVE_PROGRAMS"] = folder
        try:
            tensor = torch.full((77,), 2.0).to("xla")
            torch_xla.sync()
            tensor.mul_(3)
            torch_xla.sync(wait=True)
        finally:
            del os.environ["SHARDWRIGHT_SAVE_PROGRAMS"]
        texts = [open(os.path.join(folder, name)).read() for name in sorted(os.listdir(folder))]
    multiplies = [text for text in texts if "stablehlo.multiply" in text]
    assert multiplies and "jax.buffer_donor = true" in multiplies[-1], texts
    close(tensor, torch.full((77,), 6.0))


@case
def permutations():
    x = torch.randperm(50, device="xla").cpu()
    assert torch.equal(x.sort().values, torch.arange(50)) and not torch.equal(x, torch.arange(50)), x


@case
def programs_as_stablehlo():
    session.run_as_stablehlo(
        "features.py", "trained_through_dynamo", "mixed_precision", "views_and_in_place", "donated_parameters", "linear_algebra"
    )


@case
def host_transfers():
    x = X.to("xla")
    assert abs((x * x).sum().item() - (X * X).sum().item()) < 1e-3
    assert "device='xla:0'" in str(x)
    x[0] = torch.arange(8.0)
    close(x[0], torch.arange(8.0))
    for dtype in (torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.uint8, torch.int64, torch.bool, torch.complex64):
        values = (X * 3).to(dtype)
        assert torch.equal(values.to("xla").cpu(), values), dtype
    assert torch.equal(torch.nonzero(X.to("xla") > 0).cpu(), torch.nonzero(X > 0))


@case
def dlpack():
    import torch.utils.dlpack
    from torch_xla.utils.dlpack import from_dlpack, to_dlpack

    ours = X.to("xla") * 2
    torch_xla.sync(wait=True)
    close(torch.utils.dlpack.from_dlpack(to_dlpack(ours)), X * 2)
    close(from_dlpack(torch.utils.dlpack.to_dlpack(X.clone())) + 1, X + 1)


@case
def checkpoints():
    model, other = network().to("xla"), network()
    losses(model, X.to("xla"), sync=torch_xla.sync)
    file = io.BytesIO()
    xm.save(model.state_dict(), file)
    file.seek(0)
    other.load_state_dict(torch.load(file))
    close(model(X.to("xla")), other(X))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.pt")
        torch.save({k: v.cpu() for k, v in model.state_dict().items()}, path)
        again = network().to("xla")
        again.load_state_dict(torch.load(path))
        close(again(X.to("xla")), other(X))


@case
def profiles():
    import torch_xla.debug.profiler as xp

    with tempfile.TemporaryDirectory() as folder:
        server = xp.start_server(9123)
        assert server
        xp.start_trace(folder) if hasattr(xp, "start_trace") else None
        with xp.Trace("step"):
            (X.to("xla") @ X.T.to("xla")).cpu()
        if hasattr(xp, "stop_trace"):
            xp.stop_trace()
            assert any(files for _, _, files in os.walk(folder)), "no trace was written"


@case
def several_devices():
    import torch_xla.runtime as xr

    assert xr.global_runtime_device_count() == session.DEVICES
    for number in (0, 3, session.DEVICES - 1):
        x = X.to(f"xla:{number}")
        assert str((x + number).device) == f"xla:{number}"
        close(x + number, X + number)


@case
def arrays_without_elements():
    empty = torch.zeros(1, 0, 3)
    close(empty.to("xla") + 1, empty)
    close(torch.cat([empty.to("xla"), torch.ones(1, 2, 3, device="xla")], 1), torch.ones(1, 2, 3))
    close(torch.zeros(0, device="xla").sum(), torch.tensor(0.0))
    assert torch.equal((torch.zeros(0, 4, device="xla") > 0).cpu(), torch.zeros(0, 4) > 0)


@case
def large_constants_of_bools():
    mask = torch.ones(40, 20, 20, dtype=torch.bool).triu()
    close(torch.where(torch.ones(40, 20, 20, device="xla", dtype=torch.bool).triu(), 1.0, 2.0), torch.where(mask, 1.0, 2.0))


@case
def linear_algebra():
    a = (X @ X.T + 5 * torch.eye(6)).double()
    close(torch.linalg.eigvalsh(a.to("xla")), torch.linalg.eigvalsh(a))
    close(torch.linalg.eigvalsh(a.float().to("xla")), torch.linalg.eigvalsh(a.float()), 1e-3)
    values, vectors = torch.linalg.eigh(a.to("xla"))
    close(vectors @ torch.diag(values) @ vectors.T, a)
    close(torch.linalg.cholesky(a.to("xla")), torch.linalg.cholesky(a))
    close(torch.linalg.solve_triangular(a.tril().to("xla"), a.to("xla"), upper=False), torch.linalg.solve_triangular(a.tril(), a, upper=False))
    q, r = torch.linalg.qr(a.to("xla"))
    close(q @ r, a)
    close(torch.linalg.svdvals(X.to("xla")), torch.linalg.svdvals(X))


def main():
    tally = session.Tally("features")
    wanted = args.names.split(",") if args.names else [f.__name__ for f in CASES]
    for function in CASES:
        if function.__name__ not in wanted:
            continue
        try:
            function()
            tally.check(function.__name__, True)
        except Exception as error:
            tally.check(function.__name__, False, f"{type(error).__name__}: {str(error)[:1500]}")
    session.leave(tally)


main()
