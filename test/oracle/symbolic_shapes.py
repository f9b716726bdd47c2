#===- symbolic_shapes.py - programs exported with symbolic dimensions ------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Programs that JAX exports with symbolic dimensions run on arrays of any shape, with JAX's results.
Arrays that violate the program's assertions about sizes are refused with JAX's messages."""

import os
import tempfile

import numpy as np

import oracle

oracle.require()

import jax
import jax.numpy as jnp
from jax import export, lax

tally = oracle.Tally("symbolic_shapes")


def mlp(x, w):
    return jax.nn.softmax(jnp.tanh(x @ w), axis=-1), jnp.mean(x, axis=0)


def shapes(x, w):
    y = jnp.concatenate([x, x * 2], axis=0)
    return jnp.reshape(y, (-1,)), jnp.arange(x.shape[0] * 3), y[1:], jnp.sum(w) / x.shape[0]


def gradient(x, w):
    return jax.grad(lambda w: jnp.sum(jnp.sin(x @ w) ** 2))(w)


def loop(x, w):
    return jax.lax.fori_loop(0, 3, lambda i, y: jnp.cos(y) * i, x @ w)


def pick(x, w):
    return x[jnp.argmax(x[:, 0])], jnp.sort(x, axis=0), jnp.pad(w, ((1, 0), (0, 2))), jax.lax.cond(w[0, 0] > 0, jnp.sin, jnp.cos, x)


def windows(x, w):
    """JAX writes these as calls of `stablehlo.dynamic_reduce_window`."""
    pools = [lax.reduce_window(x, -jnp.inf, lax.max, (2, 1), (2, 1), p) for p in ("SAME", "VALID")]
    pair = lax.reduce_window((x, x), (0.0, 0.0), lambda p, q: (p[0] + q[0], jnp.maximum(p[1], q[1])), (2, 1), (1, 1), "SAME")
    return jnp.cumsum(x, axis=0), lax.cummax(x, 0, reverse=True), jnp.cumsum(w, axis=1), pools, pair


def window_gradients(x, w):
    scans = jax.grad(lambda x: jnp.sum(jnp.cumsum(x, axis=0) ** 2))(x)
    return scans, jax.grad(lambda x: jnp.sum(lax.reduce_window(x, -jnp.inf, lax.max, (2, 1), (2, 1), "VALID") ** 2))(x)


def largest(x, w):
    """`dynamic_top_k` and `ApproxTopK` with shapes among its operands."""
    return lax.top_k(x, 2), lax.approx_max_k(x, 2), lax.approx_min_k(x.T, 2), lax.top_k(x.T, x.shape[0] - 1), lax.approx_max_k(x.T, x.shape[0])


def random(x, w):
    key = jax.random.key(3, impl="threefry2x32")
    bits = lax.rng_bit_generator(jnp.arange(4, dtype=jnp.uint32), (x.shape[0], 3))
    return jax.random.uniform(key, (x.shape[0], 3)), jax.random.normal(key, w.shape), bits


def counts(x, w):
    return jnp.nonzero(x > 0, size=3), jnp.unique(x[:, 0], size=2), jnp.median(w, axis=1), jnp.quantile(x, 0.3, axis=0)


def matrices(x, w):
    """Factorisations; the sizes are operands of the library's functions."""
    a = w.T @ w + jnp.eye(w.shape[1]) * 5
    stack = jnp.broadcast_to(a, (x.shape[0], *a.shape))
    lower = jnp.linalg.cholesky(stack)
    lu, pivots, _ = lax.linalg.lu(a)
    return (lower, lax.linalg.triangular_solve(a, stack[0], lower=True), jnp.linalg.solve(stack, stack), lu, pivots,
            jnp.linalg.eigh(a)[0], jnp.linalg.svd(x[:, None] * x[:, :, None], compute_uv=False), jnp.fft.fft(x, axis=1))  # fmt: skip


def moved(x, w):
    """Other operations with dynamic sizes."""
    rows = x.shape[0]
    y = lax.dynamic_slice(x, (1, 0), (rows - 1, 2))
    z = lax.dynamic_update_slice(x, y, (0, 1))
    picked = jnp.take(x, jnp.arange(rows)[::-1] // 2, axis=0)
    spread = jnp.zeros((rows, rows)).at[jnp.arange(rows), jnp.arange(rows)].add(x[:, 0])
    image = x.reshape(1, 1, rows, 4)
    return (y, z, picked, spread, jnp.tile(w, (2, 1)), jnp.repeat(x, 2, axis=0, total_repeat_length=2 * rows), jnp.tril(x @ w),
            lax.conv_general_dilated(image, jnp.ones((2, 1, 2, 3)), (1, 2), "SAME"), lax.bitcast_convert_type(x, jnp.int32),
            lax.scan(lambda c, r: (c + r, c * r), x[0], x), jnp.einsum("ij,ik->ijk", x, x), jnp.argsort(-x[:, 1]))  # fmt: skip


with tempfile.TemporaryDirectory() as folder:
    path = lambda name: os.path.join(folder, name)
    for f in (mlp, shapes, gradient, loop, pick, windows, window_gradients, largest, random, counts, matrices, moved):
        a, b = export.symbolic_shape("a, b", constraints=["a >= 2"])
        kinds = [jax.ShapeDtypeStruct(s, jnp.float32) for s in ((a, 4), (4, b))]
        with open(path("m.mlir"), "w") as file:
            file.write(export.export(jax.jit(f))(*kinds).mlir_module())
        for n, m in ((2, 1), (5, 3), (8, 8), (3, 17)):
            data = np.random.default_rng(n)
            arrays = [data.standard_normal(s).astype(np.float32) for s in ((n, 4), (4, m))]
            np.savez(path("a.npz"), **{f"arg{i}": x for i, x in enumerate(arrays)})
            results = jax.tree.leaves(jax.jit(f)(*arrays))
            np.savez(path("o.npz"), **{f"out{i}": np.asarray(x) for i, x in enumerate(results)})
            done = oracle.process([oracle.TOOL, "run", path("m.mlir"), path("a.npz"), "--expect", path("o.npz"), "--rtol=1e-4"])
            tally.check(f"{f.__name__} {n}x{m}", done.returncode == 0, done.stdout + done.stderr)
    np.savez(path("a.npz"), arg0=np.zeros((1, 4), np.float32), arg1=np.zeros((4, 2), np.float32))
    done = oracle.process([oracle.TOOL, "run", path("m.mlir"), path("a.npz")])
    tally.check("too small", done.returncode == 2 and "constraint a >= 2" in done.stderr, done.stderr)
    done = oracle.process([oracle.TOOL, "run", path("m.mlir"), "--random=1"])
    tally.check("no shapes", done.returncode == 2 and "known only when the program runs" in done.stderr, done.stderr)

tally.finish()
