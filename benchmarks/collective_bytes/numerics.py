#===- numerics.py - numerical programs whose communication is counted ------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Linear algebra, stencils, FFTs, sorting, random numbers, indexing. Chosen before the partitioner
was tuned on any of them."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from suite import add, integers, normal

# --- products ---------------------------------------------------------------------------------
add("product, two dimensions sharded", jnp.matmul, [normal(128, 128), normal(128, 128)], [("x", "y"), ("x", "y")], x=4, y=2)  # fmt: skip
add("product, contracted dimension sharded", jnp.matmul, [normal(64, 512), normal(512, 64)], [(None, "x"), ("x",)], x=8)  # fmt: skip
add("product, one side sharded along what is summed", jnp.matmul, [normal(8, 1024), normal(1024, 8)], [(None, "x"), ()], x=8)  # fmt: skip
add("chain of products", lambda a, b, c: a @ b @ c, [normal(64, 128), normal(128, 32), normal(32, 256)], [("x",), (None, "y"), ("y",)], x=4, y=2)  # fmt: skip
add("Gram matrix", lambda x: x.T @ x / x.shape[0], [normal(512, 64)], [("x", "y")], x=4, y=2)
add("batched products", lambda a, b: jnp.einsum("bij,bjk->bik", a, b), [normal(8, 32, 64), normal(8, 64, 32)], [("x", None, "y"), ("x",)], x=4, y=2)  # fmt: skip
add("outer products and traces", lambda a, b: (jnp.einsum("i,j->ij", a, b), jnp.trace(jnp.outer(a, b))), [normal(64), normal(64)], [("x",), ("y",)], x=4, y=2)  # fmt: skip


# --- solvers ----------------------------------------------------------------------------------
def spd(*batch, n=16):
    a = normal(*batch, n, n)
    return a @ np.swapaxes(a, -1, -2) + n * np.eye(n, dtype=np.float32)


add("Cholesky, batch sharded", lambda a, b: jax.scipy.linalg.solve_triangular(jnp.linalg.cholesky(a), b, lower=True), [spd(16), normal(16, 16, 4)], [("x",), ("x",)], x=8)  # fmt: skip
add("least squares by QR, batch sharded", lambda a, b: jnp.linalg.solve(*(lambda q, r: (r, jnp.swapaxes(q, -1, -2) @ b))(*jnp.linalg.qr(a))), [normal(8, 32, 8), normal(8, 32, 2)], [("x",), ("x",)], x=8)  # fmt: skip
add("eigenvalues, batch sharded", jnp.linalg.eigvalsh, [spd(16)], [("x",)], x=8)


def conjugate_gradient(a, b):
    def step(state, _):
        x, r, p = state
        ap = a @ p
        alpha = (r @ r) / (p @ ap)
        x, new = x + alpha * p, r - alpha * ap
        return (x, new, new + (new @ new) / (r @ r) * p), None

    return lax.scan(step, (jnp.zeros_like(b), b, b), None, length=8)[0][0]


add("conjugate gradient, rows sharded", conjugate_gradient, [spd(n=64), normal(64)], [("x",), ()], x=8)
add("power iteration", lambda a, v: lax.fori_loop(0, 10, lambda _, v: (lambda w: w / jnp.linalg.norm(w))(a @ v), v), [spd(n=64), normal(64)], [("x", "y"), ("y",)], x=4, y=2)  # fmt: skip
add("logistic regression, Newton step", lambda w, x, y: (lambda p: w - jnp.linalg.solve((x.T * (p * (1 - p))) @ x + jnp.eye(16), x.T @ (p - y)))(jax.nn.sigmoid(x @ w)), [normal(16), normal(256, 16), (normal(256) > 0).astype(np.float32)], [(), ("x",), ("x",)], x=8)  # fmt: skip


# --- stencils and windows ---------------------------------------------------------------------
def heat(u):
    def step(u, _):
        p = jnp.pad(u, 1)
        return u + 0.1 * (p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2] - 4 * u), None

    return lax.scan(step, u, None, length=10)[0]


add("heat equation, rows sharded", heat, [normal(64, 64)], [("x",)], x=8)
add("heat equation, blocks", heat, [normal(64, 64)], [("x", "y")], x=4, y=2)
add("waves on a torus", lambda u: jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1) + jnp.roll(u, -1, 1) - 4 * u, [normal(64, 64)], [("x", "y")], x=4, y=2)  # fmt: skip
add("differences", lambda u: (jnp.diff(u), u[1:-1, 2:], u[::2]), [normal(64, 64)], [("x", "y")], x=4, y=2)
add("moving averages", lambda u: lax.reduce_window(u, 0.0, lax.add, (1, 5), (1, 1), "SAME") / 5, [normal(8, 256)], [(None, "x")], x=8)  # fmt: skip
add("blur", lambda u, k: lax.conv_general_dilated(u, k, (1, 1), "SAME"), [normal(2, 1, 64, 64), normal(1, 1, 5, 5)], [(None, None, "x", "y"), ()], x=4, y=2)  # fmt: skip
add("pooling and its gradient", jax.grad(lambda x: jnp.sum(lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") ** 2)), [normal(4, 32, 32, 8)], [(None, "x")], x=8)  # fmt: skip


# --- reductions, scans, sorting ---------------------------------------------------------------
add("softmax over a sharded dimension", jax.nn.softmax, [normal(32, 512)], [(None, "x")], x=8)
add("statistics", lambda x: (x.mean(0), x.var(1), jnp.max(x), jnp.linalg.norm(x)), [normal(128, 128)], [("x", "y")], x=4, y=2)  # fmt: skip
add("argmax over a sharded dimension", lambda x: (jnp.argmax(x, 1), jnp.min(x, 1)), [normal(64, 512)], [(None, "x")], x=8)  # fmt: skip
add("log-sum-exp and its gradient", jax.value_and_grad(lambda x: jnp.sum(jax.nn.logsumexp(x, 1))), [normal(64, 512)], [("y", "x")], x=4, y=2)  # fmt: skip
add("cumulative sums along a sharded dimension", lambda x: jnp.cumsum(x, 0), [normal(256, 32)], [("x",)], x=8)
add("sort along a sharded dimension", lambda x: jnp.sort(x, 0), [normal(256, 32)], [("x",)], x=8)
add("sort of rows", lambda x: (jnp.sort(x, 1), jnp.argsort(x, 1)), [normal(64, 128)], [("x", "y")], x=4, y=2)
add("largest of a sharded dimension", lambda x: lax.top_k(x, 4), [normal(16, 1024)], [(None, "x")], x=8)
add("histogram", lambda x: jnp.zeros(32).at[x].add(1.0), [integers(32, 1024)], [("x",)], x=8)
add("k-means step", lambda x, c: (lambda a: jax.ops.segment_sum(x, a, 8) / (jax.ops.segment_sum(jnp.ones(len(x)), a, 8)[:, None] + 1e-6))(jnp.argmin(((x[:, None] - c[None]) ** 2).sum(-1), 1)), [normal(512, 16), normal(8, 16)], [("x",), ()], x=8)  # fmt: skip
add("distances of all pairs", lambda x: jnp.sqrt(((x[:, None] - x[None]) ** 2).sum(-1)), [normal(64, 16)], [("x",)], x=8)  # fmt: skip

# --- moving data ------------------------------------------------------------------------------
add("transposition", lambda x: x.T, [normal(128, 128)], [("x", "y")], [("x", "y")], x=4, y=2)  # fmt: skip
add("reshapes", lambda x: (x.reshape(-1), x.reshape(8, 16, 128), x.reshape(64, 256)), [normal(128, 128)], [("x", "y")], x=4, y=2)  # fmt: skip
add("concatenation along a sharded dimension", lambda a, b: jnp.concatenate([a, b]), [normal(128, 32), normal(64, 32)], [("x",), ("x",)], x=8)  # fmt: skip
add("reversal", lambda x: x[::-1], [normal(128, 32)], [("x",)], x=8)
add("one row of a sharded table", lambda x, i: lax.dynamic_slice_in_dim(x, i, 1), [normal(1024, 32), np.int32(77)], [("x",), ()], x=8)  # fmt: skip
add("rows of a sharded table", lambda x, i: x[i], [normal(1024, 32), integers(1024, 64)], [("x",), ()], x=8)
add("rows of a sharded table, sharded indices", lambda x, i: x[i], [normal(1024, 32), integers(1024, 64)], [("x",), ("y",)], x=4, y=2)  # fmt: skip
add("rows written to a sharded table", lambda x, i, v: x.at[i].set(v), [normal(1024, 32), np.arange(64, dtype=np.int32) * 3, normal(64, 32)], [("x",), (), ()], x=8)  # fmt: skip
add("along an axis, batch sharded", lambda x, i: jnp.take_along_axis(x, i, 1), [normal(64, 128), integers(128, 64, 8)], [("x",), ("x",)], x=8)  # fmt: skip

# --- transforms and random numbers ------------------------------------------------------------
add("FFT of rows", lambda x: jnp.abs(jnp.fft.fft(x)), [normal(64, 128)], [("x",)], x=8)
add("FFT of two dimensions", lambda x: jnp.abs(jnp.fft.fft2(x)), [normal(64, 64)], [("x",)], x=8)
add("convolution by FFT", lambda x, k: jnp.fft.irfft(jnp.fft.rfft(x) * jnp.fft.rfft(k), n=128), [normal(64, 128), normal(128)], [("x",), ()], x=8)  # fmt: skip
add("random normal", lambda k, x: x + jax.random.normal(jax.random.wrap_key_data(k), (128, 128)), [np.array([1, 2], np.uint32), normal(128, 128)], [(), ("x", "y")], x=4, y=2)  # fmt: skip
add("dropout and its gradient", jax.grad(lambda x, k: jnp.sum(jnp.where(jax.random.bernoulli(jax.random.wrap_key_data(k), 0.5, x.shape), x, 0) ** 2)), [normal(128, 128), np.array([1, 2], np.uint32)], [("x", "y"), ()], x=4, y=2)  # fmt: skip
add("Monte Carlo", lambda k, w: jnp.sum((jnp.sum(jax.random.uniform(jax.random.wrap_key_data(k), (4096, 2)) ** 2, -1) < 1) * w), [np.array([1, 2], np.uint32), normal(4096)], [(), ("x",)], x=8)  # fmt: skip
