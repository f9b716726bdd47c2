#===- second_numerics.py - numerical programs of the second list -----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Differential equations, particles, statistics, dynamic programming, sorting, signals, tensors."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from suite import constrained, integers, normal, second as add


# --- fields and particles ---------------------------------------------------------------------
def volume_heat(u, kappa):
    def step(u, _):
        flow = 0
        for d in range(3):
            k = (kappa + jnp.roll(kappa, -1, d)) / 2
            f = k * (jnp.roll(u, -1, d) - u)
            flow = flow + f - jnp.roll(f, 1, d)
        return u + 0.1 * flow, None

    return lax.scan(step, u, None, length=4)[0]


add("heat in a volume, three axes", volume_heat, [normal(16, 16, 16), np.abs(normal(16, 16, 16))], [("x", "y", "z")] * 2, x=2, y=2, z=2)


def multigrid(f):
    """One V-cycle of three levels for Poisson's equation."""

    def neighbours(u):
        p = jnp.pad(u, 1)
        return p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2]

    def cycle(u, f, level):
        for _ in range(2):
            u = 0.2 * u + 0.2 * (neighbours(u) + f)
        if level == 0:
            return u
        r = f - (4 * u - neighbours(u))
        coarse = r.reshape(r.shape[0] // 2, 2, r.shape[1] // 2, 2).mean((1, 3)) * 4
        e = cycle(jnp.zeros_like(coarse), coarse, level - 1)
        u = u + jnp.repeat(jnp.repeat(e, 2, 0), 2, 1)
        return 0.2 * u + 0.2 * (neighbours(u) + f)

    return cycle(jnp.zeros_like(f), f, 2)


add("multigrid cycle, blocks", multigrid, [normal(64, 64)], [("x", "y")], x=4, y=2)


@constrained
def vorticity(constrain, w):
    """A pseudo-spectral step: transforms one dimension after the other, with reshards in between."""
    k = jnp.fft.fftfreq(32) * 32

    def forward(u):
        u = constrain(jnp.fft.fft(u, axis=1), "x", None)
        return jnp.fft.fft(constrain(u, None, "x"), axis=0)

    def back(u):
        u = constrain(jnp.fft.ifft(u, axis=0), None, "x")
        return jnp.fft.ifft(constrain(u, "x", None), axis=1).real

    h = forward(w)
    square = (k[:, None] ** 2 + k**2).at[0, 0].set(1.0)
    psi = h / square
    u, v = back(1j * k * psi), back(-1j * k[:, None] * psi)
    advect = u * back(1j * k[:, None] * h) + v * back(1j * k * h)
    return back((h - 0.01 * forward(advect)) / (1 + 0.001 * square))


add("vorticity by FFT, rows turned", vorticity, [normal(32, 32)], [("x",)], [("x",)], x=8)


def bodies(x, v, m):
    def force(x):
        away = x[None] - x[:, None]
        return jnp.einsum("ijk,ij->ik", away, m / ((away**2).sum(-1) + 0.1) ** 1.5)

    def step(state, _):
        x, v = state
        v = v + 0.005 * force(x)
        x = x + 0.01 * v
        return (x, v + 0.005 * force(x)), 0.5 * jnp.sum(m[:, None] * v**2)

    return lax.scan(step, (x, v), None, length=4)


add("bodies, all pairs", bodies, [normal(64, 3), normal(64, 3), np.abs(normal(64))], [("x",), ("x",), ("x",)], x=8)


def plasma(x, v):
    """Particles in cells: charge by scattering, a field by FFT, forces by gathering."""

    def step(state, _):
        x, v = state
        at = jnp.floor(x).astype(jnp.int32)
        share = x - at
        charge = jnp.zeros(32).at[at % 32].add(1 - share).at[(at + 1) % 32].add(share)
        k = jnp.fft.rfftfreq(32).at[0].set(1.0) * 2 * np.pi
        spectrum = (jnp.fft.rfft(charge - charge.mean()) / (1j * k)).at[0].set(0)
        field = jnp.fft.irfft(spectrum, n=32) / 64
        v = v + 0.1 * (field[at % 32] * (1 - share) + field[(at + 1) % 32] * share)
        return ((x + 0.1 * v) % 32, v), jnp.sum(field**2)

    return lax.scan(step, (x, v), None, length=3)


add("particles in cells", plasma, [np.abs(normal(1024)) * 7 % 32, normal(1024)], [("x",), ("x",)], x=8)
add("game of life", lambda w: lax.fori_loop(0, 5, lambda _, w: (lambda n: ((n == 3) | ((n == 2) & (w == 1))).astype(np.int8))(sum(jnp.roll(w, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)), w), [integers(2, 64, 64).astype(np.int8)], [("x", "y")], x=4, y=2)


def ising(spins, key):
    colour = (jnp.arange(32)[:, None] + jnp.arange(32)) % 2

    def sweep(s, key):
        for c, k in enumerate(jax.random.split(key)):
            near = sum(jnp.roll(s, d, a) for d in (1, -1) for a in (0, 1))
            flip = (jax.random.uniform(k, s.shape) < jnp.exp(-0.9 * s * near)) & (colour == c)
            s = jnp.where(flip, -s, s)
        return s, s.mean()

    return lax.scan(sweep, spins, jax.random.split(jax.random.wrap_key_data(key), 4))


add("Ising model", ising, [np.sign(normal(32, 32)), np.array([1, 9], np.uint32)], [("x", "y"), ()], x=2, y=4)


# --- linear algebra and statistics ------------------------------------------------------------
def gaussian_process(x, y, new):
    def kernel(a, b):
        return jnp.exp(-0.5 * ((a[:, None] - b[None]) ** 2).sum(-1))

    low = jnp.linalg.cholesky(kernel(x, x) + 0.1 * jnp.eye(x.shape[0]))
    alpha = jax.scipy.linalg.cho_solve((low, True), y)
    cross = kernel(new, x)
    v = jax.scipy.linalg.solve_triangular(low, cross.T, lower=True)
    return cross @ alpha, 1 - (v**2).sum(0), -0.5 * y @ alpha - jnp.log(jnp.diagonal(low)).sum()


add("Gaussian process, new points sharded", gaussian_process, [normal(64, 3), normal(64), normal(256, 3)], [(), (), ("x",)], x=8)
add("Gaussian process, all points sharded", gaussian_process, [normal(64, 3), normal(64), normal(256, 3)], [("x",), ("x",), ("x",)], x=8)


def lanczos(a, v):
    def step(state, _):
        v, last, beta = state
        w = a @ v - beta * last
        alpha = w @ v
        w = w - alpha * v
        beta = jnp.linalg.norm(w)
        return (w / beta, v, beta), (alpha, beta)

    v = v / jnp.linalg.norm(v)
    alpha, beta = lax.scan(step, (v, jnp.zeros_like(v), 0.0), None, length=8)[1]
    return alpha, beta


SYMMETRIC = normal(128, 128)
add("Lanczos, blocks", lanczos, [SYMMETRIC + SYMMETRIC.T, normal(128)], [("x", "y"), ("x",)], x=4, y=2)
add("randomised SVD, rows sharded", lambda a, o: (lambda q: jnp.linalg.svd(q.T @ a, compute_uv=False))(jnp.linalg.qr(a @ (a.T @ (a @ o)))[0]), [normal(256, 32), normal(32, 8)], [("x",), ()], x=8)
add("PageRank, edges sharded", lambda s, d, r: lax.fori_loop(0, 6, lambda _, r: 0.15 / 128 + 0.85 * jax.ops.segment_sum(r[s] / jnp.maximum(jnp.bincount(s, length=128), 1)[s], d, 128), r), [integers(128, 1024), integers(128, 1024), np.full(128, 1 / 128, np.float32)], [("x",), ("x",), ()], x=8)


def mixture(x, mean, precision, weight):
    """Expectation and maximisation of Gaussians, twice."""

    def step(state, _):
        mean, precision, weight = state
        away = x[:, None] - mean
        score = -0.5 * (away**2 * precision).sum(-1) + 0.5 * jnp.log(precision).sum(-1) + jnp.log(weight)
        share = jax.nn.softmax(score, 1)
        n = share.sum(0)
        mean = share.T @ x / n[:, None]
        spread = share.T @ x**2 / n[:, None] - mean**2
        return (mean, 1 / (spread + 1e-3), n / x.shape[0]), jax.nn.logsumexp(score, 1).mean()

    return lax.scan(step, (mean, precision, weight), None, length=2)


add("Gaussian mixture", mixture, [normal(512, 8), normal(4, 8), np.ones((4, 8), np.float32), np.full(4, 0.25, np.float32)], [("x",), (), (), ()], x=8)


def kalman(f, h, q, r, y):
    def step(state, y):
        x, p = state
        x, p = jnp.einsum("ij,bj->bi", f, x), f @ p @ f.T + q
        s = h @ p @ h.T + r
        gain = jnp.linalg.solve(s, h @ p).swapaxes(-1, -2)
        x = x + jnp.einsum("bij,bj->bi", gain, y - x @ h.T)
        return (x, p - gain @ h @ p), x

    start = (jnp.zeros((y.shape[1], 4)), jnp.broadcast_to(jnp.eye(4), (y.shape[1], 4, 4)))
    return lax.scan(step, start, y)[1]


add("Kalman filters, batch sharded", kalman, [np.eye(4, dtype=np.float32) + normal(4, 4) / 20, normal(2, 4), np.eye(4, dtype=np.float32) / 10, np.eye(2, dtype=np.float32), normal(8, 32, 2)], [(), (), (), (), (None, "x")], x=8)
add("hidden Markov model, states sharded", lambda t, e, s, y: lax.scan(lambda a, o: (lambda a: (a / a.sum(-1, keepdims=True), jnp.log(a.sum(-1))))((a @ t) * e[:, o].T), s, y)[1].sum(0), [np.abs(normal(64, 64)) / 50, np.abs(normal(64, 16)), np.abs(normal(8, 64)), integers(16, 10, 8)], [("x", "y"), ("y",), (None, "x"), ()], x=4, y=2)
add("ridge regressions, batch sharded", jax.vmap(lambda x, y: (lambda w: (w, jnp.mean((x @ w - y) ** 2)))(jnp.linalg.solve(x.T @ x + jnp.eye(6), x.T @ y))), [normal(32, 20, 6), normal(32, 20)], [("x",), ("x",)], x=8)


def transport(a, b, x, y):
    """Sinkhorn in logarithms between sharded points and points in another sharding."""
    cost = ((x[:, None] - y[None]) ** 2).sum(-1)

    def step(fg, _):
        f, g = fg
        f = jnp.log(a) - jax.nn.logsumexp(g[None] - cost, 1)
        return (f, jnp.log(b) - jax.nn.logsumexp(f[:, None] - cost, 0)), None

    f, g = lax.scan(step, (jnp.zeros_like(a), jnp.zeros_like(b)), None, length=8)[0]
    return jnp.sum(jnp.exp(f[:, None] + g - cost) * cost)


add("optimal transport", transport, [np.full(64, 1 / 64, np.float32), np.full(96, 1 / 96, np.float32), normal(64, 4) / 2, normal(96, 4) / 2], [("x",), ("y",), ("x",), ("y",)], x=4, y=2)
add("options by Monte Carlo", lambda k, s: (lambda p: (jnp.maximum(p[:, -1] - 1, 0).mean(), jnp.maximum(p.mean(1) - 1, 0).mean(), (p.max(1) > 1.2).mean()))(s * jnp.exp(jnp.cumsum(0.1 * jax.random.normal(jax.random.wrap_key_data(k), (2048, 16)) - 0.005, 1))), [np.array([5, 2], np.uint32), np.float32(1)], [("x",), ()], x=2)
add("matrix product state", lambda l, c, r: jnp.einsum("ia,iajb,jbkc,kcld,ld->", l, c[0], c[1], c[2], r, optimize="optimal"), [normal(4, 32), normal(3, 4, 32, 4, 32) / 11, normal(4, 32)], [(None, "x"), (None, None, "x", None, "y"), (None, "y")], x=2, y=4)
add("pair energies of orbitals", lambda o, v, e, u: (lambda g: jnp.sum(g * (2 * g - g.swapaxes(1, 3)) / (e[:, None, None, None] + e[None, None, :, None] - u[None, :, None, None] - u)))(jnp.einsum("Pia,Pjb->iajb", o, v)), [normal(64, 8, 12), normal(64, 8, 12), -np.abs(normal(8)) - 2, np.abs(normal(12)) + 1], [("x", "y"), ("x", "y"), (), ()], x=4, y=2)


# --- sorting, counting, programming -----------------------------------------------------------
def quantiles(x):
    s = jnp.sort(x)
    return jnp.quantile(x, jnp.array([0.1, 0.5, 0.9])), jnp.searchsorted(s, jnp.array([-1.0, 0.0, 1.0])), jnp.median(jnp.abs(x - jnp.median(x)))


add("quantiles of a sharded vector", quantiles, [normal(4096)], [("x",)], x=8)
add("quantiles of columns, rows sharded", lambda x: (jnp.quantile(x, 0.75, axis=0), jnp.median(x, 0)), [normal(256, 32)], [("x",)], x=8)


def group_by(keys, values):
    """Sums of runs of equal keys after a sort, as tables are aggregated."""
    keys, values = lax.sort((keys, values), num_keys=1)
    first = jnp.concatenate([jnp.ones(1, bool), keys[1:] != keys[:-1]])
    group = jnp.cumsum(first) - 1
    return jax.ops.segment_sum(values, group, 64), jax.ops.segment_max(keys, group, 64), first.sum()


add("sums by key", group_by, [integers(64, 2048), normal(2048)], [("x",), ("x",)], x=8)
add("histogram equalisation", lambda x: (lambda c: (c / c[-1])[x])(jnp.cumsum(jnp.bincount(x.ravel(), length=64))), [integers(64, 64, 64)], [("x", "y")], x=4, y=2)
add("histogram in two dimensions", lambda x, y, w: jnp.histogram2d(x, y, bins=8, range=((-2, 2), (-2, 2)), weights=w)[0], [normal(1024), normal(1024), np.abs(normal(1024))], [("x",)] * 3, x=8)


def edit_distance(a, b):
    """By rows; each is a prefix minimum of the last one."""
    at = jnp.arange(25)

    def step(row, c):
        change = jnp.pad(row[:, :-1] + (b != c[:, None]), ((0, 0), (1, 0)), constant_values=99)
        best = jnp.minimum(row + 1, change)
        return lax.cummin(best - at, axis=1) + at, None

    return lax.scan(step, jnp.broadcast_to(at, (a.shape[0], 25)), a.T)[0][:, -1]


add("edit distances, batch sharded", edit_distance, [integers(4, 32, 24), integers(4, 32, 24)], [("x",), ("x",)], x=8)
add("shortest paths, blocks", lambda d: lax.fori_loop(0, 5, lambda _, d: jnp.minimum(d, (d[:, :, None] + d[None]).min(1)), d), [np.abs(normal(32, 32))], [("x", "y")], x=4, y=2)


# --- signals and series -----------------------------------------------------------------------
def series(x):
    """Rolling z-scores and an exponential average along a sharded time."""
    total, square = jnp.cumsum(x, 0), jnp.cumsum(x * x, 0)
    mean = (total[8:] - total[:-8]) / 8
    spread = jnp.sqrt(jnp.maximum((square[8:] - square[:-8]) / 8 - mean**2, 1e-3))
    decay = jnp.full_like(x, 0.9)
    smooth = lax.associative_scan(lambda l, r: (l[0] * r[0], l[1] * r[0] + r[1]), (decay, 0.1 * x))[1]
    return (x[8:] - mean) / spread, smooth, jnp.diff(smooth, axis=0)


add("rolling statistics, time sharded", series, [normal(512, 8)], [("x",)], x=8)
add("spectrogram, time sharded", lambda x, w: jnp.log1p(jnp.abs(jnp.fft.rfft(x[jnp.arange(0, 1984, 32)[:, None] + jnp.arange(64)] * jnp.hanning(64))) @ w), [normal(2048), np.abs(normal(33, 16))], [("x",), ()], x=8)
add("filter bank, channels and time sharded", lambda x, k: lax.conv_general_dilated(x, k, (2,), "SAME", rhs_dilation=(2,), dimension_numbers=("NCW", "OIW", "NCW")), [normal(4, 8, 256), normal(16, 8, 9)], [(None, None, "x"), ("y",)], x=4, y=2)
add("pads, turns and pieces", lambda a, b: (lambda c: (c[::-1], jnp.roll(c, 5, 0)[3:99], jnp.pad(c, ((2, 1), (0, 0)))[::2], jnp.tile(a, (2, 1)), jnp.stack([a, a[::-1]], 1).reshape(-1, 16)))(jnp.concatenate([a, b, a[:24]])), [normal(64, 16), normal(40, 16)], [("x",), ("x",)], x=8)
add("rows interleaved and split", lambda x: (x.reshape(32, 4, 24).transpose(1, 0, 2).reshape(128, 24), jnp.split(x, 4), x.reshape(16, 8, 24).sum(1), x.reshape(-1)[:1000].reshape(100, 10).sum(0)), [normal(128, 24)], [("x",)], x=8)
