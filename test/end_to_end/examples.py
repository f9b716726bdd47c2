#===- examples.py - the example programs, whole, through the shardwright command -===#
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
"""Each example on 8 virtual devices, and on 4 and 1 through --mesh, against the results of
unsharded JAX (1e-4 relative, with an absolute floor for values near 0); and every stage of every
example printed twice, by processes that share nothing, to the same bytes."""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle"))
import oracle

MESHES = {
    "double": ("x=4,y=2", "x=2,y=2", "x=1,y=1"),
    "mlp_train": ("data=4,model=2", "data=2,model=2", "data=1,model=1"),
    "transformer_block": ("data=2,model=4", "data=2,model=2", "data=1,model=1"),
    "gpt": ("data=2,model=4", "data=1,model=4", "data=1,model=1"),
}

tally = oracle.Tally("examples")


def shardwright(*arguments, env=None):
    return oracle.process([oracle.TOOL, *arguments], env=env)


for name, meshes in MESHES.items():
    module, inputs = oracle.example(name), oracle.example(name, "inputs.npz")
    expected = oracle.example(name, "expected.npz")
    for mesh in meshes:
        done = shardwright("run", module, inputs, "--mesh", mesh, "--expect", expected, "--rtol", "1e-4", "--atol", "1e-5")
        tally.check(f"{name} on {mesh}", done.returncode == 0, done.stdout + done.stderr)
        tally.check(f"{name} on {mesh} is quiet", done.stderr == "", done.stderr)
    # A comparison that cannot fail is worth nothing.
    done = shardwright("run", module, "--random", "7", "--expect", expected)
    tally.check(f"{name} with other inputs differs", done.returncode == 1, done.stdout + done.stderr)

    for stage in ("import", "propagate", "reshard", "local"):
        flags = ("partition", module, f"--stop-after={stage}", "--debug-info")
        once = shardwright(*flags)
        again = shardwright(*flags, env={"MALLOC_PERTURB_": "165", "MALLOC_ARENA_MAX": "1", "PADDING": "x" * 5000})
        tally.check(f"{name} {stage} succeeds", once.returncode == 0 and once.stdout, once.stderr)
        tally.check(f"{name} {stage} is the same twice", once.stdout == again.stdout, "the two outputs differ")
tally.finish()
