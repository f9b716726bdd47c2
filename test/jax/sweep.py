#===- sweep.py - public functions of JAX on both platforms --------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Calls the public functions of jax.lax, jax.numpy, jax.nn, jax.random, jax.scipy, jax.ops and
jax.image on our devices and on JAX's CPU, and compares as in closeness.py. Arguments are guessed
from the names of parameters (test/oracle/jax_functions.py) or explicit (sweep_calls.py). A case is
function/way: under jit, the same with other element types (types), without jit (eager), or under
jit with arguments sharded over 8 devices.

    sweep.py                              a sample, and checks that docs/jax-support.md is up to date
    sweep.py --long                       all of them; --update writes docs/jax-support.md
    sweep.py numpy.sort/types             one case

A call that JAX's CPU refuses, and a function without known arguments, is not counted. An eager call
compiles every operation of the function separately."""

import inspect
import os
import pkgutil
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "oracle"))

import jax
import jax.numpy as jnp
import jax.scipy.cluster.vq
import jax.scipy.interpolate
import jax.scipy.ndimage
import jax.scipy.optimize
import jax.scipy.sparse.linalg
import jax.scipy.spatial.transform
import jax_functions
import jax_run
import numpy as np
import sweep_report
from both import J10, arguments, case, cases, child, outcomes
from jax.sharding import NamedSharding, PartitionSpec
from sweep_calls import CALLS, NOT_CALLED

SAMPLE = 80
WAYS = ("jit", "types", "eager", "sharded")
KINDS = ("float32", "int", "complex", "half", "wide", "small")
NOTHING = "no arguments found"

MODULES = [
    jax.lax, jax.lax.linalg, jnp, jnp.linalg, jnp.fft, jax.nn, jax.nn.initializers, jax.random, jax.scipy.cluster.vq,
    jax.scipy.fft, jax.scipy.integrate, jax.scipy.interpolate, jax.scipy.linalg, jax.scipy.ndimage, jax.scipy.optimize,
    jax.scipy.signal, jax.scipy.sparse.linalg, jax.scipy.spatial.transform, jax.scipy.special, jax.scipy.stats,
    *(getattr(jax.scipy.stats, m.name) for m in pkgutil.iter_modules(jax.scipy.stats.__path__) if m.name[0] != "_"),
    jax.ops, jax.image,
]  # fmt: skip


def public():
    """Returns {qualified name: function} of public callables; calling a type converts to it."""
    found, seen = {}, set()
    for module in MODULES:
        for name in sorted(dir(module)):
            value, full = getattr(module, name), f"{module.__name__.removeprefix('jax.')}.{name}"
            if name.startswith("_") or not callable(value) and full not in CALLS or id(value) in seen:
                continue
            is_type = isinstance(value, type(jnp.float32)) and hasattr(value, "dtype")
            if inspect.isclass(value) and not is_type and full not in CALLS:
                continue
            if getattr(value, "__module__", "").startswith("typing") or inspect.ismodule(value):
                continue
            seen.add(id(value))
            found[full] = value
    found.update((name, None) for name in CALLS if ".Rotation." in name)
    return found


PUBLIC = public()


def make(name, way):
    """Returns (function, values, whether they have 64 bits), or None. The result is the same on both
    platforms."""
    rng = random.Random(f"{name}/{way}")
    kinds = [*KINDS[:1], *rng.sample(KINDS[1:], 5)] if way == "jit" else rng.sample(KINDS, 6)
    if way == "types":  # another case tests float32
        kinds.sort(key="float32".__eq__)
    for kind in kinds:
        with jax.enable_x64(kind == "wide"):
            if name in CALLS:
                dtype = jax.dtypes.canonicalize_dtype(rng.choice(jax_functions.KINDS[kind]))
                function, *arrays = CALLS[name](jax_functions.Guess(rng, dtype, way == "sharded"))
            else:
                call = jax_functions.guess(name, PUBLIC[name], rng, kind, even=way == "sharded")
                if call is None:
                    continue
                function, arrays = call.function, call.arrays
            return function, [jax_run.sample(rng, array) for array in arrays], kind == "wide"
    return None


def _sharded(value, rng):
    """Distributes the array over all devices: its dimensions along axes that divide them, sometimes
    along none."""
    mesh, left = jax.make_mesh((4, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2), ["x", "y"]
    spec = []
    for size in np.shape(value):
        axis = next((a for a in left if size and size % mesh.shape[a] == 0), None)
        if axis is not None and rng.random() < 0.75:
            left.remove(axis)
        else:
            axis = None
        spec.append(axis)
    return jax.device_put(value, NamedSharding(mesh, PartitionSpec(*spec)))


def _wide(value):
    if jax.dtypes.issubdtype(value.dtype, jax.dtypes.prng_key) or not jnp.issubdtype(value.dtype, jnp.inexact):
        return value
    return np.asarray(value).astype(np.complex128 if value.dtype.kind == "c" else np.float64)


def _add(name, way):
    def run(as_float64=False):
        with jax.enable_x64(False):
            made = make(name, way)
        if made is None:
            return NOTHING
        function, values, x64 = made
        if way == "sharded":
            rng = random.Random(name)
            values = [_sharded(value, rng) for value in values]
        if as_float64:
            return jax.jit(function)(*map(_wide, values))
        with jax.enable_x64(x64):
            result = (function if way == "eager" else jax.jit(function))(*values)
            return jax.tree.map(lambda r: r if hasattr(r, "dtype") else str(r), result)

    run.__name__ = f"{name}/{way}"
    case(run, close=True, truth=lambda: run(as_float64=True))


for _name in PUBLIC:
    if _name not in NOT_CALLED:
        for _way in WAYS:
            _add(_name, _way)


def main():
    args = arguments(__doc__, lambda parser: parser.add_argument("--update", action="store_true", help="write the document"))
    if args.child:
        return child(args)
    import oracle

    tally = oracle.Tally("jax/sweep", args.show)
    names = args.names or sorted(cases())
    if not args.long and not args.names:
        names = random.Random(3).sample(names, SAMPLE)
        if J10:  # the document lists the functions of this version
            shown = sweep_report.documented_public_table()
            tally.equal("docs/jax-support.md", sweep_report.public_table(PUBLIC, NOT_CALLED), shown)
    results = sweep_report.Results(outcomes(names))
    results.check(tally)
    if args.long and not args.names:
        results.document(PUBLIC, NOT_CALLED, args.update and J10, tally)
    print(f"jax/sweep: {results.summary()}")
    tally.finish()


if __name__ == "__main__":
    main()
