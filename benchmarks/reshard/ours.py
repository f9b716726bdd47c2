#===- ours.py - bytes that our reshards send -------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//

import os
import tempfile

import common
import numpy as np
import oracle

import local_program


def module(pairs, name="main"):
    """Returns one function: every pair is an argument and a result. All are on one mesh."""

    def value(pair, side):
        return f"{{sdy.sharding = #sdy.sharding<@mesh, {pair.sharding(side)}>}}"

    args = ", ".join(f"%a{i}: {p.type} {value(p, p.before)}" for i, p in enumerate(pairs))
    results = ", ".join(f"{p.type} {value(p, p.after)}" for p in pairs)
    names = ", ".join(f"%a{i}" for i in range(len(pairs)))
    types = ", ".join(p.type for p in pairs)
    return f"""module {{
  sdy.mesh @mesh = <[{pairs[0].mesh_text()}]>
  func.func @{name}({args}) -> ({results}) {{
    return {names} : {types}
  }}
}}
"""


def by_mesh(pairs):
    groups = {}
    for pair in pairs:
        groups.setdefault(pair.mesh_text(), []).append(pair)
    return groups.values()


def check(pairs, effort):
    """Exits with an error unless every output equals its input, on virtual devices."""
    with tempfile.TemporaryDirectory() as folder:
        for group in by_mesh(pairs):
            path, data = os.path.join(folder, "m.mlir"), os.path.join(folder, "in.npz")
            expected = os.path.join(folder, "out.npz")
            with open(path, "w") as file:
                file.write(module(group))
            values = [
                np.arange(np.prod(p.shape), dtype=np.float32).reshape(p.shape) for p in group
            ]
            np.savez(data, **{f"arg{i}": v for i, v in enumerate(values)})
            np.savez(expected, **{f"out{i}": v for i, v in enumerate(values)})
            common.tool(
                "run", path, data, "--expect", expected, "--rtol", "0", "--atol", "0",
                f"--partition-effort={effort}",
            )  # fmt: skip


def costs(pairs, effort):
    flags = [f"--sw-insert-collectives=effort={effort}", "--sw-localize"]
    texts = oracle.ours_batch([module([p]) for p in pairs], *flags)
    for text in texts:
        if isinstance(text, oracle.OurError):
            raise text
        yield local_program.cost(text)
