#===- random_shardings.py - results do not depend on shardings ------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Replaces every sharding of the examples by a random one (axes, sub-axes, open dimensions, sizes that
do not divide) on a random mesh, sometimes with several replicas. The results must still be those of
unsharded JAX."""

import argparse
import math
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle"))
import oracle

SHARDING = re.compile(r"<@mesh, \[((?:\{[^}]*\}(?:, )?)*)\]>")
MESH = re.compile(r'sdy\.mesh @mesh = <\[[^\]]*\]>(?: \{stablehlo\.mesh = .*?\]\}\})?')
MESHES = (
    [("a", 2)], [("a", 4), ("b", 2)], [("a", 2), ("b", 4)], [("a", 2), ("b", 2), ("c", 2)],
    [("a", 8)], [("a", 3)], [("a", 2), ("b", 3)], [("a", 1), ("b", 4)], [("a", 6)],
)  # fmt: skip


def random_axes(rng, axes, dims):
    """Distributes some axes, sometimes cut into sub-axes, over dimensions."""
    pieces = []
    for name, size in axes:
        cuts = [k for k in range(2, size) if size % k == 0]
        if cuts and rng.random() < 0.3:
            k = rng.choice(cuts)
            pieces += [f'"{name}":(1){k}', f'"{name}":({k}){size // k}']
        else:
            pieces.append(f'"{name}"')
    rng.shuffle(pieces)
    dealt = [[] for _ in range(dims)]
    for piece in pieces:
        if dims and rng.random() < 0.6:
            dealt[rng.randrange(dims)].append(piece)
    # sdy requires that two adjacent halves of an axis, in order, are written as the full axis.
    for dim in dealt:
        for i in range(len(dim) - 1):
            a, b = (re.match(r'"(\w+)":\((\d+)\)(\d+)$', p) for p in dim[i : i + 2])
            if a and b and a[1] == b[1] and int(a[2]) * int(a[3]) == int(b[2]):
                dim[i], dim[i + 1] = dim[i + 1], dim[i]
    return dealt


def random_sharding(rng, axes, dims, open_allowed):
    parts = []
    for dim in random_axes(rng, axes, dims):
        if open_allowed and rng.random() < 0.3:
            dim = dim + ["?"]
        parts.append("{" + ", ".join(dim) + "}")
    return f"<@mesh, [{', '.join(parts)}]>"


def random_program(rng, source):
    """Returns the module with another mesh and other shardings, and the mesh's number of devices."""
    axes = rng.choice(MESHES)
    sizes = ", ".join(f'"{name}"={size}' for name, size in axes)
    open_allowed = rng.random() < 0.5

    def other(match):
        dims = len(re.findall(r"\{", match.group(1)))
        return random_sharding(rng, axes, dims, open_allowed)

    count = math.prod(size for _, size in axes)
    source = MESH.sub(f"sdy.mesh @mesh = <[{sizes}]>", source, count=1)
    source = re.sub(r"mhlo.num_partitions = \d+", f"mhlo.num_partitions = {count}", source)
    replicas = rng.choice((1, 1, 2, 3)) if count <= 4 else 1
    source = re.sub(r"mhlo.num_replicas = \d+", f"mhlo.num_replicas = {replicas}", source)
    return SHARDING.sub(other, source)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--keep", help="write the program of each failure into this folder")
    args = parser.parse_args()
    if args.cases is None:
        args.cases = 1500 if args.long else 60
    tally = oracle.Tally("random_shardings", show=5)
    with tempfile.TemporaryDirectory() as folder:
        for rng in oracle.generators(args):
            name = oracle.EXAMPLES[rng.seed_value % len(oracle.EXAMPLES)]
            with open(oracle.example(name)) as file:
                source = random_program(rng, file.read())
            module = os.path.join(folder, "module.mlir")
            with open(module, "w") as file:
                file.write(source)
            done = oracle.process(
                [oracle.TOOL, "run", module, oracle.example(name, "inputs.npz"),
                 "--expect", oracle.example(name, "expected.npz"), "--rtol", "1e-4", "--atol", "1e-5"]
            )  # fmt: skip
            if done.returncode != 0:
                message = f"exit code {done.returncode}\n{done.stderr[-3000:]}{done.stdout[-1500:]}"
                tally.fail(f"{name} {rng.name}", message)
                if args.keep:
                    os.makedirs(args.keep, exist_ok=True)
                    with open(os.path.join(args.keep, f"{name}-{rng.seed_value}.mlir"), "w") as file:
                        file.write(source)
            else:
                tally.ok()
    tally.finish()


if __name__ == "__main__":
    main()
