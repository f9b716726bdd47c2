#===- explicit_manual.py - steps inside manual computations --------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Steps on the shards of a device: collectives and casts between varying, unreduced and reduced."""

from explicit_generator import spec_text


def axes_text(axes):
    axes = sorted(axes)
    return repr(axes[0]) if len(axes) == 1 else repr(tuple(axes))


def some_axes(s, axes):
    axes = sorted(axes)
    return set(s.gen.rng.sample(axes, s.gen.rng.randint(1, len(axes)))) if axes else set()


def unary(s):
    v = s.pick(lambda t: not t.unreduced)
    if not v:
        return None
    smooth = ["jnp.tanh({})", "{} * 0.5", "jnp.square({})"] if s.type(v).is_float and s.gen.inexact else ["{} * 3"] if s.type(v).is_float else ["{} % 5"]
    return s.one(s.gen.rng.choice(["-{}", "{} + 1", "{} * 2", *smooth]).format(v))


def binary(s):
    v = s.pick()
    t = s.type(v)
    w = s.pick(lambda o: o.shape == t.shape and o.dtype == t.dtype and o.unreduced == t.unreduced)
    return w and s.one(f"{v} {'+' if t.unreduced else s.gen.rng.choice('+-*')} {w}")


def scaled(s):
    v = s.pick(lambda t: t.rank > 0)
    w = v and s.pick(lambda o: o.rank == 0 and o.dtype == s.type(v).dtype)
    return w and s.one(f"{v} * {w}")


def total(s):
    v = s.pick(lambda t: t.rank > 0)
    if not v:
        return None
    rank = s.type(v).rank
    axes = tuple(sorted(s.gen.rng.sample(range(rank), s.gen.rng.randint(1, rank))))
    return s.one(f"jnp.{s.gen.rng.choice(['sum', 'sum', 'sum', 'max'])}({v}, {axes})")


def product(s):
    v = s.pick(lambda t: t.rank in (1, 2))
    w = v and s.pick(lambda o: o.rank in (1, 2) and o.dtype == s.type(v).dtype and o.shape[0] == s.type(v).shape[-1])
    return s.one(f"{v} @ {w}") if w else None


def psum(s):
    v = s.pick(lambda t: t.varying or t.unreduced)
    if not v:
        return None
    t = s.type(v)
    axes = some_axes(s, t.unreduced if t.unreduced and (not t.varying or s.gen.chance(0.5)) else t.varying)
    kind = "psum" if axes & t.unreduced else s.gen.rng.choice(["psum", "psum", "pmax", "pmean" if t.is_float and s.gen.inexact else "pmin"])
    return s.one(f"lax.{kind}({v}, {axes_text(axes)})")


def scatter(s):
    v = s.pick(lambda t: t.rank > 0 and (t.varying or t.unreduced))
    if not v:
        return None
    t = s.type(v)
    axis = s.gen.rng.choice(sorted(t.varying | t.unreduced))
    dims = [i for i, n in enumerate(t.shape) if n % s.gen.sizes[axis] == 0]
    return s.one(f"lax.psum_scatter({v}, {axis!r}, scatter_dimension={s.gen.rng.choice(dims)}, tiled=True)") if dims else None


def gather(s):
    v = s.pick(lambda t: t.rank > 0 and t.varying)
    if not v:
        return None
    t = s.type(v)
    to = s.gen.rng.choice(["varying", "reduced", "reduced", "invarying"])
    axis = s.gen.rng.choice(sorted(t.varying))
    return s.one(f"lax.all_gather({v}, {axis!r}, axis={s.gen.rng.randrange(t.rank)}, tiled=True, to={to!r})")


def cast(s):
    v = s.pick()
    t = s.type(v)
    choices = [(t.varying, "unreduced"), (t.reduced, "varying")]
    free = set(s.gen.explicit) - t.varying - t.unreduced - t.reduced
    choices += [(free, "varying"), (free, "reduced")]
    choices = [(a, to) for a, to in choices if a]
    if not choices:
        return None
    axes, to = s.gen.rng.choice(choices)
    axes = some_axes(s, axes)
    return s.one(f"lax.pcast({v}, {axes_text(axes)}, to={to!r})")


def permute(s):
    v = s.pick(lambda t: t.varying)
    if not v:
        return None
    axis = s.gen.rng.choice(sorted(s.type(v).varying))
    n = s.gen.sizes[axis]
    to = s.gen.rng.sample(range(n), n)
    pairs = [(i, j) for i, j in enumerate(to) if s.gen.chance(0.9)] or [(0, 0)]
    return s.one(f"lax.ppermute({v}, {axis!r}, {pairs})")


def exchange(s):
    v = s.pick(lambda t: t.varying and t.rank > 1)
    if not v:
        return None
    t = s.type(v)
    axis = s.gen.rng.choice(sorted(t.varying))
    i, j = s.gen.rng.sample(range(t.rank), 2)
    return s.one(f"lax.all_to_all({v}, {axis!r}, {i}, {j}, tiled=True)")


def index(s):
    return s.one(f"lax.axis_index({s.gen.rng.choice(s.gen.explicit)!r})")


def loop(s):
    """A scan that carries a sum, possibly unreduced, of its arguments."""
    from explicit_bodies import grow, joined, shortly

    start = [s.pick() for _ in range(s.gen.rng.randint(1, 2))]
    start = list(dict.fromkeys(start))

    def body(inner, params):
        grow(inner, shortly(inner))
        return [next_of(inner, p) for p in params]

    f = s.function(body, closed=True)
    return s.several(f"lax.fori_loop(0, {s.gen.rng.randint(0, 3)}, lambda i, c: {f.name}(*c), {joined(start)})", [f], lambda: len(start))


def next_of(s, name):
    same = [n for n in s.names if s.type(n).text == s.type(name).text]
    return s.gen.rng.choice(same[-2:])


def branch(s):
    from explicit_bodies import grow, joined, shortly

    number = s.pick(lambda t: t.rank == 0 and t.dtype == "int32" and not t.unreduced)
    v = s.pick()
    if not number:
        return None

    def body(inner, params):
        grow(inner, shortly(inner))
        return [next_of(inner, params[0])]

    fs = [s.function(body, closed=True) for _ in range(2)]
    return s.several(f"lax.cond({number} % 2 == 0, {fs[0].name}, {fs[1].name}, {v})", fs, lambda: 1)


def results(s):
    """Returns some values, and specs with which they may be returned."""
    names, specs = [], []
    for name in list(dict.fromkeys([s.names[-1], *(s.pick() for _ in range(2))])):
        t = s.type(name)
        dims, unreduced = [[] for _ in t.shape], set(t.unreduced)
        for axis in sorted(t.varying):
            if dims and s.gen.chance(0.6):
                s.gen.rng.choice(dims).append(axis)
            elif t.dtype != "bool":
                unreduced.add(axis)
        names.append(name)
        specs.append(spec_text(dims, unreduced, t.reduced))
    return names, specs


MANUAL = [(unary, 2), (binary, 3), (scaled, 1), (total, 2), (product, 2), (psum, 3), (scatter, 2), (gather, 2.5), (cast, 4), (permute, 1), (exchange, 1), (index, 0.7)]
BODIES = [(loop, 2), (branch, 1)]
