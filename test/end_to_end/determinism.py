#===- determinism.py - byte-identical output from every process -----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""`shardwright partition` prints the same bytes for an example at each stage, independent of addresses
and timing: address space randomisation on and off, an environment and heap of another size, one
core. `run --out` writes the same arrays, byte for byte."""

import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle"))
import oracle

STAGES = ("import", "propagate", "reshard", "local")


def surroundings():
    """Returns (prefix of the command, extra environment) of each process."""
    yield [], {}
    yield [], {"PADDING": "x" * 50000, "MALLOC_PERTURB_": "165", "MALLOC_ARENA_MAX": "1"}
    if shutil.which("taskset"):
        yield ["taskset", "-c", "0"], {"MALLOC_TOP_PAD_": "1234567"}
    if shutil.which("setarch") and not oracle.process(["setarch", "-R", "true"]).returncode:
        yield ["setarch", "-R"], {}


def same(tally, case, command):
    outputs = []
    for prefix, env in surroundings():
        done = oracle.process(prefix + command, env=env)
        if done.returncode != 0:
            tally.fail(case, f"exit code {done.returncode}\n{done.stderr}")
            return
        outputs.append(done.stdout)
    for other in outputs[1:]:
        if not tally.equal(case, outputs[0], other):
            return


def same_arrays(tally, name, folder):
    contents = []
    for i, (prefix, env) in enumerate(surroundings()):
        out = os.path.join(folder, f"{name}{i}.npz")
        command = [oracle.TOOL, "run", oracle.example(name), oracle.example(name, "inputs.npz")]
        done = oracle.process(prefix + command + ["--out", out], env=env)
        if done.returncode != 0:
            tally.fail(f"run {name}", f"exit code {done.returncode}\n{done.stderr}")
            return
        with open(out, "rb") as file:
            contents.append(file.read())
    tally.check(f"run {name}", all(c == contents[0] for c in contents), "the results differ")


tally = oracle.Tally("determinism")
for name in oracle.EXAMPLES:
    for stage in STAGES:
        command = [oracle.TOOL, "partition", oracle.example(name), f"--stop-after={stage}"]
        same(tally, f"{name} {stage}", command)
with tempfile.TemporaryDirectory() as folder:
    for name in oracle.EXAMPLES:
        same_arrays(tally, name, folder)
tally.finish()
