#===- run.py - time to convert shardings and to parse ---------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""CPU milliseconds to convert a module's GSPMD shardings to sdy, and sdy to mhlo.sharding again,
compared with parsing and verifying its text. A round trip must first return the original shardings.

`training step` is JAX's, lowered without Shardy. `every op` is a chain in which each op has one of
40 shardings, half of them device lists. `lists of 1024` is the same on a mesh of 1024 devices."""

import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "parse"))
import common
import jax
import modules
import numpy as np

OPS, RUNS = 10000, 7
TOOL = os.path.join(common.BUILD, "bin", "import_module")
SHARDWRIGHT = os.path.join(common.BUILD, "bin", "shardwright")


def shardings(mesh):
    """Returns the V1 and V2 forms of each way to shard two dimensions."""
    ids, rest = np.arange(np.prod(mesh)).reshape(mesh), range(len(mesh))
    specs = [[list(a), list(b)] for a in ([], [0], [1], [2], [0, 1], [1, 0]) for b in ([], [0], [1], [2], [2, 1])]
    for spec in specs:
        used = spec[0] + spec[1]
        if not used or len(set(used)) != len(used):
            continue
        perm = used + [axis for axis in rest if axis not in used]
        tiles = [int(np.prod([mesh[a] for a in dim])) for dim in spec]
        left = ids.size // int(np.prod(tiles))
        tail = " last_tile_dim_replicate" if left > 1 else ""
        tiles = ",".join(map(str, tiles + ([left] if left > 1 else [])))
        yield f"{{devices=[{tiles}]<=[{','.join(map(str, mesh))}]T({','.join(map(str, perm))}){tail}}}"
        yield f"{{devices=[{tiles}]{','.join(map(str, ids.transpose(perm).reshape(-1)))}{tail}}}"


def every_op(mesh):
    texts, t = list(shardings(mesh)), "tensor<1024x1024xf32>"
    lines = [f"func.func @main(%arg0: {t}, %arg1: {t}) -> {t} {{"]
    before, last = "%arg0", "%arg1"
    for i in range(OPS):
        lines.append(f'  %{i} = stablehlo.add {before}, {last} {{mhlo.sharding = "{texts[i % len(texts)]}"}} : {t}')
        before, last = last, f"%{i}"
    return "\n".join(lines + [f"  return {last} : {t}", "}", ""])


def convert(source, to, path):
    subprocess.run([SHARDWRIGHT, "convert", source, f"--to={to}", "-o", path], check=True)
    with open(path) as file:
        return re.findall(r'(?:mhlo\.sharding|backend_config) = "([^"]+)"', file.read())


def main():
    jax.config.update("jax_use_shardy_partitioner", False)
    step = modules.training_step(layers=72).as_text()
    programs = {"training step": step, "every op": every_op((2, 2, 2)), "lists of 1024": every_op((8, 16, 8))}
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, text in programs.items():
            path = os.path.join(folder, "module.mlir")
            with open(path, "w") as file:
                file.write(text)
            convert(path, "sdy", path + ".sdy")
            if convert(path, "gspmd", path + ".canonical") != convert(path + ".sdy", "gspmd", path + ".back"):
                sys.exit(f"{name}: the shardings are others after both ways: their times mean nothing")
            times = json.loads(subprocess.run([TOOL, path, str(RUNS)], capture_output=True, text=True, check=True).stdout)
            rows.append(
                [name, times["ops"], f"{times['parse'] * 1e3:.1f}", f"{times['import'] * 1e3:.1f}", f"{times['export'] * 1e3:.1f}",
                 f"{times['import'] / times['parse']:.3f}", f"{times['export'] / times['parse']:.3f}"]
            )  # fmt: skip
    common.table(
        f"GSPMD to sdy and back, CPU ms (shardings compared first; best of {RUNS})",
        ["module", "ops", "parse", "to sdy", "back", "to sdy/parse", "back/parse"],
        rows,
    )


if __name__ == "__main__":
    main()
