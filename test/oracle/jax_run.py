#===- jax_run.py - runs every function of JAX on our CPU backend ----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Calls the functions that `jax_functions` enumerates, jitted, plain and under grad, jvp or vmap. Our
results must be those of XLA on the same arguments.

    jax_run.py --list                      the functions
    jax_run.py --function lax.sort -v      only functions whose names contain this
    jax_run.py --mode grad --cases 500

Each function is called once before any is repeated. Functions that JAX cannot trace, lower or run
are skipped. Random numbers must be the same bits; floats are compared at the scale of their array.
"""

import argparse
import collections
import os
import random
import sys

import oracle

oracle.require()
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
# XLA rounds every operation of a 16-bit type, as ours does.
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_allow_excess_precision=false"

import jax
import jax.numpy as jnp
import numpy as np

import jax_corpus
import jax_functions
from ops.engines import Failed, Ours

MODES = ("plain", "grad", "vmap", "jvp")
# From jax_corpus: calls whose arguments cannot be guessed.
FAMILIES = (jax_corpus.convolution, jax_corpus.gather, jax_corpus.scatter, jax_corpus.dot_general, jax_corpus.ragged_dot,
            jax_corpus.window, jax_corpus.reduction, jax_corpus.control)  # fmt: skip
# Not narrower types: XLA rounds intermediate sums of these.
RTOL = {"float64": 1e-9, "float32": 1e-4, "float16": 2e-2, "bfloat16": 6e-2, "float4_e2m1fn": 1.0}

# The allowed difference between two correct results.
LOOSE = {
    "numpy.histogram2d": "its edges are sums that XLA contracts, and whole numbers lie on them",
    "numpy.histogramdd": "the same",
    "scipy.stats.cauchy.isf": "of whole numbers: a tangent at its poles",
    "scipy.stats.cauchy.ppf": "the same",
    "numpy.empty": "its elements are not defined",
    "numpy.empty_like": "its elements are not defined",
    "lax.empty": "its elements are not defined",
    "scipy.special.hyp2f1": "its series overflow",
    "lax.linalg.eigh": "the vectors of a repeated eigenvalue, which arguments that are broadcast have",
    "numpy.linalg.eigh": "the same",
    "scipy.linalg.eigh": "the same",
    "lax.rng_uniform": "its generator is its own",
}


def to_bytes(array):
    array = np.ascontiguousarray(array)
    if array.dtype in (np.dtype(jnp.int4), np.dtype(jnp.int2)):
        array = array.astype(np.int8)
    return array.tobytes()


def from_bytes(data, at, shape, dtype):
    wide = np.int8 if dtype in (np.dtype(jnp.int4), np.dtype(jnp.int2)) else dtype
    count = int(np.prod(shape))
    found = np.frombuffer(data, wide, count, at).astype(dtype).reshape(shape)
    return found, at + count * np.dtype(wide).itemsize


def sample(rng, array):
    """Returns values for a traced argument."""
    draw, shape, dtype = np.random.default_rng(rng.getrandbits(32)), array.shape, array.dtype
    if jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key):
        data = jax.eval_shape(jax.random.key_data, array)
        return jax.random.wrap_key_data(
            draw.integers(0, 2**32, data.shape, np.uint32), impl=jax.random.key_impl(
                jax.random.key(0, impl=dtype._impl.name)))  # fmt: skip
    dtype = np.dtype(jax.dtypes.canonicalize_dtype(dtype))
    if dtype == np.bool_:
        return draw.random(shape) < 0.5
    if jnp.issubdtype(dtype, jnp.integer):
        info = jnp.iinfo(dtype)
        return draw.integers(max(int(info.min), -3), min(int(info.max), 7), shape, endpoint=True).astype(dtype)
    values = draw.standard_normal(shape)
    values = np.abs(values) + 0.1 if rng.random() < 0.4 else values * 2
    if jnp.issubdtype(dtype, jnp.complexfloating):
        values = values + 1j * draw.standard_normal(shape)
    return values.astype(dtype)


def plain(array):
    """Returns the array for numpy: keys as their bits, tangents of integers as false."""
    if array.dtype == jax.dtypes.float0:
        return np.zeros(array.shape, bool)
    is_key = jax.dtypes.issubdtype(array.dtype, jax.dtypes.prng_key)
    return np.asarray(jax.random.key_data(array) if is_key else array)


def inexact(array):
    return not jax.dtypes.issubdtype(array.dtype, jax.dtypes.prng_key) and jnp.issubdtype(array.dtype, jnp.inexact)


def total(tree):
    """Returns a number that depends on every inexact leaf, differently on each element."""
    parts = [jnp.sum(jnp.real(leaf) * jnp.cos(1.0 + jnp.arange(leaf.size).reshape(leaf.shape))
                     .astype(jnp.real(leaf).dtype)).astype(jnp.float32)
             for leaf in jax.tree.leaves(tree) if inexact(leaf)]  # fmt: skip
    return sum(parts)


def transformed(mode, function, arrays):
    """Returns the function under a transformation. None if it does not apply."""
    wrt = tuple(i for i, a in enumerate(arrays) if inexact(a))
    if mode == "plain":
        return function, arrays
    if mode == "vmap":
        doubled = [jax.ShapeDtypeStruct((3, *a.shape), a.dtype) for a in arrays]
        return (jax.vmap(function), doubled) if arrays else None
    if not wrt:
        return None
    if mode == "grad":
        if any(jnp.issubdtype(arrays[i].dtype, jnp.complexfloating) for i in wrt):
            return jax.grad(lambda *a: total(function(*a)), argnums=wrt, holomorphic=False), arrays
        return jax.grad(lambda *a: total(function(*a)), argnums=wrt), arrays

    def jvp(*a):
        chosen = lambda *w: function(*[w[wrt.index(i)] if i in wrt else x for i, x in enumerate(a)])
        return jax.jvp(chosen, [a[i] for i in wrt], [jnp.ones_like(a[i]) for i in wrt])

    return jvp, arrays


def magnitude(array):
    if not jnp.issubdtype(array.dtype, jnp.inexact):
        return 0.0
    with np.errstate(all="ignore"):
        sizes = np.abs(array.astype(np.complex128))
    return float(np.max(sizes, where=np.isfinite(sizes), initial=0))


def tolerance(arrays):
    """Returns the tolerance of the narrowest type."""
    names = [{"complex64": "float32", "complex128": "float64"}.get(a.dtype.name, a.dtype.name) for a in arrays
             if jnp.issubdtype(a.dtype, jnp.inexact)]  # fmt: skip
    return max((RTOL.get(n, 0.26) for n in names), default=0.0)


def differs(want, got, rtol, floor):
    """floor: magnitude below which errors are ignored, for large terms that cancel."""
    if want.dtype == np.bool_ or jnp.issubdtype(want.dtype, jnp.integer):
        return not np.array_equal(want, got)
    kind = np.complex128 if jnp.issubdtype(want.dtype, jnp.complexfloating) else np.float64
    a, b = want.astype(kind), got.astype(kind)
    with np.errstate(all="ignore"):
        finite = np.isfinite(a) & np.isfinite(b)
        scale = np.max(np.abs(a), where=finite, initial=0)
        close = np.abs(a - b) <= rtol * np.abs(a) + rtol * (0.1 * scale + floor)
        same = (a == b) | (np.isnan(a) & np.isnan(b)) | (finite & close)
    return not same.all()


class Run:
    def __init__(self, args, tally):
        self.args, self.tally, self.ours = args, tally, Ours()
        self.unsupported = collections.defaultdict(list)
        self.functions, self.not_cases = set(), 0

    def case(self, name, function, seed, mode):
        rng = random.Random(f"{seed} {name} {mode}")
        if function in FAMILIES:
            made, arrays = function(rng)
            call = jax_functions.Call(name, made, list(arrays))
        else:  # 8-bit derivatives have no accuracy, and batches of them have crashed XLA.
            kinds = {"plain": (None,), "vmap": ("float", "float", "int", "complex")}.get(mode, ("float", "float", "complex"))
            kind = rng.choice(kinds)
            call = jax_functions.guess(name, function, rng, kind)
        if call is None:
            self.not_cases += 1
            return
        label = f"{call.name} {mode} (--seed {seed} --function {name} --mode {mode})"
        try:
            made = transformed(mode, call.function, call.arrays)
            if made is None:
                return
            traced, arrays = made
            arguments = [sample(rng, a) for a in arrays]
            jitted = jax.jit(traced, keep_unused=True)
            text = jitted.lower(*arguments).as_text()
            expected = [plain(r) for r in jax.tree.leaves(jitted(*arguments))]
        except Exception:  # limits of JAX
            self.not_cases += 1
            return
        if not expected:
            return
        raw = [plain(a) for a in arguments]
        self.functions.add(name)
        try:
            payload = self.ours.exchange(text, b"".join(map(to_bytes, raw)))
        except Failed as failed:
            if failed.kind == "compile":
                self.unsupported[failed.message.splitlines()[0][-160:]].append(call.name)
                if "xla_ffi_python_cpu_callback" in failed.message:  # calls Python, which cannot be exported
                    return
            return self.tally.fail(label, f"{failed.kind}: {failed.message}\nprogram:\n{text[:6000]}")
        at, floor = 0, max([0.02 * magnitude(a) for a in raw] + [0.1 * magnitude(r) for r in expected])
        for i, want in enumerate(expected):
            got, at = from_bytes(payload, at, want.shape, want.dtype)
            if name not in LOOSE and differs(want, got, tolerance([*raw, want]), floor):
                message = f"result {i}:\nexpected {want!r}\ngot {got!r}"
                if self.args.verbose:
                    message += f"\narguments {raw!r}\nprogram:\n{text[:8000]}"
                return self.tally.fail(label, message)
        self.tally.ok()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="say which functions there are, run nothing")
    parser.add_argument("--function", action="append", help="only those with this in their names")
    parser.add_argument("--mode", action="append", choices=MODES, help="only this transformation")
    parser.add_argument("--x64", action="store_true", help="with types of 64 bits")
    parser.add_argument("--show", type=int, default=6, help="failures shown in full (6)")
    parser.add_argument("-v", "--verbose", action="store_true", help="print the programs of failures")
    args = oracle.arguments(__doc__, cases=60, long_cases=6000, parser=parser)
    jax.config.update("jax_enable_x64", args.x64)
    functions = [(f"jax_corpus.{f.__name__}", f) for f in FAMILIES] + jax_functions.functions()
    functions = [(n, f) for n, f in functions if not args.function or any(w in n for w in args.function)]
    if args.list:
        print("\n".join(n for n, _ in functions))
        return
    if not functions:
        sys.exit("no function matches")
    modes = args.mode or MODES
    tally = oracle.Tally("jax_run", show=args.show)
    run = Run(args, tally)
    mixed = [(n, f, m) for n, f in functions for m in modes]
    random.Random(1).shuffle(mixed)
    try:
        for k in range(args.cases if not args.function else min(args.cases, len(mixed) * 4)):
            name, function, mode = mixed[(args.seed + k) % len(mixed)]
            run.case(name, function, (args.seed + k) // len(mixed), mode)
    finally:
        run.ours.stop()
    for message, names in sorted(run.unsupported.items()):
        print(f"unsupported: {message} ({len(names)}: {' '.join(sorted(set(names))[:6])})")
    print(f"jax_run: {len(run.functions)} of {len(functions)} functions called, {run.not_cases} guesses that JAX refused")
    tally.finish()


if __name__ == "__main__":
    main()
