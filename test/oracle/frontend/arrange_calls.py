#===- arrange_calls.py - joining, choosing and statistics -----------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Random calls of the functions of arrange_ops.cc."""

import jax.numpy as jnp

from frontend.elementwise_calls import axes, axis
from frontend.typed_calls import (ALL, FLOATS, INTEGERS, REAL, Array, Call, an_axis, binary, like, shape_of, some_axes,
                                  unary)

MODES = ["fill", "clip", "wrap"]
METHODS = ["linear", "lower", "higher", "midpoint", "nearest"]
CONVOLVE = ["full", "same", "valid"]


def numbers(**choices):
    """No arrays; each key one of its numbers."""
    return lambda rng: ([], {name: rng.choice(values) for name, values in choices.items()})


def keys(make, **choices):
    """The arrays of `make`, and more keys."""
    def both(rng):
        arrays, found = make(rng)
        return arrays, found | {name: rng.choice(values) for name, values in choices.items()}
    return both


def of_axes(types=REAL, least=0, empty=0.0):
    def make(rng):
        shape = shape_of(rng, least=least, empty=empty)
        return [Array(rng, types, shape)], some_axes(rng, len(shape))
    return make


def of_axis(types=REAL, least=0, optional=True):
    def make(rng):
        shape = shape_of(rng, least=least)
        return [Array(rng, types, shape)], {} if optional and rng.random() < 0.3 else {"axis": an_axis(rng, len(shape))}
    return make


def permuted(rng):
    shape = shape_of(rng, least=1)
    order = rng.sample(range(len(shape)), len(shape))
    return [Array(rng, ALL, shape)], {"order": tuple(order)}


def moved(rng):
    shape = shape_of(rng, least=1)
    n = rng.randint(1, len(shape))
    return [Array(rng, ALL, shape)], {"from": tuple(rng.sample(range(len(shape)), n)),
                                      "to": tuple(rng.sample(range(-len(shape), 0), n))}


def same_rank(rng, types=ALL, least=1, most=3):
    """Two arrays that differ along one axis."""
    shape = shape_of(rng, least=least, most=most)
    d = rng.randrange(len(shape))
    other = shape[:d] + (rng.choice([1, 2, 3]),) + shape[d + 1:]
    return [Array(rng, types, shape), Array(rng, types, other)], d


def appended(rng):
    arrays, d = same_rank(rng)
    return arrays, {} if rng.random() < 0.3 else {"axis": rng.choice([d, d, d - len(arrays[0].shape), 0])}


def stacked(rng):
    shape = shape_of(rng, least=0)
    return [Array(rng, ALL, shape), Array(rng, ALL, shape)], {}


def turned(rng):
    shape = shape_of(rng, least=2)
    return [Array(rng, ALL, shape)], {"axes": tuple(rng.sample(range(len(shape)), 2)), "k": rng.choice([0, 1, 2, 3, -1, 5])}


def rolled(rng):
    shape = shape_of(rng, least=1)
    n = rng.randint(1, len(shape))
    return [Array(rng, ALL, shape)], {"axes": tuple(rng.sample(range(len(shape)), n)),
                                      "shifts": tuple(rng.randint(-4, 4) for _ in range(n))}


def with_scalar(types, other):
    return lambda rng: ([Array(rng, types, shape_of(rng)), Array(rng, other, ())], {})


def positions(rng, size, shape):
    return Array(rng, INTEGERS[2:4], shape, -size - 1, size + 2)


def put_along(rng):
    shape = shape_of(rng, least=1, empty=0)
    d = rng.randrange(len(shape))
    # Each place once: which of several values wins is up to the implementation.
    at = shape[:d] + (1,) + shape[d + 1:]
    return [Array(rng, REAL, shape), Array(rng, "i32", at, 0, shape[d]), Array(rng, REAL, rng.choice([(), at]))], {"axis": d}


def put(rng):
    return [Array(rng, REAL, (3, 4)), Array(rng, "i32", (2,), -14, 14), Array(rng, REAL, ())], {"mode": rng.choice([0, 1, 2])}


def selected(rng):
    shape = shape_of(rng)
    return [Array(rng, "bool", shape), Array(rng, "bool", like(rng, shape)), Array(rng, ALL, shape),
            Array(rng, ALL, like(rng, shape)), Array(rng, ALL, ())], {}


def chosen(rng):
    shape = shape_of(rng)
    return [Array(rng, INTEGERS[2:4], like(rng, shape), -2, 4), Array(rng, REAL, shape), Array(rng, REAL, like(rng, shape))], {
        "mode": rng.choice([1, 2])}


def quantiled(of_q):
    def make(rng):
        arrays, found = of_axes(least=1)(rng)
        q = Array(rng, FLOATS, rng.choice([(), (), (3,), (1,)]), *of_q)
        return arrays + [q], found | {"method": rng.randrange(5), "keep": rng.choice([0, 1])}
    return make


def histogrammed(rng):
    shape = shape_of(rng, empty=0)
    x = Array(rng, REAL[1:], shape)
    weights = [Array(rng, FLOATS, shape, 0.1, 2)] if rng.random() < 0.3 else []
    return [x] + weights, {"bins": rng.choice([1, 3, 10]), "ranged": rng.choice([0, 1]), "density": rng.choice([0, 0, 1])}


def histogram(a, k):
    return jnp.histogram(a[0], k["bins"][0], range=(-1.0, 2.0) if k["ranged"][0] else None,
                         weights=a[1] if len(a) > 1 else None, density=bool(k["density"][0]))


def histogrammed_2d(rng):
    n = rng.choice([1, 4, 7])
    arrays = [Array(rng, "f32", (n,)), Array(rng, "f32", (n,))]
    if rng.random() < 0.3:
        arrays.append(Array(rng, "f32", (n,), 0.1, 2))
    return arrays, {"bins": rng.choice([1, 3]), "density": rng.choice([0, 1])}


def histogramdd(a, k):
    counts, edges = jnp.histogramdd(a[0], k["bins"])
    return [counts, *edges]


def vectors(rng):
    sizes = rng.choice([1, 2, 3, 5]), rng.choice([1, 2, 4, 6])
    return [Array(rng, ALL[1:], (n,)) for n in sizes], {"mode": rng.randrange(3)}


def interpolated(rng):
    n = rng.choice([1, 2, 5])
    return [Array(rng, REAL[1:], shape_of(rng), -4, 4), Array(rng, "f32", (n,)), Array(rng, REAL[1:], (n,))], {}


def nan_above(x):
    return jnp.where(x > 2.0, jnp.nan, x) if jnp.issubdtype(x.dtype, jnp.floating) else x


def quantile(function, change=lambda x: x):
    return lambda a, k: function(change(a[0]), a[1], axis=axes(k), method=METHODS[k["method"][0]], keepdims=bool(k["keep"][0]))


def by_name(name, **names):
    """jnp.NAME(arrays, key=..): each argument by the key that has its number."""
    function = getattr(jnp, name)
    return lambda a, k: function(*a, **{argument: k[key][0] for argument, key in names.items()})


def reduced(name):
    function = getattr(jnp, name)
    return lambda a, k: function(a[0], axis=axes(k), keepdims=bool(k["keep"][0]))


CALLS = [
    *(Call(f"call_{n}", by_name(n), unary()) for n in "atleast_1d atleast_2d atleast_3d matrix_transpose".split()),
    Call("call_ediff1d", by_name("ediff1d"), unary(ALL[1:])),
    Call("call_permute_dims", lambda a, k: jnp.permute_dims(a[0], tuple(k["order"])), permuted),
    Call("call_moveaxis", lambda a, k: jnp.moveaxis(a[0], tuple(k["from"]), tuple(k["to"])), moved),
    Call("call_rollaxis", by_name("rollaxis", axis="axis", start="start"),
         keys(of_axis(ALL, least=1, optional=False), start=(0, 1, -1, 2))),
    Call("call_squeeze", lambda a, k: jnp.squeeze(a[0], axes(k)),
         lambda rng: ([Array(rng, ALL, (1, rng.choice([1, 3]), 1))], rng.choice([{}, {"axes": (0,)}, {"axes": (0, -1)}, {"axes": (1,)}]))),
    Call("call_broadcast_arrays", lambda a, k: jnp.broadcast_arrays(*a), binary()),
    Call("call_append", lambda a, k: jnp.append(a[0], a[1], axis(k)), appended),
    Call("call_column_stack", lambda a, k: jnp.column_stack(a), stacked),
    Call("call_dstack", lambda a, k: jnp.dstack(a), stacked),
    Call("call_block", lambda a, k: jnp.block([[a[0], a[1]], [a[1], a[0]]]), lambda rng: (
        [Array(rng, REAL, (2, 3)), Array(rng, REAL, rng.choice([(2, 3), (2, 2)]))], {})),
    Call("call_array_split", lambda a, k: jnp.array_split(a[0], k["parts"][0], k["axis"][0]),
         keys(of_axis(ALL, least=1, optional=False), parts=(1, 2, 3))),
    Call("call_rot90", lambda a, k: jnp.rot90(a[0], k["k"][0], tuple(k["axes"])), turned),
    Call("call_roll", lambda a, k: jnp.roll(a[0], tuple(k["shifts"]), tuple(k["axes"])), rolled),
    Call("call_full_like", by_name("full_like"), with_scalar(ALL, ALL)),
    Call("call_eye", lambda a, k: jnp.eye(k["rows"][0], k["columns"][0], k["k"][0]),
         numbers(rows=(0, 1, 3), columns=(1, 4), k=(-5, -1, 0, 2, 9))),
    Call("call_tri", lambda a, k: jnp.tri(k["rows"][0], k["columns"][0], k["k"][0]),
         numbers(rows=(0, 1, 3), columns=(1, 4), k=(-5, -1, 0, 2, 9))),
    Call("call_diagflat", by_name("diagflat", k="k"), keys(unary(most=2), k=(-2, 0, 1))),
    Call("call_vander", lambda a, k: jnp.vander(a[0], k["n"][0], bool(k["rising"][0])), keys(
        lambda rng: ([Array(rng, ALL[1:], shape_of(rng, least=1, most=1))], {}), n=(0, 1, 4), rising=(0, 1)), tolerance=5e-3),
    Call("call_logspace", lambda a, k: jnp.logspace(-1, 2, k["n"][0], bool(k["end"][0])), numbers(n=(0, 1, 5), end=(0, 1))),
    Call("call_geomspace", lambda a, k: jnp.geomspace(0.5, 8, k["n"][0], bool(k["end"][0])), numbers(n=(0, 1, 5), end=(0, 1))),
    Call("call_indices", lambda a, k: jnp.indices(tuple(k["shape"])), numbers(shape=((3,), (2, 3), (1, 0, 2)))),
    Call("call_arange", lambda a, k: jnp.arange(k["start"][0], k["stop"][0], k["step"][0]),
         numbers(start=(-3, 0, 2), stop=(-4, 0, 7), step=(-2, 1, 3))),
    *(Call(f"call_{n}", (lambda f: lambda a, k: f(k["rows"][0], k["k"][0], k["columns"][0]))(getattr(jnp, n)),
           numbers(rows=(0, 1, 4), k=(-1, 0, 2), columns=(1, 3))) for n in ("tril_indices", "triu_indices")),
    Call("call_ravel_multi_index", lambda a, k: jnp.ravel_multi_index(a, (3, 4), mode=MODES[k["mode"][0]]), lambda rng: (
        [Array(rng, INTEGERS[:4], (5,), -6, 6) for _ in range(2)], {"mode": rng.choice([1, 2])})),
    Call("call_unravel_index", lambda a, k: jnp.unravel_index(a[0], (3, 4)),
         lambda rng: ([Array(rng, ["i32", "i8", "u8", "u32"], shape_of(rng), -14, 14)], {})),
    Call("call_fill_diagonal", lambda a, k: jnp.fill_diagonal(a[0], a[1], inplace=False), lambda rng: (
        [Array(rng, "f32", rng.choice([(3, 4), (4, 2), (3, 3, 3), (3,)])), Array(rng, "f32", rng.choice([(), (2,), (5,)]))], {})),
    Call("call_put", lambda a, k: jnp.put(*a, mode=[None, "clip", "wrap"][k["mode"][0]], inplace=False), put),
    Call("call_put_along_axis", lambda a, k: jnp.put_along_axis(*a, axis(k), inplace=False), put_along),
    Call("call_resize", lambda a, k: jnp.resize(a[0], tuple(k["shape"])), keys(unary(), shape=((3,), (2, 5), (0, 2), (4, 4, 2)))),
    Call("call_select", lambda a, k: jnp.select(a[:2], a[2:4], a[4]), selected),
    Call("call_choose", lambda a, k: jnp.choose(a[0], a[1:], mode=MODES[k["mode"][0]]), chosen),
    Call("call_quantile", quantile(jnp.quantile), quantiled((0.0, 1.0))),
    Call("call_nanquantile", quantile(jnp.nanquantile, nan_above), quantiled((0.0, 1.0))),
    Call("call_percentile", quantile(jnp.percentile), quantiled((0.0, 100.0))),
    *(Call(f"call_{n}", reduced(n), keys(of_axes(least=1), keep=(0, 1))) for n in "median nanmedian ptp".split()),
    *(Call(f"call_{n}", reduced(n), keys(of_axes(ALL, empty=0.1), keep=(0, 1))) for n in "nanprod nanvar nanstd".split()),
    Call("call_average", lambda a, k: jnp.average(a[0], axes(k)), of_axes(ALL)),
    Call("call_average_weights", lambda a, k: jnp.average(a[0], axes(k), a[1]), lambda rng: (
        lambda shape: ([Array(rng, REAL, shape), Array(rng, FLOATS, shape, 0.1, 2)], some_axes(rng, len(shape))))(
            shape_of(rng, empty=0))),
    Call("call_nanargmax", lambda a, k: jnp.nanargmax(a[0], axis(k), keepdims=bool(k["keep"][0])), keys(of_axis(), keep=(0, 1))),
    Call("call_nancumsum", lambda a, k: jnp.nancumsum(a[0], axis(k)), of_axis(ALL)),
    Call("call_nancumprod", lambda a, k: jnp.nancumprod(a[0], axis(k)), of_axis(ALL)),
    Call("call_cumulative_sum", lambda a, k: jnp.cumulative_sum(a[0], axis=axis(k), include_initial=bool(k["initial"][0])),
         keys(of_axis(REAL), initial=(0, 1))),
    Call("call_histogram", histogram, histogrammed, grad=False),
    Call("call_histogram2d", lambda a, k: jnp.histogram2d(a[0], a[1], k["bins"][0], weights=a[2] if len(a) > 2 else None,
                                                          density=bool(k["density"][0])), histogrammed_2d, grad=False),
    Call("call_histogramdd", histogramdd, lambda rng: ([Array(rng, "f32", (6, 3))], {"bins": (2, 3, 1)}), grad=False),
    Call("call_digitize", lambda a, k: jnp.digitize(a[0], jnp.sort(a[1]), bool(k["right"][0])), lambda rng: (
        [Array(rng, REAL[1:], shape_of(rng)), Array(rng, REAL[1:], (rng.choice([0, 1, 4]),))], {"right": rng.choice([0, 1])})),
    *(Call(f"call_{n}", (lambda f: lambda a, k: f(a[0], rowvar=bool(k["rows"][0])))(getattr(jnp, n)), keys(lambda rng: (
        [Array(rng, ALL, rng.choice([(4,), (3, 5), (2, 2), (2, 1, 3)]))], {}), rows=(0, 1)), tolerance=3e-3)
      for n in ("cov", "corrcoef")),
    *(Call(f"call_{n}", (lambda f: lambda a, k: f(*a, mode=CONVOLVE[k["mode"][0]]))(getattr(jnp, n)), vectors, tolerance=2e-3)
      for n in ("convolve", "correlate")),
    Call("call_interp", lambda a, k: jnp.interp(a[0], jnp.sort(a[1]), a[2]), interpolated, grad=False, tolerance=2e-3),
    Call("call_gradient", lambda a, k: jnp.gradient(a[0], 0.5, axis=axes(k)), of_axes(FLOATS + ["c64"], least=1)),
    Call("call_trapezoid", lambda a, k: jnp.trapezoid(a[0], dx=0.5, axis=k["axis"][0]), of_axis(ALL, least=1, optional=False)),
    Call("call_trapezoid_x", lambda a, k: jnp.trapezoid(a[0], a[1]), lambda rng: (
        [Array(rng, REAL, (3, 4)), Array(rng, REAL, rng.choice([(4,), (3, 4)]))], {})),
    Call("call_unwrap", lambda a, k: jnp.unwrap(a[0] * 4, axis=k["axis"][0]), of_axis(["f32"], least=1, optional=False), grad=False),
    *(Call(f"call_{n}", (lambda f: lambda a, k: f(k["n"][0]))(getattr(jnp, n)), numbers(n=(0, 1, 2, 7)))
      for n in "bartlett blackman hamming hanning".split()),
    Call("call_kaiser", lambda a, k: jnp.kaiser(k["n"][0], 2.5), numbers(n=(0, 1, 2, 7))),
]
