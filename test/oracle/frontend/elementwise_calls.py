#===- elementwise_calls.py - elementwise functions and reductions ---------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Random calls of the functions of elementwise_ops.cc."""

import jax.numpy as jnp

from frontend.typed_calls import (ALL, FLOATS, INTEGERS, REAL, Array, Call, an_axis, binary, like, shape_of, some_axes,
                                  unary)


def axis(k):
    return k["axis"][0] if "axis" in k else None


def axes(k):
    return tuple(k["axes"]) if "axes" in k else None


def of(name):
    function = getattr(jnp, name)
    return lambda a, k: function(*a)


def reduction(types=ALL):
    def make(rng):
        shape = shape_of(rng)
        return [Array(rng, types, shape)], {**some_axes(rng, len(shape)), "keep": rng.choice([0, 1])}
    return make


def along(types=REAL, optional=True, least=0):
    def make(rng):
        shape = shape_of(rng, least=least)
        keys = {} if optional and rng.random() < 0.3 else {"axis": an_axis(rng, len(shape))}
        return [Array(rng, types, shape)], {**keys, "keep": rng.choice([0, 1])}
    return make


def where(rng):
    shape = shape_of(rng)
    return [Array(rng, ["bool", "bool", "i32"], like(rng, shape), -1, 2), Array(rng, ALL, shape), Array(rng, ALL, like(rng, shape))], {}


def clip(rng):
    shape = shape_of(rng)
    return [Array(rng, REAL, shape), Array(rng, REAL, like(rng, shape), -3, 0), Array(rng, REAL, like(rng, shape), 0, 3)], {}


CALLS = [Call(f"call_{name}", of(name), unary(), tolerance=t) for name, t in [
    *((n, None) for n in """exp log1p expm1 sin cos tanh sqrt sinh cosh arctan arcsinh abs absolute fabs square sign floor ceil
    negative positive logical_not sinc degrees radians real imag conjugate rint isposinf isneginf isreal iscomplex isnan
    isinf isfinite nan_to_num ravel zeros_like ones_like log log2 log10 exp2 trunc arccosh""".split()),
    ("reciprocal", 2e-3)]]
CALLS += [Call(f"call_{name}", of(name), unary(lo=-0.9, hi=0.9)) for name in "tan arcsin arccos arctanh".split()]
CALLS += [Call(f"call_{name}", of(name), unary(types=REAL)) for name in "cbrt i0 signbit".split()]
CALLS += [Call(f"call_{name}", of(name), unary(types=["bool"] + INTEGERS + ["f32"])) for name in
          "bitwise_not invert bitwise_count".split()]
CALLS += [Call(f"call_{name}", of(name), binary()) for name in """add subtract multiply true_divide maximum minimum equal
    not_equal less less_equal greater greater_equal logical_and logical_or logical_xor""".split()]
CALLS += [Call(f"call_{name}", of(name), binary(types=REAL)) for name in """remainder fmod floor_divide fmax fmin arctan2
    hypot logaddexp logaddexp2 copysign heaviside divmod""".split()]
CALLS += [Call(f"call_{name}", of(name), binary(types=["bool"] + INTEGERS + ["f32"], lo=0, hi=7), grad=False) for name in
          "bitwise_and bitwise_or bitwise_xor left_shift right_shift".split()]
CALLS += [Call("call_power", of("power"), binary(types=REAL, lo=0.2), tolerance=2e-3),
          Call("call_float_power", of("float_power"), binary(types=REAL, lo=0.2), tolerance=2e-3),
          Call("call_power", of("power"), binary(types=INTEGERS)),
          Call("call_nextafter", of("nextafter"), binary(types=["f32", "bf16", "i32"]), grad=False),
          Call("call_gcd", of("gcd"), binary(types=INTEGERS, lo=-20, hi=20)),
          Call("call_lcm", of("lcm"), binary(types=["i8", "i32", "i32", "u32"], lo=-9, hi=9)),
          Call("call_ldexp", of("ldexp"), binary(types=REAL, other=["i32", "i8", "f32"])),
          Call("call_modf", of("modf"), unary(types=REAL)), Call("call_frexp", of("frexp"), unary(types=REAL)),
          Call("call_array_equal", lambda a, k: jnp.array_equal(*a, equal_nan=bool(k["nan"][0])),
               lambda rng: (binary()(rng)[0], {"nan": rng.choice([0, 1])})),
          Call("call_array_equiv", of("array_equiv"), binary(types=["bool", "i8", "u8"], lo=0, hi=1.2)),
          Call("call_round", lambda a, k: jnp.round(a[0], k["decimals"][0]),
               lambda rng: (unary(types=REAL[1:])(rng)[0], {"decimals": rng.choice([0, 1, 2, -1])}), tolerance=5e-3),
          Call("call_angle", lambda a, k: jnp.angle(a[0], bool(k["deg"][0])),
               lambda rng: (unary(types=ALL)(rng)[0], {"deg": rng.choice([0, 1])})),
          Call("call_where", of("where"), where), Call("call_clip", lambda a, k: jnp.clip(*a), clip)]
CALLS += [Call(f"call_{name}", (lambda f: lambda a, k: f(a[0], axis=axes(k), keepdims=bool(k["keep"][0])))(
    getattr(jnp, name)), reduction(types)) for types, names in ((ALL, "sum mean prod any all nansum nanmean var"),
                                                                (REAL, "max min nanmax nanmin")) for name in names.split()]
CALLS += [Call(f"call_{name}", (lambda f: lambda a, k: f(a[0], axis=axis(k), keepdims=bool(k["keep"][0])))(
    getattr(jnp, name)), along()) for name in ("argmax", "argmin")]
CALLS += [Call("call_cumsum", lambda a, k: jnp.cumsum(a[0], axis(k)), along(ALL))]
CALLS += [Call(f"call_{name}", (lambda f: lambda a, k: f(a[0], axis=axis(k)))(getattr(jnp, name)),
               along(optional=False)) for name in ("sort", "argsort")]
