#===- numerics.py - the examples compared with unsharded JAX --------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Runs each example on several meshes with `shardwright run`: it must report equal results
(`--expect`), and numpy must find its output (`--out`) equal too. A wrong expectation must give exit
code 1."""

import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle"))
import oracle

try:
    import numpy as np
except ImportError:
    print("SKIPPED numerics: no numpy; scripts/bootstrap.sh installs it")
    print("numerics: 0 passed, 0 failed, 1 skipped")
    sys.exit(0)

RTOL, ATOL = 1e-4, 1e-5
MESHES = {
    "double": ["", "x=2,y=2", "x=1,y=1", "x=2,y=4", "x=8,y=1", "x=1,y=2"],
    "mlp_train": ["", "data=2,model=2", "data=1,model=1", "data=2,model=4", "data=8,model=1"],
    "transformer_block": ["", "data=2,model=2", "data=1,model=1", "data=1,model=8", "data=8,model=1"],
    "gpt": ["", "data=2,model=2", "data=1,model=1", "data=4,model=2", "data=1,model=8"],
}  # fmt: skip


def run(tally, name, mesh, folder):
    case = f"{name} --mesh {mesh or '(its own)'}"
    out = os.path.join(folder, "out.npz")
    command = [
        oracle.TOOL, "run", oracle.example(name), oracle.example(name, "inputs.npz"),
        "--expect", oracle.example(name, "expected.npz"), "--rtol", str(RTOL), "--out", out, *(["--mesh", mesh] if mesh else []),
    ]  # fmt: skip
    done = oracle.process(command)
    if done.returncode != 0:
        tally.fail(case, f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return
    found, expected = np.load(out), np.load(oracle.example(name, "expected.npz"))
    if sorted(found) != sorted(expected):
        tally.fail(case, f"{sorted(found)} in --out, expected {sorted(expected)}")
        return
    for key in expected:
        a, b = found[key], expected[key]
        if a.dtype != b.dtype or a.shape != b.shape or not np.allclose(a, b, RTOL, ATOL):
            tally.fail(case, f"{key}: {a.dtype}{a.shape}, expected {b.dtype}{b.shape}\n{a}\n{b}")
            return
    tally.ok()


def wrong_expectation(tally, folder):
    name = "double"
    expected = dict(np.load(oracle.example(name, "expected.npz")))
    expected["out0"][3, 5] += 1
    path = os.path.join(folder, "wrong.npz")
    np.savez(path, **expected)
    inputs = oracle.example(name, "inputs.npz")
    done = oracle.process([oracle.TOOL, "run", oracle.example(name), inputs, "--expect", path])
    tally.check(
        "a wrong expectation",
        done.returncode == 1,
        f"exit code {done.returncode}, expected 1\n{done.stdout}{done.stderr}",
    )


tally = oracle.Tally("numerics", show=20)
with tempfile.TemporaryDirectory() as folder:
    for name, meshes in MESHES.items():
        for mesh in meshes:
            run(tally, name, mesh, folder)
    wrong_expectation(tally, folder)
tally.finish()
