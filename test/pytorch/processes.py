#===- processes.py - SPMD programs of several processes -------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""SPMD (`xr.use_spmd()`) on eight devices of two and four processes, started by torchrun or by variables of
the environment, each case compared with torch's CPU; a process for each replica, started by torchrun; a
process that ends early."""

import json
import os
import socket
import subprocess
import sys
import tempfile

import session

STEPS = 12


def numbers(torch, *shape):
    count = 1
    for size in shape:
        count *= size
    return torch.arange(float(count)).reshape(shape) / 10 - 1


def batch(torch, step):
    generator = torch.Generator().manual_seed(step)
    return torch.randn(16, 16, generator=generator), torch.randint(0, 4, (16,), generator=generator)


def make_model(torch):
    generator = torch.Generator().manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.Tanh(), torch.nn.Linear(32, 4))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator) / 4)
    return model


def train(torch, model, move=lambda x: x, sync=lambda: None):
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    losses = []
    for step in range(STEPS):
        x, labels = batch(torch, step)
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(move(x)), labels.to(move(x).device))
        loss.backward()
        optimizer.step()
        sync()
        losses.append(loss.item())
    return losses


# --- workers: one process each ---


def spmd(folder):
    torch, torch_xla = session.start(spmd=True)
    import numpy as np
    import torch.distributed as dist
    import torch_xla.core.xla_model as xm
    import torch_xla.distributed.spmd as xs
    import torch_xla.runtime as xr
    from torch_xla.experimental.spmd_fully_sharded_data_parallel import SpmdFullyShardedDataParallel as FSDPv2

    n = xr.global_runtime_device_count()
    row, grid = xs.Mesh(np.arange(n), (n,), ("fsdp",)), xs.Mesh(np.arange(n), (n // 4, 4), ("x", "y"))
    xs.set_global_mesh(row)
    found = {
        "counts": [xr.process_index(), xr.process_count(), n, xr.addressable_runtime_device_count()],
    }

    def sharded(value, mesh, spec):
        moved = value.to("xla")
        xs.mark_sharding(moved, mesh, spec)
        return moved

    a = numbers(torch, 16, 24)
    for spec in (("x", None), (None, "y"), ("x", "y"), (("y", "x"), None)):
        x = sharded(a, grid, spec)
        found[f"matmul {spec}"] = (x @ x.T).cpu().tolist()
        found[f"copy {spec}"] = x.cpu().tolist()
    uneven = sharded(numbers(torch, 13, 3), row, ("fsdp", None))
    found["uneven"] = [(uneven * 2).cpu().tolist(), uneven.sum(0).cpu().tolist()]
    half = numbers(torch, 16 // xr.process_count(), 3) + xr.process_index()
    spec = xs.ShardingSpec(row, ("fsdp", None), minibatch=True)
    mine = xm.send_cpu_data_to_device([half], torch_xla.device(), input_sharding=spec)[0]
    found["minibatch"] = [list(mine.shape), mine.sum(0).cpu().tolist()]

    def data_parallel(x):
        return sharded(x, row, ("fsdp", None))

    model = make_model(torch).to("xla")
    found["data-parallel"] = train(torch, model, data_parallel, torch_xla.sync)
    model = make_model(torch).to("xla")
    xs.mark_sharding(model[0].weight, grid, ("y", None))
    xs.mark_sharding(model[2].weight, grid, (None, "y"))
    found["tensor-parallel"] = train(torch, model, lambda x: sharded(x, grid, ("x", None)), torch_xla.sync)
    found["fsdp"] = train(torch, FSDPv2(make_model(torch).to("xla")), data_parallel, torch_xla.sync)
    dist.init_process_group("gloo", init_method="xla://")
    ranks = [None] * dist.get_world_size()
    dist.all_gather_object(ranks, dist.get_rank())
    found["process group"] = ranks
    write(folder, xr.process_index(), found)


def replicas(folder):
    """One replica of a job of torchrun."""
    import shardwright.torch
    import torch_xla

    shardwright.torch.register()
    import torch
    import torch.distributed as dist
    import torch_xla.runtime as xr

    dist.init_process_group("xla", init_method="xla://")
    rank = xr.global_ordinal()
    total = torch.full((3,), float(rank + 1), device="xla")
    dist.all_reduce(total)
    write(folder, rank, {"counts": [rank, xr.world_size(), dist.get_rank()], "sum": total.cpu().tolist()})


def leave_early(folder):
    """Process 1 ends before the second program."""
    torch, torch_xla = session.start(spmd=True)
    import numpy as np
    import torch_xla.distributed.spmd as xs
    import torch_xla.runtime as xr

    n = xr.global_runtime_device_count()
    mesh = xs.Mesh(np.arange(n), (n,), ("x",))
    x = numbers(torch, 16, 3).to("xla")
    xs.mark_sharding(x, mesh, ("x", None))
    first = x.sum().cpu().item()
    if xr.process_index() == 1:
        os._exit(3)
    try:
        second = str((x * 2).sum().cpu().item())
    except Exception as error:
        second = str(error)
    write(folder, xr.process_index(), {"first": first, "second": second})
    os._exit(0)


def write(folder, index, found):
    with open(os.path.join(folder, f"{index}.json"), "w") as file:
        json.dump(found, file)


# --- the driver ---


def free_port():
    with socket.socket() as listener:
        listener.bind(("localhost", 0))
        return listener.getsockname()[1]


def run(action, processes, devices, torchrun):
    """Runs `action` in the processes. Returns ([what each wrote], their output)."""
    env = dict(os.environ, SHARDWRIGHT_NUM_DEVICES=str(devices))
    with tempfile.TemporaryDirectory() as folder:
        script = [os.path.abspath(__file__), "--worker", action, folder]
        if torchrun:
            command = [sys.executable, "-m", "torch.distributed.run", "--nnodes=1", f"--master-port={free_port()}"]
            started = [subprocess.Popen([*command, f"--nproc-per-node={processes}", *script], env=env, **PIPES)]
        else:
            env.update(WORLD_SIZE=str(processes), MASTER_ADDR="localhost", MASTER_PORT=str(free_port()))
            started = [
                subprocess.Popen([sys.executable, *script], env=dict(env, RANK=str(rank)), **PIPES)
                for rank in range(processes)
            ]
        output = ""
        for process in started:
            try:
                text = process.communicate(timeout=500)[0]
            except subprocess.TimeoutExpired:
                process.kill()
                text = "TIMED OUT\n" + process.communicate()[0]
            output += f"exit code {process.returncode}\n{text[-4000:]}\n"
        found = []
        for rank in range(processes):
            try:
                with open(os.path.join(folder, f"{rank}.json")) as file:
                    found.append(json.load(file))
            except OSError:
                found.append({})
    return found, output


PIPES = dict(stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def is_close(found, expected):
    if isinstance(expected, list):
        return isinstance(found, list) and len(found) == len(expected) and all(map(is_close, found, expected))
    return isinstance(found, (int, float)) and abs(found - expected) <= 1e-4 + 1e-4 * abs(expected)


def check_spmd(tally, processes, torchrun):
    import torch

    found, output = run("spmd", processes, session.DEVICES // processes, torchrun)
    losses = train(torch, make_model(torch))
    a, uneven = numbers(torch, 16, 24), numbers(torch, 13, 3)
    expected = {"data-parallel": losses, "tensor-parallel": losses, "fsdp": losses}
    expected["process group"] = list(range(processes))
    expected["uneven"] = [(uneven * 2).tolist(), uneven.sum(0).tolist()]
    for spec in (("x", None), (None, "y"), ("x", "y"), (("y", "x"), None)):
        expected[f"matmul {spec}"], expected[f"copy {spec}"] = (a @ a.T).tolist(), a.tolist()
    parts = [numbers(torch, 16 // processes, 3) + rank for rank in range(processes)]
    expected["minibatch"] = [[16, 3], torch.cat(parts).sum(0).tolist()]
    for rank, results in enumerate(found):
        expected["counts"] = [rank, processes, session.DEVICES, session.DEVICES // processes]
        for name, value in expected.items():
            ok = is_close(results.get(name), value)
            detail = f"found {str(results.get(name))[:500]}\nexpected {str(value)[:500]}\n{output}"
            tally.check(f"{name}, process {rank} of {processes}", ok, detail)


def main():
    options = session.arguments(__doc__)
    tally = session.Tally("processes")
    check_spmd(tally, 2, torchrun=True)
    if options.long:
        check_spmd(tally, 4, torchrun=False)
    found, output = run("replicas", 2, 1, torchrun=True)
    for rank, results in enumerate(found):
        tally.check(f"replica {rank} of torchrun", results == {"counts": [rank, 2, rank], "sum": [3.0] * 3}, output)
    found, output = run("leave_early", 2, 2, torchrun=False)
    tally.check("a process that ends", "process 1" in str(found[0].get("second")), f"{found}\n{output}")
    tally.finish()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        globals()[sys.argv[2]](sys.argv[3])
    else:
        main()
