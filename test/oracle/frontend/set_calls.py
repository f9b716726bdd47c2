#===- set_calls.py - sets, orders, products and polynomials ---------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Random calls of the functions of set_ops.cc."""

import jax.numpy as jnp
import numpy as np
import jax.scipy.special as sp
from jax import nn

from frontend.arrange_calls import keys
from frontend.elementwise_calls import axes
from frontend.typed_calls import ALL, FLOATS, INTEGERS, REAL, Array, Call, an_axis, binary, like, shape_of, some_axes, unary


def sized(types, sizes, lo=-1.5, hi=1.5):
    """An array with zeros, and how many elements are wanted."""
    return keys(unary(types, lo, hi), size=sizes, fill=(0, -1, 7))


def known(k, name):
    return np.array(k[name], np.int32)


def lists(rng):
    return [], {name: tuple(rng.randint(0, 5) for _ in range(rng.randint(1, 7))) for name in ("x", "y")}


def of_known(function):
    return lambda a, k: function(known(k, "x"), known(k, "y"))


def two_of_a_shape(rng):
    shape = shape_of(rng, least=1)
    return [Array(rng, INTEGERS[:4], shape, 0, 3), Array(rng, REAL, shape)], {"axis": an_axis(rng, len(shape))}


def crossed(rng):
    rest = rng.choice([(), (2,)])
    return [Array(rng, ALL[1:], rest + (rng.choice([2, 3]),)), Array(rng, ALL[1:], rest + (rng.choice([2, 3, 3, 4]),))], {"axis": -1}


def vectors(rng):
    shape = shape_of(rng, least=1, empty=0)
    return [Array(rng, ALL[1:], shape), Array(rng, ALL[1:], shape)], {"axis": an_axis(rng, len(shape))}


def matrices(*shapes):
    return lambda rng: ([Array(rng, ["f32", "c64", "i32"], shape) for shape in rng.choice(shapes)], {})


def coefficients(rng):
    return [Array(rng, REAL[1:], (rng.choice([1, 2, 4]),)), Array(rng, REAL[1:], (rng.choice([1, 3]),))], {}


def unique(a, k):
    return jnp.unique(a[0], return_index=True, return_inverse=True, return_counts=True, size=k["size"][0])


def plus_identity(x):
    return x + jnp.reshape(4.0 * jnp.eye(6), x.shape)


def inserted(rng):
    shape = shape_of(rng, least=1, empty=0)
    x = Array(rng, ALL, shape)
    axis = {} if rng.random() < 0.3 else {"axis": an_axis(rng, len(shape))}
    flat = "axis" not in axis
    n = x.value.size if flat else shape[axis["axis"][0] if isinstance(axis["axis"], tuple) else axis["axis"]] if -len(shape) <= axis["axis"] < len(shape) else 1
    if rng.random() < 0.4:
        at = Array(rng, "i32", (), -n, n + 1)
        values = Array(rng, ALL, () if rng.random() < 0.6 or len(shape) > 1 and not flat else (rng.choice([1, 2]),))
    else:
        count = rng.choice([1, 2, 3])
        at = Array(rng, "i32", (count,), -n, n + 1)
        values = Array(rng, ALL, ())
    return [x, at, values], axis


def along(function):
    return lambda a, k: function(a[0], k["axis"][0])


def packed(types):
    def make(rng):
        shape = shape_of(rng, least=1, most=2)
        shape = shape[:-1] + (rng.choice([0, 1, 7, 8, 9, 17]),)
        found = {"little": rng.choice([0, 1])} | ({} if rng.random() < 0.3 else {"axis": an_axis(rng, len(shape))})
        return [Array(rng, types, shape, 0, 200)], found | ({"size": rng.choice([0, 3, 40])} if rng.random() < 0.4 else {})
    return make


def piecewise(a, k):
    functions = [lambda x: -x, lambda x: 2] + ([lambda x: x * x] if k["default"][0] else [])
    return jnp.piecewise(a[0], [jnp.asarray(a[0] < 0), jnp.broadcast_to(a[1] > 0, a[0].shape)], functions)


def eig(a, k):
    w, v = jnp.linalg.eig(a[0])
    return jnp.abs(a[0] @ v - v * jnp.expand_dims(w, -2)) < 1e-4, jnp.sort(jnp.abs(w))


def order(k):
    return "little" if k["little"][0] else "big"


CALLS = [
    Call("piece_piecewise", piecewise, lambda rng: (lambda s: ([Array(rng, REAL[1:], s), Array(rng, "f32", rng.choice([s, ()]))], {
        "default": rng.choice([0, 1])}))(shape_of(rng))),
    Call("piece_along_axis", lambda a, k: jnp.apply_along_axis(lambda x: jnp.stack([jnp.cumsum(x), x * x.sum()]), k["axis"][0], a[0]),
         lambda rng: (lambda s: ([Array(rng, FLOATS, s)], {"axis": an_axis(rng, len(s))}))(shape_of(rng, least=1, empty=0)), tolerance=3e-3),
    Call("piece_over_axes", lambda a, k: jnp.apply_over_axes(jnp.sum, a[0], k["axes"]), lambda rng: (
        [Array(rng, FLOATS, (2, 3, 4))], {"axes": rng.choice([(0,), (0, 2), (-1, 1)])}), tolerance=2e-3),
    Call("piece_insert", lambda a, k: jnp.insert(a[0], a[1], a[2], k["axis"][0] if "axis" in k else None), inserted),
    Call("piece_packbits", lambda a, k: jnp.packbits(a[0], k["axis"][0] if "axis" in k else None, order(k)), packed(["bool", "u8", "i32", "f32"])),
    Call("piece_unpackbits", lambda a, k: jnp.unpackbits(a[0], k["axis"][0] if "axis" in k else None, k["size"][0] if "size" in k else None,
                                                         order(k)), packed(["u8"] * 5 + ["i32"])),
    Call("poly_poly", lambda a, k: jnp.poly(a[0]), lambda rng: ([Array(rng, ["f32", "i32", "c64"], (rng.choice([0, 1, 2, 4]),))], {}), tolerance=3e-3),
    Call("poly_polydiv", lambda a, k: jnp.polydiv(a[0], a[1] + 2), lambda rng: (
        [Array(rng, FLOATS, (rng.choice([1, 3, 5]),)), Array(rng, FLOATS, (rng.choice([1, 2, 3]),), 0, 1)], {}), tolerance=5e-3),
    Call("product_eigvals", lambda a, k: jnp.sort(jnp.linalg.eigvals(a[0]).real), matrices(((3, 3),), ((2, 4, 4),), ((2, 3),)), tolerance=5e-3),
    Call("product_eig", eig, matrices(((3, 3),), ((2, 2, 2),)), grad=False, tolerance=5e-3),
    *(Call(f"special_{n}", (lambda f: lambda a, k: f(*a))(getattr(sp, n)), binary(REAL, 0.2, 6), tolerance=2e-3) for n in ("gammainc", "gammaincc")),
    Call("special_betainc", lambda a, k: sp.betainc(*a), lambda rng: (lambda s: (
        [Array(rng, FLOATS, s, 0.3, 4), Array(rng, FLOATS, like(rng, s), 0.3, 4), Array(rng, FLOATS, like(rng, s), 0.05, 0.95)], {}))(shape_of(rng)),
        tolerance=2e-3),
    Call("special_comb", lambda a, k: sp.comb(a[0], a[1], repetition=bool(k["again"][0])), keys(binary(REAL, 0, 7), again=(0, 1)), tolerance=5e-3),
    Call("set_nonzero", lambda a, k: jnp.nonzero(a[0], size=k["size"][0], fill_value=k["fill"][0]), sized(REAL, (0, 1, 4, 9))),
    Call("set_flatnonzero", lambda a, k: jnp.flatnonzero(a[0], size=k["size"][0], fill_value=k["fill"][0]), sized(REAL, (0, 3, 9))),
    Call("set_argwhere", lambda a, k: jnp.argwhere(a[0], size=k["size"][0], fill_value=k["fill"][0]), sized(REAL, (1, 4))),
    Call("set_extract", lambda a, k: jnp.extract(a[0], a[1], size=k["size"][0]), lambda rng: (
        lambda s: ([Array(rng, "bool", s), Array(rng, REAL, s)], {"size": rng.choice([1, 3, 8])}))(shape_of(rng, empty=0))),
    Call("set_unique", unique, keys(unary(INTEGERS + ["f32"], -3, 3, empty=0), size=(1, 3, 6))),
    Call("set_isin", lambda a, k: jnp.isin(a[0], a[1], invert=bool(k["invert"][0])), keys(
        lambda rng: ([Array(rng, INTEGERS, shape_of(rng), 0, 5), Array(rng, INTEGERS, shape_of(rng), 0, 5)], {}), invert=(0, 1))),
    Call("set_lexsort", lambda a, k: jnp.lexsort(tuple(a), k["axis"][0]), two_of_a_shape),
    Call("known_unique", lambda a, k: jnp.unique(known(k, "x")), lists, eager=True),
    Call("known_nonzero", lambda a, k: jnp.nonzero(known(k, "x"))[0], lists, eager=True),
    Call("known_compress", lambda a, k: jnp.compress(known(k, "x") > 2, a[0], k["axis"][0]), lambda rng: (
        [Array(rng, ALL, (4, 3))], {"x": tuple(rng.randint(0, 5) for _ in range(3)), "axis": rng.choice([0, 1, -1])}), eager=True),
    *(Call(f"known_{n}", of_known(getattr(jnp, n)), lists, eager=True) for n in "union1d intersect1d setdiff1d setxor1d".split()),
    Call("product_cross", lambda a, k: jnp.cross(*a, axis=k["axis"][0]), crossed),
    Call("product_vecdot", lambda a, k: jnp.vecdot(*a, axis=k["axis"][0]), vectors, tolerance=2e-3),
    Call("product_matvec", lambda a, k: jnp.matvec(*a), matrices(((2, 3), (3,)), ((2, 2, 3), (2, 3)), ((2, 3), (4, 3))), tolerance=2e-3),
    Call("product_vecmat", lambda a, k: jnp.vecmat(*a), matrices(((2,), (2, 3)), ((2, 3), (2, 3, 2))), tolerance=2e-3),
    Call("product_multi_dot", lambda a, k: jnp.linalg.multi_dot(a), matrices(((2, 3), (3, 4), (4, 2)), ((2, 2), (2, 2))), tolerance=5e-3),
    Call("product_svdvals", lambda a, k: jnp.linalg.svdvals(a[0]), matrices(((2, 3),), ((2, 3, 3),)), grad=False, tolerance=2e-3),
    Call("product_cond", lambda a, k: jnp.linalg.cond(a[0]), matrices(((3, 3),), ((2, 3, 3),)), grad=False, tolerance=2e-2),
    Call("product_tensorinv", lambda a, k: jnp.linalg.tensorinv(plus_identity(a[0]), k["n"][0]),
         keys(lambda rng: ([Array(rng, "f32", rng.choice([(2, 3, 6), (6, 3, 2)]), -1, 1)], {}), n=(1, 2)), tolerance=5e-3),
    Call("product_tensorsolve", lambda a, k: jnp.linalg.tensorsolve(plus_identity(a[0]), a[1]), lambda rng: (
        [Array(rng, "f32", (2, 3, 6), -1, 1), Array(rng, "f32", (2, 3))], {}), tolerance=5e-3),
    Call("poly_polyval", lambda a, k: jnp.polyval(*a), lambda rng: (
        [Array(rng, REAL[1:], (rng.choice([1, 2, 4]),)), Array(rng, REAL[1:], shape_of(rng))], {}), tolerance=3e-3),
    *(Call(f"poly_{n}", (lambda f: lambda a, k: f(*a))(getattr(jnp, n)), coefficients, tolerance=2e-3)
      for n in "polyadd polysub polymul".split()),
    *(Call(f"poly_{n}", (lambda f: lambda a, k: f(a[0], k["m"][0]))(getattr(jnp, n)), keys(
        lambda rng: (coefficients(rng)[0][:1], {}), m=(0, 1, 2)), tolerance=2e-3) for n in ("polyder", "polyint")),
    Call("nn_log1mexp", lambda a, k: nn.log1mexp(a[0]), unary(FLOATS, 0.1, 4), tolerance=2e-3),
    Call("nn_logmeanexp", lambda a, k: nn.logmeanexp(a[0], axis=axes(k), keepdims=bool(k["keep"][0])), keys(
        lambda rng: (lambda s: ([Array(rng, FLOATS, s)], some_axes(rng, len(s))))(shape_of(rng, empty=0)), keep=(0, 1))),
    *(Call(f"nn_{n}", (lambda f: lambda a, k: f(a[0]))(getattr(nn, n)), unary(REAL[1:])) for n in ("sparse_plus", "sparse_sigmoid")),
]
