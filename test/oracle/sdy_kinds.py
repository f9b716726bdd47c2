#===- sdy_kinds.py - kinds of unreduced axes, as in the newest jaxlib -----===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------===//
"""Random chains of reshards, constraints and collectives on values that are unreduced in three kinds: text
in both forms, first errors, bytecode in both directions, and canonical forms must be those of jaxlib
0.11 or newer. Runs with .venv-newest if this Python's jaxlib is older."""

import os
import sys

import oracle

if oracle.ir is not None and not hasattr(oracle.sdy, "ReductionOp"):
    NEWEST = os.path.join(oracle.ROOT, ".venv-newest", "bin", "python")
    if os.path.exists(NEWEST) and os.path.abspath(sys.executable) != NEWEST:
        os.execv(NEWEST, [NEWEST, *sys.argv])
    print("SKIPPED sdy_kinds: jaxlib knows no kinds, and there is no .venv-newest; scripts/bootstrap.sh makes it")
    print("sdy_kinds: 0 passed, 0 failed, 1 skipped")
    sys.exit(0)

import sdy_dialect

AXES = [("a", 2), ("b", 2), ("c", 4), ("d", 8)]
MESH = "sdy.mesh @m = <[%s]>\n" % ", ".join(f'"{n}"={s}' for n, s in AXES)
PARTS = ['"a"', '"b"', '"c":(1)2', '"c":(2)2', '"d":(1)2', '"d":(2)4']
TYPE = "tensor<64x64xf32>"


class Layout:
    def __init__(self, dims, unreduced, kind, replicated=()):
        self.dims, self.unreduced, self.kind, self.replicated = dims, unreduced, kind, replicated

    def text(self, rng):
        dims = ", ".join("{" + ", ".join(merged(d)) + "}" for d in self.dims)
        tails = []
        if self.replicated:
            tails.append("replicated={%s}" % ", ".join(merged(sorted(self.replicated))))
        if self.unreduced:
            words = {"": ["=", "=", "=sum", ""], "max": ["=max", "=max "], "min": ["=min"]}[self.kind]
            tails.append("unreduced%s{%s}" % (rng.choice(words), ", ".join(merged(sorted(self.unreduced)))))
        rng.shuffle(tails)
        return f"<@m, [{dims}]{''.join(', ' + t for t in tails)}>"


def merged(parts):
    """Both halves of an axis are the axis."""
    out = []
    for part in parts:
        whole = {'"c":(2)2': '"c":(1)2', '"d":(2)4': '"d":(1)2'}.get(part)
        if whole and out and out[-1] == whole:
            out[-1] = part[:3]
        else:
            out.append(part)
    return out


def layout(rng):
    found = Layout([[], []], [], rng.choice(["", "", "max", "min"]))
    for part in rng.sample(PARTS, len(PARTS)):
        place = rng.random()
        if place < 0.3:
            found.dims[rng.randrange(2)].append(part)
        elif place < 0.65:
            found.unreduced.append(part)
        elif place < 0.7:
            found.replicated = [*found.replicated, part]
    return found


def collective(rng, name, before):
    """Returns the op's text, and usually the layout that it makes."""
    after = Layout([list(d) for d in before.dims], list(before.unreduced), before.kind)
    kind = before.kind if rng.random() < 0.8 else rng.choice(["", "max", "min", "sum"])
    word = kind + " " if kind else ""
    some = lambda parts: [p for p in parts if rng.random() < 0.6]
    if name == "all_reduce":
        axes = some(before.unreduced) or some(PARTS)
        after.unreduced = [p for p in before.unreduced if p not in axes]
        op = f"all_reduce {word}{{{', '.join(merged(sorted(axes)))}}}"
    elif name == "reduce_scatter":
        lists = [[], []]
        for part in some(before.unreduced):
            lists[rng.randrange(2)].append(part)
            after.unreduced.remove(part)
        after.dims = [a + b for a, b in zip(before.dims, lists)]
        op = f"reduce_scatter {word}[{', '.join('{' + ', '.join(merged(l)) + '}' for l in lists)}]"
    elif name == "all_slice":
        used = sum(before.dims, []) + before.unreduced
        lists = [[], []]
        for part in some([p for p in PARTS if p not in used]):
            lists[rng.randrange(2)].append(part)
        after.dims = [a + b for a, b in zip(before.dims, lists)]
        op = f"all_slice [{', '.join('{' + ', '.join(merged(l)) + '}' for l in lists)}]"
    elif name == "sharded_to_unreduced":
        cuts = [rng.randint(0, len(d)) for d in before.dims]
        lists = [d[k:] for d, k in zip(before.dims, cuts)]
        after.dims = [d[:k] for d, k in zip(before.dims, cuts)]
        after.unreduced = before.unreduced + sum(lists, [])
        after.kind = kind.replace("sum", "")
        op = f"sharded_to_unreduced [{', '.join('{' + ', '.join(merged(l)) + '}' for l in lists)}]"
    else:
        used = sum(before.dims, []) + before.unreduced
        axes = some([p for p in PARTS if p not in used])
        after.unreduced = before.unreduced + axes
        after.kind = kind.replace("sum", "")
        op = f"replicated_to_unreduced {{{', '.join(merged(sorted(axes)))}}}"
    if rng.random() < 0.1:
        after = layout(rng)
    return op, after


def program(rng):
    now = layout(rng)
    attr = f" {{sdy.sharding = #sdy.sharding{now.text(rng)}}}" if rng.random() < 0.9 else ""
    lines, value, values = [], 0, [(0, now)]
    for i in range(1, rng.randint(2, 5)):
        value, now = rng.choice(values[-2:])
        kind = rng.choice(["reshard", "reshard", "constraint", "barrier", "all_reduce", "all_reduce", "reduce_scatter", "all_slice",
                           "sharded_to_unreduced", "replicated_to_unreduced"])  # fmt: skip
        if kind in ("reshard", "constraint"):
            after = layout(rng)
            if rng.random() < 0.5:
                after.kind = now.kind
            text = f"sdy.{kind.replace('constraint', 'sharding_constraint')} %{value} {after.text(rng)} : {TYPE}"
        elif kind == "barrier":
            after, text = now, f"sdy.propagation_barrier %{value} allowed_direction=NONE : {TYPE}"
        else:
            op, after = collective(rng, kind, now)
            text = f"sdy.{op} %{value} out_sharding={after.text(rng)} : {TYPE}"
        lines.append(f"%{i} = {text}\n")
        values.append((i, after))
    names = ", ".join(f"%{i}" for i, _ in values[1:])
    types = ", ".join([TYPE] * (len(values) - 1))
    return MESH + f"func.func @f(%0: {TYPE}{attr}) -> ({types}) {{\n{''.join(lines)}return {names} : {types}\n}}\n"


def canonicalize(tally, sources):
    for options in ("", "enable-patterns=sdy-collective", "enable-patterns=sdy-reshard"):
        pipeline = f"canonicalize{{{options}}}" if options else "canonicalize"
        wanted = []
        for source in sources:
            try:
                wanted.append((source, oracle.run(source, pipeline)))
            except oracle.OracleError:
                tally.ok()  # its patterns make ops that its verifier refuses
        found = oracle.ours_batch([s for s, _ in wanted], f"--pass-pipeline=builtin.module({pipeline})")
        for (source, expected), ours in zip(wanted, found):
            tally.equal(pipeline, expected.strip(), str(ours).strip(), source)


def main():
    args = oracle.arguments(__doc__, cases=400, long_cases=10000)
    tally = oracle.Tally("sdy_kinds", show=5)
    sources = [program(rng) for rng in oracle.generators(args)]
    good = []
    for i in range(0, len(sources), 500):
        good += sdy_dialect.compare(tally, f"random, --seed {args.seed} --cases {args.cases}", sources[i : i + 500])
    canonicalize(tally, good)
    sdy_dialect.bytecode(tally, good)
    print(f"{len(good)} of {len(sources)} programs verify")
    tally.finish()


if __name__ == "__main__":
    main()
