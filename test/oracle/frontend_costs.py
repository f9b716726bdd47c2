#===- frontend_costs.py - costs of compiled programs against JAX ----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""cost_analysis and memory_analysis of programs whose operations XLA does not fuse, through frontend_mesh_server (C++)
and through JAX: all keys and numbers are equal, on one device and per device of a mesh."""

import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding

import frontend_mesh as fm
import oracle

args = oracle.arguments(__doc__, cases=1, long_cases=1)
MEMORY = ("argument_size_in_bytes", "output_size_in_bytes")
DOT = {"lc": (1,), "rc": (0,)}


def program(shapes, ops, mesh=((4, 2), ("x", "y")), specs=None):
    p = fm.Program(*mesh, ("Auto",) * len(mesh[1]))
    for i, shape in enumerate(shapes):
        p.add_input(np.ones(shape, np.float32), specs[i] if specs else ".")
    for name, operands, keys in ops:
        p.op(name, operands, **keys)
    p.result(len(shapes) + len(ops) - 1)
    p.options.update(costs=1, forward=1)
    return p


ONE = ((1,), ("x",))
A, W, V = (8, 4), (4, 16), (16, 4)
PROGRAMS = {
    **{f"{name} on one device": program([A], [(name, [0], {})], ONE) for name in "sin exp tanh neg abs".split()},
    **{f"{name} on one device": program([A, A], [(name, [0, 1], {})], ONE) for name in "add sub mul div max".split()},
    "transposition": program([A], [("transpose", [0], {"permutation": (1, 0)})], ONE),
    "product of matrices": program([A, W], [("dot_general", [0, 1], DOT)], ONE),
    "two products": program([A, W, V], [("dot_general", [0, 1], DOT), ("dot_general", [3, 2], DOT)], ONE),
    "layers": program([A, W, V], [("dot_general", [0, 1], DOT), ("tanh", [3], {}), ("dot_general", [4, 2], DOT)], ONE),
    "sharded sine": program([A], [("sin", [0], {})], specs=["x|y"]),
    "sharded sum": program([A, A], [("add", [0, 1], {})], specs=["x|y", "x|y"]),
    "sharded rows": program([A, W], [("dot_general", [0, 1], DOT)], specs=["x", "."]),
    "sharded rows and columns": program([A, W], [("dot_general", [0, 1], DOT)], specs=["x", "-|y"]),
    "argument that is not used": program([A, A], [("sin", [0], {})], ONE),
}


def expected(p):
    count = int(np.prod(p.sizes))
    mesh = Mesh(np.array(jax.devices()[:count]).reshape(p.sizes), p.names)
    ins = [jax.device_put(x, NamedSharding(mesh, fm.parse_spec(s))) for x, s in zip(p.ins, p.specs)]
    compiled = jax.jit(lambda *a: p.evaluate(a)).lower(*ins).compile()
    memory = compiled.memory_analysis()
    return dict(compiled.cost_analysis()) | {name: getattr(memory, name) for name in MEMORY}


def main():
    server = fm.Server()
    tally = oracle.Tally("frontend_costs", show=int(os.environ.get("SHOW", 20)))
    for name, p in PROGRAMS.items():
        server.send(p, "types")
        theirs, ours = expected(p), server.receive().get("costs")
        tally.equal(name, str(sorted(theirs.items())), str(sorted((k, float(v) if k not in MEMORY else int(v)) for k, v in ours.items())))
    server.close()
    tally.finish()


main()
