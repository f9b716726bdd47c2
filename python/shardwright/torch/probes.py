#===- probes.py - tries the features of the plugin for PyTorch/XLA ---------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""`python -m shardwright.torch.probes` runs a small program for each feature, and prints a line of JSON
for each: [feature, error or null]. The doctor (`shardwright/doctor.py`) calls it in a process of its own,
because a process has one device type of PyTorch/XLA, and SPMD or not."""

import json
import os
import sys


def _expect(found, wanted):
    if not found.cpu().allclose(wanted, rtol=1e-4, atol=1e-4):
        raise ValueError(f"the result is {found.cpu()}, expected {wanted}")


def one_device(torch, torch_xla):
    x = torch.arange(12.0).reshape(3, 4)
    _expect(x.to("xla") @ x.T.to("xla"), x @ x.T)


def sharded_programs(torch, torch_xla, shape=(16, 4)):
    import numpy as np
    import torch_xla.distributed.spmd as xs
    import torch_xla.runtime as xr

    count = xr.global_runtime_device_count()
    mesh = xs.Mesh(np.arange(count), (count,), ("x",))
    x = torch.arange(float(np.prod(shape))).reshape(shape)
    moved = x.to("xla")
    xs.mark_sharding(moved, mesh, ("x", None))
    result = moved * 2
    torch_xla.sync()
    _expect(result, x * 2)
    _expect(moved @ moved.T, x @ x.T)


def uneven_shards(torch, torch_xla):
    sharded_programs(torch, torch_xla, shape=(5, 3))


def training(torch, torch_xla):
    weight = torch.ones(4, requires_grad=True)
    moved = weight.detach().to("xla").requires_grad_()
    for w in (weight, moved):
        (w * w).sum().backward()
    _expect(moved.grad, weight.grad)


def dynamo(torch, torch_xla):
    x = torch.arange(6.0)
    _expect(torch.compile(lambda v: torch.sin(v) + 1, backend="openxla")(x.to("xla")), torch.sin(x) + 1)


def dlpack(torch, torch_xla):
    from torch_xla.utils.dlpack import from_dlpack, to_dlpack

    x = torch.arange(6.0)
    moved = x.to("xla") * 2
    torch_xla.sync(wait=True)
    _expect(torch.utils.dlpack.from_dlpack(to_dlpack(moved)), x * 2)
    _expect(from_dlpack(torch.utils.dlpack.to_dlpack(x.clone())) + 1, x + 1)


#: by mode: feature -> probe
PROBES = {
    "plain": {
        "PyTorch programs": one_device,
        "PyTorch training": training,
        'torch.compile(backend="openxla")': dynamo,
        "DLPack between PyTorch and our arrays": dlpack,
    },
    "spmd": {"sharded PyTorch programs": sharded_programs, "PyTorch's uneven shards": uneven_shards},
}


def main(mode):
    import torch_xla

    import shardwright.torch

    shardwright.torch.register()
    import torch
    import torch.utils.dlpack
    import torch_xla.runtime

    if mode == "spmd":
        torch_xla.runtime.use_spmd()
    torch.ones(1).to("xla").cpu()  # autograd counts the devices when it is first used
    for name, probe in PROBES[mode].items():
        error = None
        try:
            probe(torch, torch_xla)
        except Exception as problem:
            error = f"{type(problem).__name__}: {problem}".splitlines()[0]
        print(json.dumps([name, error]), flush=True)
    sys.stdout.flush()
    os._exit(0)  # tensors of programs that failed would fail again


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "plain")
