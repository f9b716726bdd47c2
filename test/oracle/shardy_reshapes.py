#===- shardy_reshapes.py - reshapes between shards of all kinds -----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Random reshapes whose operand and result are sharded, mostly along the same axes in the same order:
dimensions split and merged, uneven, of size 1, along sub-axes, on meshes with device ids, through
Shardy's passes from sdy-resolve-permutation-factors on, without sdy-insert-explicit-reshards, which
would make the shards agree before. Each device must end with the reshaped value. At least one
program in eight must fetch rows instead of gathering the operand.

    shardy_reshapes.py [--cases N] [--seed S]
"""

import math

import oracle

oracle.require()

import numpy as np

import partition_engines as engines
from partition_builder import Value

CHAIN = [
    "--sdy-resolve-permutation-factors",
    "--sdy-reshard-to-collectives",
    "--canonicalize=enable-patterns=sdy-collective",
    "--sdy-pad-for-divisibility",
    "--sdy-convert-global-to-local",
    "--sdy-drop-sharding-and-mesh",
]


def shapes(rng):
    """Returns two shapes with equally many elements, made of one to three groups."""
    left, right = [], []
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        parts = [rng.choice([1, 2, 2, 3, 4, 5, 6, 7]) for _ in range(rng.choice([1, 2, 2, 3]))]
        whole = [math.prod(parts)]
        sides = [whole, parts]
        if len(parts) == 3 and rng.random() < 0.3:
            sides = [[parts[0] * parts[1], parts[2]], [parts[0], parts[1] * parts[2]]]
        rng.shuffle(sides)
        for side, dims in zip((left, right), sides):
            side += dims + [1] * (rng.random() < 0.15)
    return left, right


def cut(rng, axes, shape):
    """Returns the axes by dimension, in order: as text, sub-axes among them."""
    dims, d = [[] for _ in shape], 0
    for name, size in axes:
        pre = 1
        while size > 1:
            while d + 1 < len(shape) and (math.prod(s for _, s in dims[d]) >= shape[d] or rng.random() < 0.3):
                d += 1
            part = size if rng.random() < 0.6 else rng.choice([p for p in range(2, size + 1) if size % p == 0])
            dims[d].append((f'"{name}"' if part == size and pre == 1 else f'"{name}":({pre}){part}', part))
            pre, size = pre * part, size // part
    texts = []
    for dim in dims:
        merged = []
        for text, _ in dim:  # parts of one axis that follow each other are written as one
            if merged and ":(" in text and ":(" in merged[-1] and text.split(":")[0] == merged[-1].split(":")[0]:
                name, before = merged[-1].split(":(")
                pre, size = map(int, before.split(")"))
                size *= int(text.split(")")[1])
                full = dict(axes)[name.strip('"')]
                merged[-1] = name if size == full else f"{name}:({pre}){size}"
            else:
                merged.append(text)
        texts.append(merged)
    return texts


def case(rng):
    """Returns the text, the operand's shape, the result's shape, and the number of devices."""
    left, right = shapes(rng)
    axes = rng.choice([[("a", 4)], [("a", 2), ("b", 2)], [("a", 2), ("b", 3)], [("a", 4), ("b", 2)], [("a", 8)], [("a", 3)]])
    devices = math.prod(size for _, size in axes)
    ids = list(range(devices))
    if rng.random() < 0.3:
        rng.shuffle(ids)
    listed = f", device_ids={ids}" if ids != sorted(ids) else ""
    used = [axis for axis in axes if rng.random() < 0.8] or axes[:1]
    before = cut(rng, used, left)
    after = cut(rng, used if rng.random() < 0.8 else used[::-1], right)
    write = lambda dims: "[" + ", ".join("{" + ", ".join(dim) + "}" for dim in dims) + "]"
    one, other = (f"tensor<{'x'.join(map(str, shape))}xi32>" for shape in (left, right))
    mesh = ", ".join(f'"{name}"={size}' for name, size in axes)
    whole = lambda shape: f"[{', '.join(['{}'] * len(shape))}]"
    text = (
        f"module {{\nsdy.mesh @m = <[{mesh}]{listed}>\n"
        f"func.func @main(%a: {one}) -> {other} {{\n"
        f"  %0 = sdy.reshard %a <@m, {write(before)}> : {one}\n"
        f"  %1 = stablehlo.reshape %0 {{sdy.sharding = #sdy.sharding_per_value<[<@m, {write(after)}>]>}} : ({one}) -> {other}\n"
        f"  %2 = sdy.reshard %1 <@m, {whole(right)}> : {other}\n  return %2 : {other}\n}}\n}}\n"
    )
    return text, left, right, devices


def main():
    args = oracle.arguments(__doc__, cases=200, long_cases=3000)
    tally, engine = oracle.Tally("shardy_reshapes"), engines.Ours()
    fetched = 0
    try:
        cases = [(rng.name, *case(rng)) for rng in oracle.generators(args)]
        made = oracle.ours_batch((text for _, text, *_ in cases), *CHAIN)
        for (name, text, left, right, devices), local in zip(cases, made):
            if not isinstance(local, str):
                tally.fail(name, f"{local}\n{text}")
                continue
            fetched += "collective_permute" in local
            value = np.arange(math.prod(left), dtype=np.int32).reshape(left)
            try:
                found = engine.on_devices(local, [[value]] * devices, [Value("r", right, "i32")])
            except engines.Failed as failed:
                tally.fail(name, f"{failed.kind}: {failed.message}\n{text}\n{local}")
                continue
            wrong = [d for d, (result,) in enumerate(found) if not np.array_equal(result, value.reshape(right))]
            tally.check(name, not wrong, f"devices {wrong} have other elements: {found}\n{text}\n{local}")
    finally:
        engine.stop()
    tally.check("rows are fetched", args.cases < 50 or fetched * 8 >= args.cases, f"in {fetched} of {args.cases} programs")
    tally.finish()


if __name__ == "__main__":
    main()
