#===- reshard_to_collectives.py - plans of reshards, ours and Shardy's ----===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Random reshards through `sdy-reshard-to-collectives`, ours and jaxlib's: the same collectives in the
same order. If jaxlib ends with another sharding than requested, or refuses sub-axes of one axis
that cannot be expressed together, ours must reach the requested sharding. Then every reshard of one
dimension of 1 to 12 elements between 11 shardings, many of which do not divide it.

    reshard_to_collectives.py [--cases N] [--seed S] [--long]
"""

import re

import oracle

NAMES = "xyzw"
# The version of Shardy that ours is asked to behave like.
OURS = "-sdy-reshard-to-collectives" + ("" if oracle.VERSION >= (0, 12) else "=sw-shardy=0.10.2")
UNEVEN_MESH = '<["x"=2, "y"=3, "z"=4]>'
UNEVEN = ["", '"x"', '"y"', '"z"', '"x", "y"', '"y", "x"', '"x", "z"', '"z", "x"', '"y", "z"', '"z":(1)2', '"z":(2)2']


def random_mesh(rng):
    kinds = [(2, 2), (4, 2), (2, 4), (2, 2, 2), (2, 2, 4), (8, 2), (4, 4), (2, 3), (2, 3, 2),
             (3, 3, 2), (2, 2, 3), (6, 2), (2, 2, 2, 2)]  # fmt: skip
    return dict(zip(NAMES, rng.choice(kinds)))


def random_sharding(rng, mesh, rank):
    dims = [[] for _ in range(rank)]
    for name in rng.sample(list(mesh), len(mesh)):
        if rng.random() < 0.2:
            continue
        size, text = mesh[name], f'"{name}"'
        parts = [n for n in range(2, size) if size % n == 0]
        if parts and rng.random() < 0.3:
            part = rng.choice(parts)
            pre = rng.choice([1, size // part])
            text += f":({pre}){part}"
        rng.choice(dims).append(text)
    return "[" + ", ".join("{" + ", ".join(axes) + "}" for axes in dims) + "]"


def random_case(rng):
    mesh, rank = random_mesh(rng), rng.randint(1, 3)
    axes = ", ".join(f'"{n}"={s}' for n, s in mesh.items())
    lines, returned = [f"sdy.mesh @mesh = <[{axes}]>"], "@mesh"
    if rng.random() < 0.15:
        count = 1
        for size in mesh.values():
            count *= size
        ids = rng.sample(range(count), count)
        if ids != sorted(ids):
            lines.append(f"sdy.mesh @other = <[{axes}], device_ids={ids}>")
            returned = "@other"
    shape = "x".join(["144"] * rank)
    before, after = (random_sharding(rng, mesh, rank) for _ in range(2))
    tensor = f"tensor<{shape}xf32>"
    lines += [
        f"func.func @main(%a: {tensor} {{sdy.sharding = #sdy.sharding<@mesh, {before}>}}) -> {tensor} {{",
        f"  %0 = sdy.reshard %a <{returned}, {after}> : {tensor}",
        f"  return %0 : {tensor}",
        "}",
    ]
    return "\n".join(lines) + "\n", f"<{returned}, {after}>", f"<@mesh, {before}>"


def ends_in(text, start):
    found = re.findall(r"out_sharding=(<.*>) :", text)
    return found[-1] if found else start


def same_end(end, asked):
    """True if the sharding is the same on every device, independent of the mesh."""
    if '"' not in asked:
        return '"' not in end
    return end == asked


def coexist(before, after):
    """True if the sub-axes of both sides belong to one decomposition of the axis. jaxlib mixes others
    if they do not overlap; then its local program does not agree with the resulting sharding."""
    refs = [re.findall(r'"(\w)":\((\d+)\)(\d+)', side) for side in (before, after)]
    for axis, pre, size in refs[0]:
        for other, pre2, size2 in refs[1]:
            cuts = sorted({int(pre), int(pre) * int(size), int(pre2), int(pre2) * int(size2)})
            if axis == other and any(b % a for a, b in zip(cuts, cuts[1:])):
                return False
    return True


def uneven_cases():
    """Yields the name, the program and the requested sharding of each reshard of one uneven dimension."""
    for size in range(1, 13):
        for before in UNEVEN:
            for after in UNEVEN:
                tensor = f"tensor<{size}xf32>"
                text = (
                    f"sdy.mesh @mesh = {UNEVEN_MESH}\n"
                    f"func.func @main(%a: {tensor} {{sdy.sharding = #sdy.sharding<@mesh, [{{{before}}}]>}}) -> {tensor} {{\n"
                    f"  %0 = sdy.reshard %a <@mesh, [{{{after}}}]> : {tensor}\n  return %0 : {tensor}\n}}\n"
                )
                yield f"{size} rows, {{{before}}} to {{{after}}}", text, f"<@mesh, [{{{after}}}]>"


def check_uneven(tally):
    cases = list(uneven_cases())
    batch = oracle.ours_batch([text for _, text, _ in cases], OURS)
    for (name, text, asked), mine in zip(cases, batch):
        if isinstance(mine, oracle.OurError):
            tally.fail(name, f"{mine}\n{text}")
            continue
        try:
            theirs = oracle.run(text, "func.func(sdy-reshard-to-collectives)")
        except oracle.OracleError:
            tally.check(name, same_end(ends_in(mine, asked), asked), mine)
            continue
        tally.equal(name, theirs, oracle.normal(mine), text)


def main():
    args = oracle.arguments(__doc__, cases=300, long_cases=5000)
    tally = oracle.Tally("reshard_to_collectives")
    mended = 0
    for rng in oracle.generators(args):
        text, asked, start = random_case(rng)
        try:
            theirs = oracle.run(text, "func.func(sdy-reshard-to-collectives)")
        except oracle.OracleError:
            theirs = None
        try:
            ours = oracle.ours_normal(text, OURS)
        except (oracle.OurError, oracle.OracleError) as error:
            tally.fail(rng.name, f"{error}\n{text}")
            continue
        if theirs and same_end(ends_in(theirs, start), asked) and coexist(start, asked):
            tally.equal(rng.name, theirs, ours, text)
        elif same_end(ends_in(ours, start), asked):
            mended += 1
            tally.ok()
        else:
            tally.fail(rng.name, f"ends in {ends_in(ours, start)}\n{text}\n{ours}")
    check_uneven(tally)
    print(f"reshard_to_collectives: {mended} where jaxlib refuses or ends elsewhere")
    tally.finish()


if __name__ == "__main__":
    main()
