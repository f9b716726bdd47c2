#===- partition_ops.py - every op, in random programs ----------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The cases of the op tests (ops/: every op, variant and element type) as parts of larger programs.
Their arguments have shardings, or are resharded inside the program. Their results are results of
the program, or operands of subsequent ops."""

import random
import re

import ops  # noqa: F401  (registers the cases)
from ops import case as case_module
import partition_builder as builder
from partition_builder import Value

# Excluded: ops that cannot run on one device, that depend on the device, or whose results vary.
WITHOUT_FAMILY = ("grid", "collectives")
WITHOUT = ("custom_call host function", "custom_call in a loop")
ENTRIES = [e for e in case_module.REGISTRY if e[0] not in WITHOUT_FAMILY and e[1] not in WITHOUT and not e[1].startswith("stablehlo.rng ")]
FAMILIES = sorted({e[0] for e in ENTRIES})
OPS = sorted({e[1] for e in ENTRIES})


class Tame(case_module.Case):
    """A case without huge numbers, whose sums depend on the order; with sizes that axes divide and
    others."""

    def random(self, shape, e, wild=True):
        return super().random(shape, e, False)

    def shape(self, rank=None, largest=None, low=0):
        r = self.rng
        rank = r.choice((1, 2, 2, 3, 3, 4)) if rank is None else rank
        sizes = [s for s in (1, 2, 3, 4, 5, 6, 7, 8, 8, 12) if largest is None or s <= largest]
        if rank > 3:
            sizes = [s for s in sizes if s <= 6]
        return tuple(max(low, r.choice(sizes)) for _ in range(rank))


class Seeded(random.Random):
    def __init__(self, seed):
        super().__init__(seed)
        self.seed_value = seed


def choose(rng, only):
    """Returns an entry of the registry. An op is chosen first, so that ops with few types are chosen
    as often as others."""
    names = [n for n in OPS if not only or only in n]
    name = rng.choice(names)
    return rng.choice([e for e in ENTRIES if e[1] == name])


def splice(b, only=None):
    """Adds one case to the program. Returns false if that is not possible."""
    _, name, element, generator = choose(b.rng, only)
    rng = Seeded(b.rng.randrange(1 << 30))
    c = Tame(rng, name, element)
    generator(c, element)
    if c.on_grid or not c.args or any(v.size > 1 << 14 for v in c.data):
        return False
    prefix = f"c{b.count}_"
    b.count += 1
    names, uses = {}, []
    for a, data in zip(c.args, c.data):
        x = b.arg(list(a.shape), a.element, data)
        if b.rng.random() < 0.5:
            x = b.moved(x)
        names[a.name] = "%" + x.name
        uses.append(x)
    rename = lambda text: re.sub(r"%[A-Za-z_][\w]*", lambda m: names.get(m[0], f"%{prefix}{m[0][1:]}"), text)
    outs, returned = [], []
    for value, *_ in c.results:
        new = rename(value.name)[1:]
        v = Value(new, list(value.shape), value.element)
        returned.append(v)
        if all(u.name != new for u in uses):
            outs.append(v)
    b.op(outs, uses, "".join("    " + rename(line) + "\n" for line in c.lines), functions=tuple(c.functions))
    b.p.ops[-1].family = name
    for v in outs:
        if b.rng.random() < 0.2 and v.shape:
            v = b.moved(v)
        if v.element in ("f32", "i32") and v.shape:
            b.values.append(v)
        else:
            b.extra.append(v)
    return True
