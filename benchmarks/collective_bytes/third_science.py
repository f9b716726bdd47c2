#===- third_science.py - scientific programs of the third list -------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Fields on grids, solvers, filters, chains of samples, particles."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from second_language import trained
from suite import integers, normal, third as add
from third_sequences import KEY, random_key


def repeated(step, state, n):
    return lax.scan(lambda s, _: (step(s), None), state, None, length=n)[0]


# --- fields on grids ----------------------------------------------------------------------------
def lattice(f):
    """Lattice Boltzmann with nine velocities: collide, then stream on a torus."""
    velocities = [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)]
    weights = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4, np.float32)[:, None, None]

    def step(f):
        rho = f.sum(0)
        u = sum(v[0] * f[i] for i, v in enumerate(velocities)) / rho
        w = sum(v[1] * f[i] for i, v in enumerate(velocities)) / rho
        along = jnp.stack([3 * (v[0] * u + v[1] * w) for v in velocities])
        rest = weights * rho * (1 + along + along**2 / 2 - 1.5 * (u * u + w * w))
        f = f + 0.6 * (rest - f)
        return jnp.stack([jnp.roll(f[i], v, (0, 1)) for i, v in enumerate(velocities)])

    return repeated(step, f, 5)


add("lattice Boltzmann, blocks", lattice, [1 + 0.01 * normal(9, 64, 64)], [(None, "x", "y")], x=4, y=2)


def staggered(state):
    """Maxwell's equations on a staggered grid with conducting walls."""
    e, h, k = state

    def step(fields):
        e, h, k = fields
        h = h - 0.4 * (e[:, 1:] - e[:, :-1])
        k = k + 0.4 * (e[1:] - e[:-1])
        e = e.at[1:-1, 1:-1].add(0.4 * (k[1:, 1:-1] - k[:-1, 1:-1] - h[1:-1, 1:] + h[1:-1, :-1]))
        return e, h, k

    return repeated(step, (e, h, k), 6)


add("Maxwell on a staggered grid, rows sharded", staggered, [(normal(64, 64), normal(64, 63), normal(63, 64))], [(("x",), ("x",), ())], x=8)


def red_black(u, f):
    """Gauss-Seidel by colours: two masked updates a sweep, walls kept."""
    odd = (np.arange(64)[:, None] + np.arange(64)) % 2 == 1
    inside = np.pad(np.ones((62, 62), bool), 1)

    def half(u, mask):
        p = jnp.pad(u, 1, mode="edge")
        around = p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2]
        return jnp.where(mask & inside, (around - f) / 4, u)

    return repeated(lambda u: half(half(u, odd), ~odd), u, 5)


add("red and black sweeps, blocks", red_black, [normal(64, 64), normal(64, 64)], [("x", "y"), ("x", "y")], x=4, y=2)


def burgers(u, v):
    """Upwind differences, walls that reflect, a step as long as the largest speed allows."""

    def step(state):
        u, v = state
        dt = 0.2 / (jnp.max(jnp.abs(u)) + jnp.max(jnp.abs(v)) + 1)

        def moved(a):
            p = jnp.pad(a, 1, mode="symmetric")
            x = jnp.where(u > 0, a - p[:-2, 1:-1], p[2:, 1:-1] - a)
            y = jnp.where(v > 0, a - p[1:-1, :-2], p[1:-1, 2:] - a)
            spread = p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2] - 4 * a
            return a - dt * (u * x + v * y) + 0.1 * spread

        return moved(u), moved(v)

    return repeated(step, (u, v), 5)


add("Burgers, blocks, adaptive steps", burgers, [normal(64, 64) / 4] * 2, [("x", "y")] * 2, x=4, y=2)


def seismic(speed, source, seen):
    """The gradient of a misfit through time: waves in a volume whose edge absorbs them."""
    n = speed.shape[0]
    damp = np.ones((n, n, n), np.float32)
    damp[0] = damp[-1] = damp[:, 0] = damp[:, -1] = 0.9

    def misfit(speed):
        def step(state, s):
            now, old = state
            p = jnp.pad(now, 1)
            spread = sum(p[1 + i : n + 1 + i, 1 + j : n + 1 + j, 1 + k : n + 1 + k] for i, j, k in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))) - 6 * now
            new = damp * (2 * now - old + 0.1 * speed * speed * spread)
            new = new.at[n // 2, n // 2, n // 2].add(s)
            return (new, now), new[2, :, 2]

        trace = lax.scan(jax.checkpoint(step), (jnp.zeros_like(speed),) * 2, source)[1]
        return jnp.mean((trace - seen) ** 2)

    return jax.grad(misfit)(speed)


add("seismic gradient, volume sharded", seismic, [1 + np.abs(normal(16, 16, 16)) / 4, normal(6), normal(6, 16)], [("x", "y", "z"), (), ()], x=2, y=2, z=2)


def poisson(f):
    """Periodic Poisson equation by transforms of two dimensions."""
    k = np.fft.fftfreq(64) * 64
    size = k[:, None] ** 2 + k[None, :33] ** 2
    size[0, 0] = 1
    return jnp.fft.irfft2(-jnp.fft.rfft2(f) / size, s=(64, 64))


add("Poisson by FFT, rows sharded", poisson, [normal(64, 64)], [("x",)], [("x",)], x=8)
add("Poisson by FFT, many fields", poisson, [normal(16, 64, 64)], [("data",)], data=8)


def operator(p, x):
    """A Fourier neural operator: low modes meet weights, the rest a product."""
    x = x @ p["lift"]
    for w, local in p["layers"]:
        modes = jnp.fft.rfft2(x, axes=(1, 2))
        low = jnp.einsum("bxyc,xycd->bxyd", modes[:, :8, :8], w[0] + 1j * w[1])
        out = jnp.zeros_like(modes).at[:, :8, :8].set(low)
        x = jax.nn.gelu(jnp.fft.irfft2(out, s=x.shape[1:3], axes=(1, 2)) + x @ local)
    return x @ p["down"]


OPERATOR = dict(lift=normal(3, 16), layers=[(normal(2, 8, 8, 16, 16) / 16, normal(16, 16) / 4) for _ in range(2)], down=normal(16, 1) / 4)
add("Fourier neural operator, data, step", trained(lambda p, x: jnp.mean(operator(p, x) ** 2)), [OPERATOR, normal(8, 32, 32, 3)], [jax.tree.map(lambda _: (), OPERATOR), ("data",)], data=8)
add("Fourier neural operator, channels", operator, [OPERATOR, normal(8, 32, 32, 3)], [dict(lift=(None, "model"), layers=[((None, None, None, None, "model"), (None, "model"))] * 2, down=("model",)), ("data",)], data=2, model=4)


# --- solvers ------------------------------------------------------------------------------------
def householder(a, b):
    """QR by reflections of a tall matrix with its rows sharded, then back substitution."""
    n = a.shape[1]

    def reflect(state, i):
        a, b = state
        column = jnp.where(jnp.arange(len(a)) < i, 0, a[:, i])
        v = column.at[i].add(jnp.where(column[i] < 0, -1, 1) * jnp.linalg.norm(column))
        v = v / jnp.linalg.norm(v)
        return (a - 2 * jnp.outer(v, v @ a), b - 2 * v * (v @ b)), None

    a, b = lax.scan(reflect, (a, b), jnp.arange(n))[0]
    return jax.scipy.linalg.solve_triangular(a[:n], b[:n])


add("least squares by reflections, rows sharded", householder, [normal(256, 12), normal(256)], [("x",), ("x",)], x=8)


def arnoldi(a, b):
    """GMRES: a basis by modified Gram-Schmidt, then a small least-squares problem."""
    n, k = len(b), 8

    def step(state, j):
        basis, h = state
        w = a @ basis[j]
        coefficients = basis @ w
        w = w - coefficients @ basis
        again = basis @ w
        w = w - again @ basis
        size = jnp.linalg.norm(w)
        h = h.at[:, j].set(coefficients + again).at[j + 1, j].set(size)
        return (basis.at[j + 1].set(w / size), h), None

    start = jnp.zeros((k + 1, n)).at[0].set(b / jnp.linalg.norm(b))
    (basis, h), _ = lax.scan(step, (start, jnp.zeros((k + 1, k))), jnp.arange(k))
    right = jnp.zeros(k + 1).at[0].set(jnp.linalg.norm(b))
    y = jnp.linalg.solve(h.T @ h, h.T @ right)
    return y @ basis[:k]


add("GMRES, rows sharded", arnoldi, [normal(64, 64) / 16 + 2 * np.eye(64, dtype=np.float32), normal(64)], [("x",), ("x",)], x=8)


def right_looking(a):
    """Cholesky by blocks of eight columns: factor, solve, update what is right of it."""
    n, b = a.shape[0], 8
    for i in range(0, n, b):
        low = jnp.linalg.cholesky(a[i : i + b, i : i + b])
        panel = jax.scipy.linalg.solve_triangular(low, a[i + b :, i : i + b].T, lower=True).T
        a = a.at[i : i + b, i : i + b].set(low).at[i + b :, i : i + b].set(panel)
        a = a.at[i + b :, i + b :].add(-panel @ panel.T)
    return jnp.tril(a)


SPD = normal(32, 32)
add("Cholesky by blocks, rows sharded", right_looking, [SPD @ SPD.T + 32 * np.eye(32, dtype=np.float32)], [("x",)], x=4, y=2)


def thomas(low, diagonal, up, right):
    """Tridiagonal systems, one in each row, by elimination along them."""

    def down(state, row):
        c, d = state
        a, b, u, r = row
        scale = 1 / (b - a * c)
        new = u * scale, (r - a * d) * scale
        return new, new

    zero = jnp.zeros_like(right[:, 0])
    c, d = lax.scan(down, (zero, zero), tuple(t.T for t in (low, diagonal, up, right)))[1]
    back = lambda x, row: (row[1] - row[0] * x, row[1] - row[0] * x)
    return lax.scan(back, zero, (c, d), reverse=True)[1].T


add("tridiagonal systems, systems sharded", thomas, [normal(64, 32), 6 + np.abs(normal(64, 32)), normal(64, 32), normal(64, 32)], [("x",)] * 4, x=8)


def two_loops(p, x, y, steps, slopes):
    """L-BFGS: a direction from five old steps and slopes, then a line search over eight lengths."""
    loss = lambda p: jnp.mean(jax.nn.softplus(-y * (x @ p))) + 0.01 * p @ p
    g = jax.grad(loss)(p)
    q, used = g, []
    for s, t in zip(steps[::-1], slopes[::-1]):
        alpha = (s @ q) / (jnp.abs(s @ t) + 1)
        q = q - alpha * t
        used.append(alpha)
    q = q * 0.5
    for s, t, alpha in zip(steps, slopes, used[::-1]):
        q = q + s * (alpha - (t @ q) / (jnp.abs(s @ t) + 1))
    lengths = 0.5 ** jnp.arange(8.0)
    values = jax.vmap(lambda a: loss(p - a * q))(lengths)
    good = values <= loss(p) - 1e-4 * lengths * (g @ q)
    return p - lengths[jnp.argmax(good)] * q


LINE = [normal(64) / 8, normal(256, 64), np.sign(normal(256)), normal(5, 64), normal(5, 64)]
add("L-BFGS with a line search, rows sharded", two_loops, LINE, [(), ("x",), ("x",), (), ()], x=8)
add("L-BFGS with a line search, rows and features", two_loops, LINE, [("y",), ("x", "y"), ("x",), (None, "y"), (None, "y")], x=4, y=2)


def shrunk(a, b):
    """Lasso by accelerated shrinking, features sharded."""

    def step(state):
        w, z, t = state
        new = z - 0.001 * (a.T @ (a @ z - b))
        new = jnp.sign(new) * jnp.maximum(jnp.abs(new) - 0.01, 0)
        later = (1 + jnp.sqrt(1 + 4 * t * t)) / 2
        return new, new + (t - 1) / later * (new - w), later

    zero = jnp.zeros(a.shape[1])
    return repeated(step, (zero, zero, jnp.float32(1)), 10)[0]


add("lasso, features sharded", shrunk, [normal(64, 256), normal(64)], [(None, "x"), ()], x=8)


def factors(v, w, h):
    """Non-negative factors by multiplicative updates, blocks."""

    def step(state):
        w, h = state
        h = h * (w.T @ v) / (w.T @ w @ h + 1e-6)
        w = w * (v @ h.T) / (w @ (h @ h.T) + 1e-6)
        return w, h

    return repeated(step, (w, h), 6)


add("non-negative factors, blocks", factors, [np.abs(normal(64, 128)), np.abs(normal(64, 8)), np.abs(normal(8, 128))], [("x", "y"), ("x",), (None, "y")], x=4, y=2)


# --- chances ------------------------------------------------------------------------------------
def resampled(particles, seen, key):
    """A particle filter: move, weigh, and draw anew by systematic resampling; particles sharded."""
    n = len(particles)

    def step(particles, both):
        seen, key = both
        particles = 0.9 * particles + 0.3 * jax.random.normal(key, particles.shape)
        logs = -jnp.sum((particles - seen) ** 2, -1)
        weight = jax.nn.softmax(logs)
        mean = weight @ particles
        sums = jnp.cumsum(weight)
        at = jnp.searchsorted(sums, (jnp.arange(n) + 0.43) / n)
        return particles[jnp.minimum(at, n - 1)], mean

    return lax.scan(step, particles, (seen, jax.random.split(random_key(key), len(seen))))[1]


add("particle filter, particles sharded", resampled, [normal(512, 4), normal(4, 4), KEY], [("x",), (), ()], x=8)


def hamiltonian(x, precision, key):
    """Chains of Hamiltonian Monte Carlo side by side, and how well they agree."""
    energy = lambda x: 0.5 * jnp.einsum("ci,ij,cj->c", x, precision, x)
    slope = jax.grad(lambda x: jnp.sum(energy(x)))

    def step(x, key):
        a, b = jax.random.split(key)
        p = start = jax.random.normal(a, x.shape)
        y, p = x, p - 0.05 * slope(x)
        y, p = lax.fori_loop(0, 3, lambda _, s: (lambda z: (z, s[1] - 0.1 * slope(z)))(s[0] + 0.1 * s[1]), (y, p))
        less = energy(x) - energy(y) + 0.5 * jnp.sum(start**2 - p**2, -1)
        x = jnp.where((jnp.log(jax.random.uniform(b, less.shape)) < less)[:, None], y, x)
        return x, x

    draws = lax.scan(step, x, jax.random.split(random_key(key), 6))[1]
    within, between = draws.var(0).mean(0), draws.mean(0).var(0)
    return draws[-1], jnp.sqrt((within + between) / within)


ROOT = normal(16, 16) / 8
add("Hamiltonian Monte Carlo, chains sharded", hamiltonian, [normal(64, 16), ROOT @ ROOT.T + np.eye(16, dtype=np.float32), KEY], [("x",), (), ()], x=8)


def tagged(p, x, tags):
    """A chain of tags: all paths against the right one, and the best path, states sharded."""
    score = x @ p[0]
    total = lax.scan(lambda a, s: (jax.nn.logsumexp(a[:, :, None] + p[1], 1) + s, None), score[:, 0], score[:, 1:].swapaxes(0, 1))[0]
    right = jnp.take_along_axis(score, tags[..., None], -1).sum((1, 2)) + p[1][tags[:, :-1], tags[:, 1:]].sum(1)
    best, back = lax.scan(lambda a, s: (jnp.max(a[:, :, None] + p[1], 1) + s, jnp.argmax(a[:, :, None] + p[1], 1)), score[:, 0], score[:, 1:].swapaxes(0, 1))
    last = jnp.argmax(best, -1)
    path = lax.scan(lambda t, b: (jnp.take_along_axis(b, t[:, None], 1)[:, 0],) * 2, last, back, reverse=True)[1]
    return jnp.mean(jax.nn.logsumexp(total, -1) - right), path


add("chain of tags, states sharded", tagged, [[normal(32, 64) / 6, normal(64, 64)], normal(16, 12, 32), integers(64, 16, 12)], [[(None, "model"), (None, "model")], ("data",), ("data",)], data=4, model=2)
add("chain of tags, data, step", trained(lambda p, x, t: tagged(p, x, t)[0]), [[normal(32, 64) / 6, normal(64, 64)], normal(16, 12, 32), integers(64, 16, 12)], [[(), ()], ("data",), ("data",)], data=8)


# --- particles ----------------------------------------------------------------------------------
def neighbours(place, near):
    """Forces between listed neighbours, on both of them, and a step of Verlet; atoms sharded."""

    def force(place):
        away = place[:, None] - place[near]
        away = away - jnp.round(away / 8) * 8
        square = jnp.sum(away**2, -1, keepdims=True) + 1
        f = away * (2 / square**7 - 1 / square**4)
        return f.sum(1) - jnp.zeros_like(place).at[near].add(f)

    def step(state):
        place, speed = state
        speed = speed + 0.005 * force(place)
        place = place + 0.01 * speed
        return place, speed + 0.005 * force(place)

    return repeated(step, (place, jnp.zeros_like(place)), 3)


add("neighbour lists, atoms sharded", neighbours, [normal(256, 3) * 2, integers(256, 256, 8)], [("x",), ("x",)], x=8)


def kuramoto(phase, coupling, speed):
    """Coupled oscillators by the fourth-order Runge-Kutta method."""
    slope = lambda p: speed + jnp.cos(p) * (coupling @ jnp.sin(p)) - jnp.sin(p) * (coupling @ jnp.cos(p))

    def step(p):
        a = slope(p)
        b = slope(p + 0.05 * a)
        c = slope(p + 0.05 * b)
        return p + 0.1 / 6 * (a + 2 * b + 2 * c + slope(p + 0.1 * c))

    return repeated(step, phase, 4)


add("coupled oscillators, rows sharded", kuramoto, [normal(128), np.abs(normal(128, 128)) / 128, normal(128)], [("x",), ("x",), ("x",)], x=8)
