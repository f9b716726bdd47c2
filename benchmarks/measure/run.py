#===- run.py - predicted and measured step times --------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""`shardwright measure` writes a machine file for the CPU's virtual devices, and predicts with it the steps of the
examples and of the programs of benchmarks/programs, in the same run. Ratios are predicted over measured.

    benchmarks/measure/run.py [--seconds S] [PART OF A NAME...]
"""

import argparse
import math
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BENCHMARKS = os.path.dirname(HERE)
ROOT = os.path.dirname(BENCHMARKS)
sys.path[:0] = [BENCHMARKS, os.path.join(BENCHMARKS, "programs"), os.path.join(ROOT, "examples")]
os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
from common import BUILD, table

import jax
import programs

EXAMPLES = ("double", "mlp_train", "transformer_block", "gpt")
# The goal: within 30 %.
LEAST, MOST = 1 / 1.3, 1.3


def export(name, folder):
    """Writes a program; returns its path and the mesh as `measure` takes it."""
    function, mesh, args, in_shardings, out_shardings = programs.build(name)
    shardings = {} if mesh is None else dict(in_shardings=in_shardings, out_shardings=out_shardings)
    path = os.path.join(folder, re.sub(r"\W+", "_", name) + ".mlir")
    with open(path, "w") as out:
        out.write(jax.jit(function, keep_unused=True, **shardings).lower(*args).as_text())
    axes = dict(devices=1) if mesh is None else dict(mesh.shape)
    return path, ",".join(f"{axis}={size}" for axis, size in axes.items())


def measure(mesh, named, seconds):
    """Yields (name, measured, predicted) of programs on a mesh, in microseconds."""
    command = [os.path.join(BUILD, "bin", "shardwright"), "measure", "--mesh", mesh, "--seconds", str(seconds), "-o", os.devnull]
    for path in named:
        command += ["--check", path]
    run = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    for line in run.stderr.splitlines():
        if found := re.match(r"(\S+) +measured +(\S+) us +predicted +(\S+) us", line):
            yield named[found[1]], float(found[2]), float(found[3])
        else:
            print(line)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.1, help="for each program of known work (0.1)")
    parser.add_argument("parts", nargs="*", metavar="PART OF A NAME")
    args = parser.parse_args()
    by_mesh = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in EXAMPLES:
            path = os.path.join(ROOT, "examples", name, name + ".mlir")
            by_mesh.setdefault("data=4,model=2", {})[path] = name
        for name in programs.PROGRAMS:
            path, mesh = export(name, folder)
            by_mesh.setdefault(mesh, {})[path] = "large " + name if name in EXAMPLES else name
        rows, ratios = [], []
        for mesh, named in by_mesh.items():
            named = {p: n for p, n in named.items() if not args.parts or any(part in n for part in args.parts)}
            for name, measured, predicted in measure(mesh, named, args.seconds) if named else ():
                ratios.append(predicted / measured)
                rows.append([name, mesh, f"{measured:.1f}", f"{predicted:.1f}", f"{ratios[-1]:.2f}"])
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    spread = math.exp(sum(abs(math.log(r)) for r in ratios) / len(ratios))
    rows.append(["geometric mean", "", "", "", f"{mean:.2f}"])
    table("a step, predicted and measured", ["program", "mesh", "measured us", "predicted us", "ratio"], rows)
    within = sum(LEAST <= r <= MOST for r in ratios)
    print(f"{within} of {len(ratios)} within 30 %; off by a factor of {spread:.2f} in geometric mean")


main()
