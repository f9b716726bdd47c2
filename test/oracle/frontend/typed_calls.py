#===- typed_calls.py - calls of functions on arrays of all types ----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Random calls of functions of jax.numpy and its neighbours: arrays of all element types and ranks, empty ones and
scalars among them. The result's type, with its weakness, and its values are compared, or that both are errors of one
class."""

import random

import jax
import jax.numpy as jnp
import numpy as np

from frontend.program import pulled

TYPES = {"bool": jnp.bool_, "i8": jnp.int8, "i16": jnp.int16, "i32": jnp.int32, "u8": jnp.uint8, "u32": jnp.uint32,
         "bf16": jnp.bfloat16, "f16": jnp.float16, "f32": jnp.float32, "c64": jnp.complex64}
REAL = ["bool", "i8", "i32", "u8", "bf16", "f16", "f32", "f32", "f32"]
ALL = REAL + ["c64"]
INTEGERS = ["i8", "i16", "i32", "i32", "u8", "u32"]
FLOATS = ["bf16", "f16", "f32", "f32", "f32"]
# Errors that JAX does not mean to give: any error of ours will do, and no error, too.
ACCIDENTAL = ("AssertionError", "ZeroDivisionError", "AttributeError", "StopIteration", "KeyError", "UnboundLocalError",
              "OverflowError", "RuntimeError", "XlaRuntimeError", "JaxRuntimeError")
TOLERANCE = {"bf16": 3e-2, "f16": 4e-3}


class Array:
    """An argument: elements, and the line for the server."""

    def __init__(self, rng, types, shape, lo=-3.0, hi=3.0):
        self.kind = types if isinstance(types, str) else rng.choice(types)
        self.shape = tuple(shape)
        numbers = np.random.default_rng(rng.randrange(1 << 30))
        if self.kind == "c64":
            x = np.complex64(numbers.uniform(lo, hi, shape) + 1j * numbers.uniform(lo, hi, shape))
            words = np.concatenate([x.real.ravel(), x.imag.ravel()])
        else:
            x = numbers.uniform(lo, hi, shape)
            if self.kind in INTEGERS:
                x = np.floor(x)
                if self.kind[0] == "u":
                    x = np.abs(x)
            elif self.kind == "bool":
                x = x > (lo + hi) / 2
            x = np.asarray(np.asarray(x, np.float32), TYPES[self.kind])
            words = np.float32(x).ravel()
        self.value = jnp.asarray(x)
        self.line = (f"in {self.kind} {','.join(map(str, self.shape)) or '-'} " + " ".join(repr(float(v)) for v in words))


def shape_of(rng, least=0, most=3, empty=0.06):
    return tuple(0 if rng.random() < empty else rng.choice([1, 2, 3, 4, 5]) for _ in range(rng.randint(least, most)))


def like(rng, shape):
    """A shape that broadcasts with this one."""
    drop = rng.choice([0, 0, 0, len(shape)]) if shape else 0
    return tuple(n if rng.random() < 0.8 else 1 for n in shape[drop:])


class Call:
    """op(arrays, keys): `make` returns the arrays and the keys; `jax` takes both."""

    def __init__(self, op, function, make, grad=True, tolerance=None, eager=False):
        self.op, self.function, self.make, self.grad, self.tolerance = op, function, make, grad, tolerance
        self.eager = eager  # Sizes depend on elements: not traced, and types are not compared.


def unary(types=ALL, lo=-3.0, hi=3.0, **shape):
    return lambda rng: ([Array(rng, types, shape_of(rng, **shape), lo, hi)], {})


def binary(types=ALL, lo=-3.0, hi=3.0, other=None, **options):
    def make(rng):
        shape = shape_of(rng, **options)
        x, y = Array(rng, types, shape, lo, hi), Array(rng, other or types, like(rng, shape), lo, hi)
        return ([x, y] if rng.random() < 0.7 or other else [y, x]), {}
    return make


def an_axis(rng, rank):
    return rng.randrange(-rank, rank) if rank and rng.random() < 0.96 else rng.choice([rank, -rank - 1])


def some_axes(rng, rank):
    """None, or distinct axes."""
    if rng.random() < 0.25 or not rank:
        return {}
    chosen = rng.sample(range(rank), rng.randint(1, rank))
    return {"axes": tuple(a - rank if rng.random() < 0.4 else a for a in chosen)}


def types_text(outs):
    return " ".join(o.aval.str_short(True) + ("*" if o.aval.weak_type else "") for o in outs)


def floats(outs):
    """As frontend_server writes elements: the real and imaginary parts of complex ones side by side."""
    return [np.stack([x.real, x.imag], -1).astype(np.float32) if np.iscomplexobj(x) else np.asarray(x, np.float32)
            for x in map(np.asarray, outs)]


class Program:
    def __init__(self, call, seed):
        rng = random.Random(seed)
        self.call = call
        self.arrays, self.keys = call.make(rng)
        self.keys = {k: v if isinstance(v, tuple) else (v,) for k, v in self.keys.items()}
        self.name = f"{call.op}({', '.join(f'{a.kind}{list(a.shape)}' for a in self.arrays)})" + "".join(
            f" {k}={v}" for k, v in self.keys.items()) + f" seed={seed}"

    def evaluate(self, *ins):
        out = self.call.function(list(ins), self.keys)
        return list(out) if isinstance(out, (tuple, list)) else [out]

    def lines(self, outs):
        count = len(self.arrays)
        keys = "".join(f" {k}={','.join(map(str, v))}" for k, v in self.keys.items() if v)
        return [a.line for a in self.arrays] + [
            f"op {self.call.op} {' '.join(map(str, range(count)))}{keys}",
            "out " + " ".join(str(count + i) for i in range(outs))]


def expected(p):
    """(types, values, cotangents or None), or the text of an error."""
    ins = [a.value for a in p.arrays]
    try:
        outs = p.evaluate(*ins) if p.call.eager else jax.jit(p.evaluate)(*ins)
        types = types_text(outs)
    except Exception as error:  # The class of JAX's error is what is compared.
        return f"{type(error).__name__}: {error}"
    pull = None
    if p.call.grad and not p.call.eager and ins and all(x.dtype == jnp.float32 for x in ins):
        try:
            pull = floats(jax.jit(pulled(p.evaluate))(*ins))
        except Exception:  # Derivatives that JAX does not have.
            pull = None
    return types, floats(outs), pull


def close(mine, theirs, tolerance):
    if isinstance(mine, str):
        return mine
    for a, b in zip(mine, theirs):
        a, b = np.float32(a), np.ravel(b)
        if a.shape != b.shape:
            return f"{a.size} elements, JAX has {b.size}"
        finite = b[np.isfinite(b)]
        scale = max(1.0, float(np.abs(finite).max())) if finite.size else 1.0
        if not np.allclose(a, b, rtol=tolerance, atol=tolerance * 0.1 * scale, equal_nan=True):
            return f"{a}\nJAX: {b}"
    return None


def problem(p, server):
    """What differs, or None."""
    theirs = expected(p)
    outs = len(theirs[0].split(" ")) if not isinstance(theirs, str) and theirs[0] else 1
    if not isinstance(theirs, str) and not theirs[0]:
        return None
    if p.call.eager:
        ours = server.ask("\n".join(p.lines(outs) + ["ask eager:"]))
        if ours is None:
            return "the server ended"
        if isinstance(theirs, str):
            return None if isinstance(ours["eager:"], str) else f"ours: {ours['eager:']}\nJAX: {theirs[:300]}"
        return close(ours["eager:"], theirs[1], 3e-4)
    fields = ["types:", "values:"] + (["values:vjp"] if not isinstance(theirs, str) and theirs[2] is not None else [])
    ours = server.ask("\n".join(p.lines(outs) + ["ask " + " ".join(fields)]))
    if ours is None:
        return "the server ended"
    if isinstance(theirs, str):
        kind = theirs.split(":")[0]
        if kind in ACCIDENTAL or ours["types:"].startswith(kind + ":"):
            return None
        # Classes that derive from others.
        if kind in ("NonConcreteBooleanIndexError", "TypePromotionError", "IndexError", "ValueError", "TypeError", "NotImplementedError") and (
                ours["types:"].split(":")[0] in ("ValueError", "TypeError", "NotImplementedError", "IndexError")):
            return None
        return f"ours: {ours['types:']} {ours['values:']}\nJAX: {theirs[:300]}"
    if ours["types:"] != theirs[0]:
        return f"ours: {ours['types:']}\nJAX: {theirs[0]}"
    tolerance = max([TOLERANCE.get(a.kind, 3e-4) for a in p.arrays] or [3e-4])
    tolerance = max(tolerance, p.call.tolerance or 0)
    wrong = close(ours["values:"], theirs[1], tolerance)
    if wrong is None and theirs[2] is not None:
        wrong = close(ours["values:vjp"], theirs[2], 10 * tolerance)
        wrong = wrong and f"vjp: {wrong}"
    return wrong
