#===- draw_calls.py - random numbers of all types, and norms --------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Random calls of the functions of draw_ops.cc: random numbers of all element types, distributions with arrays of parameters,
norms of all orders."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import random

from frontend.elementwise_calls import axes
from frontend.typed_calls import FLOATS, REAL, Array, Call, like, shape_of, some_axes

# By number, as in draw_ops.cc.
DTYPES = [jnp.float32, jnp.float16, jnp.bfloat16, jnp.int8, jnp.uint8, jnp.int16, jnp.int32, jnp.uint32, jnp.complex64]
FLOATING, INTEGRAL = (0, 1, 2), (3, 4, 5, 6, 7)
ORDERS = [0, 1, -1, 2, -2, 3, 0.5, 2.5, np.inf, -np.inf, -3]


def key(k):
    return random.key(k["seed"][0])


def shape(k):
    return tuple(k["shape"]) if "shape" in k else None


def dtype(k):
    return DTYPES[k["dtype"][0]]


def typed(types, arrays=lambda rng, shape: [], **more):
    """Keys of a draw, and arrays that broadcast to its shape."""
    def make(rng):
        shape = tuple(rng.choice([1, 2, 3, 5]) for _ in range(rng.randint(1, 3)))
        found = {"seed": rng.randrange(1000), "shape": shape, "dtype": rng.choice(types)}
        return arrays(rng, shape), found | {name: rng.choice(values) for name, values in more.items()}
    return make


def with_parameters(types, *ranges):
    """Parameters in these ranges; the result's shape is given, or theirs."""
    def make(rng):
        shape = shape_of(rng, empty=0.03)
        arrays = [Array(rng, REAL[6:] if rng.random() < 0.9 else "i32", shape if not i else like(rng, shape), lo, hi)
                  for i, (lo, hi) in enumerate(ranges)]
        found = {"seed": rng.randrange(1000), "dtype": rng.choice(types)}
        if rng.random() < 0.4 and shape:
            found["shape"] = (2, *shape) if rng.random() < 0.9 else (7,) * (len(shape) + 1)
        return arrays, found
    return make


def dirichlet(rng):
    arrays, found = with_parameters((0, 0, 0, 1, 2), (0.2, 4))(rng)
    if "shape" in found:
        found["shape"] = found["shape"][:-1]
        if not found["shape"]:
            del found["shape"]
    return arrays, found


def bounds(rng):
    arrays, found = typed(INTEGRAL)(rng)
    return arrays, found | {"bounds": rng.choice([(0, 10), (-5, 9), (4, 5), (7, 3), (0, 100), (-300, 300), (0, 128), (0, 256), (-128, 127),
                                                  (-2**31, 2**31 - 1)])}


def two_bounds(rng, shape):
    return [Array(rng, "f32", like(rng, shape), -2, 0), Array(rng, "f32", rng.choice([(), shape]), -3, 1)]


def normed(rng):
    x = Array(rng, ["f32", "f32", "c64", "i32", "bf16"], shape_of(rng, least=1, empty=0.03), -3, 3)
    return [x], {**some_axes(rng, len(x.shape)), "order": rng.randrange(len(ORDERS)), "keep": rng.choice([0, 1])}


def vectors(rng):
    """Integers where JAX takes them."""
    arrays, found = normed(rng)
    if arrays[0].kind == "i32":
        found["order"] = rng.choice([1, 8, 9])
    return arrays, found


def matrices(rng):
    return [Array(rng, ["f32", "c64"], rng.choice([(2, 3), (3, 3), (2, 3, 2)]))], {"order": rng.randrange(len(ORDERS)), "keep": rng.choice([0, 1])}


def draw(name, *between, tolerance=None, types=FLOATING):
    function = getattr(random, name)
    return Call(f"typed_draw_{name}", lambda a, k: function(key(k), *between, shape=shape(k), dtype=dtype(k)), typed(types),
                tolerance=tolerance or (2e-2 if set(types) & {1, 2} else None))


def parametrized(name, *ranges, types=(0, 0, 0, 1, 2), tolerance=3e-2, grad=True):
    function = getattr(random, name)
    return Call(f"draw_{name}", lambda a, k: function(key(k), *a, shape=shape(k), dtype=dtype(k)), with_parameters(types, *ranges),
                tolerance=tolerance, grad=grad)


CALLS = [
    *(draw(n) for n in "gumbel exponential laplace logistic cauchy maxwell".split()),
    draw("uniform"), draw("normal", types=(0, 1, 2, 8)), draw("rademacher", types=INTEGRAL[:1] + INTEGRAL[2:4]),
    Call("typed_draw_uniform_between", lambda a, k: random.uniform(key(k), shape(k), dtype(k), a[0], a[1] + 4.0),
         typed(FLOATING, two_bounds), tolerance=2e-2),
    Call("typed_draw_truncated_normal", lambda a, k: random.truncated_normal(key(k), a[0], a[1] + 4.0, shape(k), dtype(k)),
         typed((0, 0, 1), two_bounds), tolerance=4e-2, grad=False),
    Call("typed_draw_bernoulli", lambda a, k: random.bernoulli(key(k), a[0], shape(k)), lambda rng: (
        lambda s: ([Array(rng, FLOATS, s, 0, 1)], {"seed": rng.randrange(99)} | ({"shape": (3, *s)} if rng.random() < 0.5 else {})))(
            shape_of(rng, empty=0)), grad=False),
    Call("typed_draw_randint", lambda a, k: random.randint(key(k), shape(k), *k["bounds"], dtype=dtype(k)), bounds),
    Call("typed_draw_categorical", lambda a, k: random.categorical(key(k), a[0]), lambda rng: (
        [Array(rng, ["f32", "f16", "bf16"], (3, 5))], {"seed": rng.randrange(99)}), grad=False),
    draw("lognormal", 0.5), draw("pareto", 2.5), draw("rayleigh", 1.5), draw("weibull_min", 1.5, 2.5),
    draw("triangular", -1, 0.5, 2), draw("double_sided_maxwell", 0.5, 2),
    draw("wald", 1.5, tolerance=5e-2), draw("geometric", 0.3, types=INTEGRAL),
    parametrized("gamma", (0.1, 6)), parametrized("loggamma", (0.1, 6)), parametrized("beta", (0.3, 4), (0.3, 4)),
    parametrized("chisquare", (1, 6)), parametrized("f", (2, 6), (2, 6), types=(0,)), parametrized("t", (1, 6)),
    Call("draw_dirichlet", lambda a, k: random.dirichlet(key(k), a[0], shape(k), dtype(k)), dirichlet, tolerance=3e-2),
    Call("draw_generalized_normal", lambda a, k: random.generalized_normal(key(k), 1.5, shape(k), dtype(k)), typed(FLOATING), tolerance=3e-2),
    Call("draw_ball", lambda a, k: random.ball(key(k), 3, 1.5, shape(k), dtype(k)), typed(FLOATING), tolerance=3e-2),
    parametrized("poisson", (0, 40), types=(6, 6, 5), tolerance=1e-6, grad=False),
    parametrized("binomial", (0, 60), (0, 1), types=(0,), tolerance=1e-6, grad=False),
    Call("draw_multinomial", lambda a, k: random.multinomial(key(k), a[0], jax.nn.softmax(a[1])), lambda rng: (
        lambda s: ([Array(rng, "f32", rng.choice([(), s]), 0, 40), Array(rng, "f32", (*s, 4))], {"seed": rng.randrange(99)}))(
            rng.choice([(), (3,)])), grad=False),
    Call("draw_key_impl", lambda a, k: jnp.int32(random.key_impl(key(k)) == "threefry2x32"), lambda rng: ([], {"seed": 1})),
    Call("norm_of_order", lambda a, k: jnp.linalg.norm(a[0], ORDERS[k["order"][0]], axes(k), bool(k["keep"][0])), normed, tolerance=4e-3),
    Call("norm_of_vectors", lambda a, k: jnp.linalg.vector_norm(a[0], axis=axes(k), ord=ORDERS[k["order"][0]], keepdims=bool(k["keep"][0])),
         vectors, tolerance=4e-3),
    Call("norm_of_matrices", lambda a, k: jnp.linalg.matrix_norm(a[0], ord=ORDERS[k["order"][0]], keepdims=bool(k["keep"][0])), matrices,
         tolerance=3e-3),
    Call("norm_nuclear", lambda a, k: jnp.linalg.matrix_norm(a[0], ord="nuc", keepdims=bool(k["keep"][0])), matrices, tolerance=3e-3),
]
