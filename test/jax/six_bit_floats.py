#===- six_bit_floats.py - arrays of float6_e2m3fn and float6_e3m2fn ------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Arrays of 6-bit floats: transfers, sizes, conversions, arithmetic and data movement, on one device and
on eight. XLA's CPU backend cannot compute with them, so that numpy with ml_dtypes takes its place. JAX
0.10 refuses such arrays on every platform; programs that use the types inside run there."""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from both import J10, case, main
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

TYPES = (ml_dtypes.float6_e2m3fn, ml_dtypes.float6_e3m2fn)
OURS = jax.default_backend() == "shardwright"


def bits(dtype):
    """Every value of the type, as an array of 8 x 8."""
    return np.arange(64, dtype=np.uint8).view(dtype).reshape(8, 8)


def wide():
    """Numbers of float32: each value of both types, those halfway between neighbours, and larger ones."""
    exact = np.unique(np.concatenate([bits(t).astype(np.float32).ravel() for t in TYPES]))
    halves = (exact[1:] + exact[:-1]) / 2
    found = np.concatenate([exact, halves, np.nextafter(halves, 100), [40, -40, 1e30, -1e30]]).astype(np.float32)
    return np.resize(found, (8, -(-found.size // 8)))


def placed(x, *spec):
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
    return jax.device_put(x, NamedSharding(mesh, P(*spec)))


def compute(function, *args):
    """Returns what `function(module of numpy, *args)` gives: on our platform on one device and on eight,
    by numpy on the CPU."""
    if not OURS:
        once = jax.tree.map(np.asarray, function(np, *args))
        return [once, once]
    jitted = jax.jit(lambda *a: function(jnp, *a))
    return [jitted(*args), jitted(*(placed(a, "x") for a in args))]


def said(function, *args):
    try:
        function(*args)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "nothing"


@case
def inside_of_programs():
    """A program of float32 rounds to the type and back."""
    return {str(np.dtype(t)): compute(lambda n, x: x.astype(t).astype(n.float32), wide()) for t in TYPES}


@case
def of_version_0_10():
    """JAX 0.10 has no buffers of the types."""
    found = [said(lambda: jnp.asarray(bits(t)) and None) for t in TYPES]
    return str([J10 == ("float6" in text.lower() or "F6E" in text) for text in found])


if not J10:

    @case
    def transfers():
        found = {}
        for t in TYPES:
            x = jnp.asarray(bits(t))
            sharded = placed(bits(t), "x", "y")
            moved = [jax.device_put(x, jax.devices()[3]), placed(sharded, "y", None), jax.device_put(sharded, jax.devices()[1])]
            sizes = [x.nbytes, x.on_device_size_in_bytes(), sharded.on_device_size_in_bytes(), x.itemsize]
            shards = [np.asarray(s.data) for s in sharded.addressable_shards]
            found[str(x.dtype)] = [x, sharded, moved, sizes, shards, str(x), repr(sharded), jax.device_put(np.zeros((0, 3), t)), jax.device_put(np.array(1.5, t))]
        return found

    @case
    def conversions():
        others = (np.float16, ml_dtypes.bfloat16, np.float64, np.int8, np.int32, *TYPES)
        return {
            str(np.dtype(t)): [compute(lambda n, x: x.astype(o), bits(t)) for o in others if o is not np.float64 or jax.config.jax_enable_x64]
            for t in TYPES
        }

    @case
    def arithmetic():
        def steps(n, a, b):
            return [a + b, a - b, a * b, -a, abs(b), n.maximum(a, b), n.minimum(a, b), a < b, a == b, a.astype(n.float32) @ b.astype(n.float32)]

        return {str(np.dtype(t)): compute(steps, bits(t), bits(t)[::-1].T.copy()) for t in TYPES}

    @case
    def data_movement():
        def steps(n, a, b):
            chosen = n.where(a.astype(n.float32) > 0, a, b)
            joined = n.concatenate([a, b[:3]], 1 if a.shape[0] == b[:3].shape[0] else 0)
            return [a.T, a.reshape(4, 16), a[1::2, ::-1], chosen, joined, n.broadcast_to(a[0], (3, 8)), n.take(a, n.array([5, 0, 5]), 0), n.max(a, 0)]

        return {str(np.dtype(t)): compute(steps, bits(t), bits(t)[::-1].copy()) for t in TYPES}


if __name__ == "__main__":
    main(__doc__)
