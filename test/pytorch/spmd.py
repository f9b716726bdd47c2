#===- spmd.py - what PyTorch/XLA's users do on eight devices as one --------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""SPMD on eight devices, each case compared with torch's CPU: mark_sharding in one, two and three
dimensions, partly replicated, in any device order, of dimensions that the devices do not divide;
manual sharding and its collectives; donated shards; dropout; compiled functions; checkpoints. Programs come as HLO
protos; a sample also as StableHLO."""

import os
import tempfile

import session

torch, torch_xla = session.start(spmd=True)
import numpy as np
import torch_xla.core.xla_model as xm
import torch_xla.distributed.spmd as xs
import torch_xla.runtime as xr
from torch import nn

args = session.arguments(__doc__, names="")
CASES = []
N = session.DEVICES
ROW = xs.Mesh(np.arange(N), (N,), ("x",))
GRID = xs.Mesh(np.arange(N), (2, 4), ("x", "y"))
CUBE = xs.Mesh(np.arange(N), (2, 2, 2), ("x", "y", "z"))
TURNED = xs.Mesh(np.array([3, 1, 4, 0, 5, 7, 2, 6]), (2, 4), ("x", "y"))


def case(function):
    CASES.append(function)
    return function


def numbers(*shape):
    return torch.arange(float(np.prod(shape))).reshape(shape) / 10 - 1


def sharded(tensor, mesh, spec):
    moved = tensor.to("xla")
    xs.mark_sharding(moved, mesh, spec)
    return moved


def close(found, expected, tolerance=1e-4):
    torch.testing.assert_close(found.cpu(), expected, rtol=tolerance, atol=tolerance)


@case
def every_sharding():
    for mesh in (ROW, GRID, CUBE, TURNED):
        names = mesh.axis_names
        specs = [(names[0], None), (None, names[-1]), (names, None), (tuple(reversed(names)), None), (None, None)]
        if len(names) > 1:
            specs += [(names[0], names[1]), (names[1], names[0])]
        for spec in specs:
            a, b = numbers(16, 24), numbers(24, 16)
            x = sharded(a, mesh, spec)
            close(x, a)
            close(torch.tanh(x) @ b.to("xla"), torch.tanh(a) @ b)
            y = x * 2
            torch_xla.sync()
            close(y + 1, a * 2 + 1)


@case
def dimensions_that_do_not_divide():
    for shape in ((5, 3), (9, 7), (1, 3), (3,), (13, 2, 5), (2, 3, 5, 7)):
        for mesh, axes in ((ROW, "x"), (GRID, "y"), (GRID, ("x", "y")), (TURNED, ("y", "x"))):
            for dim in range(len(shape)):
                spec = tuple(axes if d == dim else None for d in range(len(shape)))
                a = numbers(*shape)
                x = sharded(a, mesh, spec)
                close(x, a)
                y, total, largest = x * 3, x.sum(), x.amax(dim)
                torch_xla.sync()
                close(y, a * 3)
                close(total, a.sum())
                close(largest, a.amax(dim))
                close(y.sum(dim), (a * 3).sum(dim))  # of a result that is an argument again


@case
def donated_shards():
    for shape, spec in (((16, 4), ("x", None)), ((5, 3), ("x", None)), ((9,), ("x",))):
        a = numbers(*shape)
        x = sharded(a, ROW, spec)
        for _ in range(5):
            x.mul_(2).sub_(1)
            a = a * 2 - 1
            torch_xla.sync()
        close(x, a)


@case
def no_elements():
    x = sharded(torch.zeros(0, 4), ROW, ("x", None))
    close(x.sum(0) + 1, torch.ones(4))
    close(torch.cat([x, torch.ones(2, 4, device="xla")]), torch.ones(2, 4))


@case
def manual_sharding():
    xs.set_global_mesh(ROW)
    groups, a = [list(range(N))], numbers(64, 8)
    for x in (a.to("xla"), a.to("xla") * 1):
        w = xs.enable_manual_sharding(x, ("x", None))
        z = xs.disable_manual_sharding(w + 1, ("x", None), x.shape).global_tensor
        close(z, a + 1)
    w = xs.enable_manual_sharding(a.to("xla"), ("x", None)).global_tensor
    total = torch_xla._XLAC._xla_spmd_all_reduce(xm.REDUCE_SUM, w, 1.0, groups)
    close(xs.disable_manual_sharding(total, (None, None), total.shape).global_tensor, a.reshape(N, -1, 8).sum(0))
    w = xs.enable_manual_sharding(a.to("xla"), ("x", None)).global_tensor
    part = torch_xla._XLAC._xla_spmd_reduce_scatter(xm.REDUCE_SUM, w, 1.0, 0, N, groups)
    close(xs.disable_manual_sharding(part, ("x", None), (8, 8)).global_tensor, a.reshape(N, -1, 8).sum(0))


@case
def collectives_of_the_global_program():
    # One replica: as on PyTorch/XLA's CPU device, they change nothing.
    a = numbers(16, 4)
    assert xr.world_size() == 1
    for x in (a.to("xla"), sharded(a, ROW, ("x", None))):
        close(xm.all_reduce(xm.REDUCE_SUM, x * 1), a)
        close(xm.all_gather(x * 1, 0), a)


@case
def random_numbers():
    results = []
    for mark in (False, True):
        torch_xla.manual_seed(5)
        x = torch.ones(64, 16).to("xla")
        if mark:
            xs.mark_sharding(x, ROW, ("x", None))
        results.append(nn.functional.dropout(x, 0.5).cpu())
        results.append(torch.randn(32, 4, device="xla").cpu())
    assert torch.equal(results[0], results[2]) and torch.equal(results[1], results[3])


@case
def compiled():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(12, 20), nn.ReLU(), nn.Linear(20, 6))
    a, expected = numbers(10, 12), None
    expected = model(a)
    moved = nn.Sequential(nn.Linear(12, 20), nn.ReLU(), nn.Linear(20, 6))
    moved.load_state_dict(model.state_dict())
    moved = moved.to("xla")
    xs.mark_sharding(moved[0].weight, GRID, ("y", None))
    xs.mark_sharding(moved[2].weight, GRID, (None, "y"))
    x = sharded(a, GRID, ("x", None))
    with torch.no_grad():
        close(torch.compile(moved, backend="openxla")(x), expected.detach())
        close(torch_xla.compile(moved)(x), expected.detach())


@case
def indexing_and_sorting():
    a = numbers(16, 9).sin()
    x = sharded(a, ROW, ("x", None))
    close(torch.topk(x, 3, dim=0).values, torch.topk(a, 3, dim=0).values)
    close(torch.sort(x, 0).values, torch.sort(a, 0).values)
    close(torch.cumsum(x, 0), torch.cumsum(a, 0))
    index = torch.tensor([3, 0, 15, 7])
    close(x[index.to("xla")], a[index])
    close(x.roll(3, 0)[2:11], a.roll(3, 0)[2:11])


@case
def convolutions():
    torch.manual_seed(0)
    layer, image = nn.Conv2d(3, 6, 3, padding=1), torch.randn(6, 3, 10, 12)
    moved = nn.Conv2d(3, 6, 3, padding=1)
    moved.load_state_dict(layer.state_dict())
    moved = moved.to("xla")
    for spec in (("x", None, None, None), (None, None, "y", None), ("x", None, None, "y")):
        close(moved(sharded(image, GRID, spec)).detach(), layer(image).detach(), 1e-3)


@case
def distributed_checkpoints():
    import torch.distributed.checkpoint as dcp
    from torch_xla.experimental.distributed_checkpoint import SPMDLoadPlanner, SPMDSavePlanner

    def model():
        torch.manual_seed(1)
        net = nn.Linear(16, 24).to("xla")
        xs.mark_sharding(net.weight, ROW, ("x", None))
        return net

    net, other = model(), model()
    with torch.no_grad():
        net.weight.mul_(3)
    torch_xla.sync()
    # The planner does not wait for the shards that it asks about.
    xm.wait_device_ops()
    with tempfile.TemporaryDirectory() as folder:
        dcp.save({"model": net.state_dict()}, storage_writer=dcp.FileSystemWriter(folder), planner=SPMDSavePlanner(), no_dist=True)
        assert os.listdir(folder)
        state = {"model": other.state_dict()}
        dcp.load(state, storage_reader=dcp.FileSystemReader(folder), planner=SPMDLoadPlanner(), no_dist=True)
        other.load_state_dict(state["model"])
    close(other.weight.detach(), net.weight.detach().cpu())


@case
def programs_as_stablehlo():
    session.run_as_stablehlo("spmd.py", "dimensions_that_do_not_divide", "donated_shards", "manual_sharding", "indexing_and_sorting")


def main():
    tally = session.Tally("spmd")
    wanted = args.names.split(",") if args.names else [f.__name__ for f in CASES]
    for function in CASES:
        if function.__name__ in wanted:
            try:
                function()
                tally.check(function.__name__, True)
            except Exception as error:
                tally.check(function.__name__, False, f"{type(error).__name__}: {str(error)[:1500]}")
    session.leave(tally)


main()
