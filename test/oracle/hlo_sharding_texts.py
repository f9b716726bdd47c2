#===- hlo_sharding_texts.py - random HLO shardings -------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Random shardings as text: `random_leaf` and `random_text` in V1 and V2, `random_named` in V3."""

import math
import re

import numpy as np

TYPES = ("replicated", "manual", "unreduced")


def join(values):
    return ",".join(map(str, values))


def factorization(rng, n, parts):
    """Returns `parts` sizes with product n."""
    sizes = [1] * parts
    for prime in (2, 3, 5, 7):
        while n % prime == 0:
            sizes[rng.randrange(parts)] *= prime
            n //= prime
    sizes[rng.randrange(parts)] *= n
    return sizes


def random_iota(rng, n):
    reshape = factorization(rng, n, rng.randint(1, 4))
    perm = rng.sample(range(len(reshape)), len(reshape))
    return reshape, perm


def iota_text(reshape, perm):
    return f"<=[{join(reshape)}]" + (f"T({join(perm)})" if len(reshape) > 1 else "")


def iota_list(reshape, perm):
    return np.arange(math.prod(reshape)).reshape(reshape).transpose(perm).reshape(-1).tolist()


def random_leaf(rng, n=None):
    if rng.random() < 0.12:
        leaf = rng.choice(["replicated", "manual", "unreduced", "unknown", f"maximal device={rng.randrange(9)}"])
    else:
        n = n or rng.choice([2, 4, 6, 8, 12, 16, 24, 36])
        rank, groups = rng.randint(1, 3), rng.choice([0, 0, 1, 1, 2, 3])
        dims = factorization(rng, n, rank + groups)
        kind = rng.random()
        if kind < 0.6:
            devices = iota_text(*random_iota(rng, n))
        elif kind < 0.85:
            devices = join(iota_list(*random_iota(rng, n)))
        else:
            devices = join(rng.sample(range(n), n))
        leaf = f"devices=[{join(dims)}]{devices}"
        if groups == 1 and rng.random() < 0.6:
            leaf += " last_tile_dim_replicate"
        elif groups:
            leaf += f" last_tile_dims={{{', '.join(rng.choice(TYPES) for _ in range(groups))}}}"
    if rng.random() < 0.08:
        leaf += f" shard_{rng.choice(['as', 'like'])} {rng.randrange(20)}"
    if rng.random() < 0.05:
        leaf += ' metadata={op_type="dot" op_name="a/b" source_line=3}'
    return "{" + leaf + "}"


def random_named(rng):
    names = "abcd"[: rng.randint(1, 4)]
    sizes = {name: rng.choice([1, 2, 4, 6, 8]) for name in names}
    parts = []
    for name in names:
        size = sizes[name]
        if size in (4, 8) and rng.random() < 0.4:
            pre = rng.choice([1, 2])
            parts.append(f"'{name}':({pre})2")
            if size // pre // 2 > 1 and pre == 1 and rng.random() < 0.5:
                parts.append(f"'{name}':(2){size // 2}")
        else:
            parts.append(f"'{name}'")
    rng.shuffle(parts)
    rank = rng.randint(1, 3)
    dims, lists = [[] for _ in range(rank)], {"replicated": [], "unreduced": [], "manual": []}
    for part in parts:
        where = rng.random()
        if where < 0.55:
            dims[rng.randrange(rank)].append(part)
        elif where < 0.85:
            lists[rng.choice(list(lists))].append(part)
    order = lambda part: (part[1], int(re.search(r"\((\d)", part).group(1)) if "(" in part else 0)
    text = "mesh[" + ",".join(f"'{k}'={v}" for k, v in sizes.items()) + "]"
    n = math.prod(sizes.values())
    if n > 1 and rng.random() < 0.2:
        ids = rng.sample(range(n), n)
        text += f", device_ids=({join(ids)})" if ids != sorted(ids) else ""
    elif rng.random() < 0.1:
        text += f", device_ids=({iota_text(*random_iota(rng, n))[2:]})"
    closed = lambda: rng.random() < 0.7
    dim = lambda axes: "{" + ", ".join(axes + ([] if closed() else ["?"])) + "}"
    text += ", [" + ", ".join(map(dim, dims)) + "]"
    for name, axes in lists.items():
        if axes:
            text += f", {name}={{{', '.join(sorted(axes, key=order))}}}"
    return "{" + text + "}"


def random_text(rng):
    if rng.random() < 0.15:
        return "{" + ", ".join(random_leaf(rng) for _ in range(rng.randrange(8))) + "}"
    return random_leaf(rng)
