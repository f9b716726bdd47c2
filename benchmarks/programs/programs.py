#===- programs.py - programs to compare with XLA's CPU backend ------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""PROGRAMS[name]() returns (function, mesh, arguments, in specs, out specs), all of numpy. A step
takes from 1 to 100 ms. `mesh` has the sizes of its axes; a program without one is for one device."""

import functools
import importlib.util
import os

import dots
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, shard_map
from jax.sharding import PartitionSpec as P

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")
RANDOM = np.random.default_rng(0)
PROGRAMS = {}
ROWS = dict(x=8)
GRID = dict(data=2, model=4)


def program(name):
    def register(build):
        PROGRAMS[name] = build
        return build

    return register


def real(*shape, scale=1.0):
    return (RANDOM.standard_normal(shape) * scale).astype(np.float32)


def whole(high, *shape):
    return RANDOM.integers(0, high, shape).astype(np.int32)


def weight(*shape):
    return real(*shape, scale=np.prod(shape[:-1]) ** -0.5)


# --- models -------------------------------------------------------------------------------


def example(name, **sizes):
    """Returns an example of the tree. The function is None: `exporting.constrainer` makes it on a
    mesh."""
    path = os.path.join(EXAMPLES, name, "export.py")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.case(**sizes)


def lazily(name, **sizes):
    return lambda: example(name, **sizes)


PROGRAMS["mlp_train"] = lazily(
    "mlp_train", batch=256, inputs=512, hidden=1024, outputs=512, classes=128
)
PROGRAMS["transformer_block"] = lazily(
    "transformer_block", batch=8, time=128, d_model=256, heads=8, d_ff=1024
)
PROGRAMS["gpt, scan"] = lazily("gpt", batch=8, time=64, d_model=128, d_ff=512, vocabulary=512)


@program("gpt train, unrolled")
def _():
    make, mesh, args, specs, _ = example(
        "gpt", batch=8, time=32, d_model=128, d_ff=512, vocabulary=512, unroll=True
    )

    def step(constrain):
        loss = lambda params, *batch: make(constrain)(params, *batch)[0]

        def train(params, tokens, targets):
            value, grads = jax.value_and_grad(loss)(params, tokens, targets)
            return value, jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)

        return train

    return step, mesh, args, specs, (P(), specs[0])


@program("attention decode, KV cache")
def _():
    batch, heads, length, depth, steps = 8, 8, 512, 64, 16
    width = heads * depth

    def decode(x, keys, values, wq, wk, wv, wo, start):
        def token(carry, _):
            x, keys, values, at = carry
            split = lambda w: (x @ w).reshape(batch, heads, depth)
            keys = lax.dynamic_update_slice(keys, split(wk)[:, :, None], (0, 0, at, 0))
            values = lax.dynamic_update_slice(values, split(wv)[:, :, None], (0, 0, at, 0))
            scores = jnp.einsum("bhd,bhtd->bht", split(wq), keys) * depth**-0.5
            scores = jnp.where(jnp.arange(length) <= at, scores, -1e9)
            out = jnp.einsum("bht,bhtd->bhd", jax.nn.softmax(scores), values)
            y = x + out.reshape(batch, width) @ wo
            return (y / jnp.sqrt(jnp.mean(y * y, -1, keepdims=True)), keys, values, at + 1), y

        carry, ys = lax.scan(token, (x, keys, values, start), None, steps)
        return ys, carry[1], carry[2]

    cache = P("data", "model", None, None)
    return (
        decode,
        GRID,
        (real(batch, width), real(batch, heads, length, depth), real(batch, heads, length, depth),
         weight(width, width), weight(width, width), weight(width, width), weight(width, width),
         np.int32(200)),
        (P("data", None), cache, cache, P(None, "model"), P(None, "model"), P(None, "model"),
         P("model", None), P()),
        (P(None, "data", None), cache, cache),
    )  # fmt: skip


@program("mixture of experts")
def _():
    tokens, width, hidden, experts, capacity = 1024, 128, 256, 8, 192

    def layer(x, gate, w1, w2):
        probs = jax.nn.softmax(x @ gate)
        choice = jnp.argmax(probs, -1)
        mask = jax.nn.one_hot(choice, experts)
        place = jnp.cumsum(mask, 0) * mask - 1
        slots = jax.nn.one_hot(place.astype(jnp.int32), capacity) * mask[..., None]
        inside = jnp.einsum("tec,td->ecd", slots, x)
        inside = jax.nn.gelu(jnp.einsum("ecd,edh->ech", inside, w1))
        inside = jnp.einsum("ech,ehd->ecd", inside, w2)
        weighted = slots * jnp.max(probs, -1)[:, None, None]
        return x + jnp.einsum("tec,ecd->td", weighted, inside)

    return (
        layer,
        ROWS,
        (real(tokens, width), weight(width, experts), weight(experts, width, hidden),
         weight(experts, hidden, width)),
        (P("x", None), P(), P("x", None, None), P("x", None, None)),
        P("x", None),
    )  # fmt: skip


def conv(x, w, layout, **options):
    names = (layout, "OIHW" if layout == "NCHW" else "HWIO", layout)
    return lax.conv_general_dilated(
        x, w, options.pop("strides", (1, 1)), "SAME", dimension_numbers=names, **options
    )


@program("convolutions NCHW, forward")
def _():
    def forward(x, w1, w2, w3, w4):
        x = jax.nn.relu(conv(x, w1, "NCHW", strides=(2, 2)))
        x = jax.nn.relu(conv(x, w2, "NCHW") + x)
        x = jax.nn.relu(conv(x, w3, "NCHW", strides=(2, 2)))
        x = jax.nn.relu(conv(x, w4, "NCHW", rhs_dilation=(2, 2)) + x)
        return jnp.mean(x, (2, 3))

    args = (real(8, 3, 96, 96), weight(32, 3, 7, 7), real(32, 32, 3, 3, scale=0.06),
            real(64, 32, 3, 3, scale=0.06), real(64, 64, 3, 3, scale=0.04))  # fmt: skip
    return forward, ROWS, args, (P("x"), P(), P(), P(), P()), P("x", None)


@program("convolutions NHWC, train")
def _():
    def loss(weights, x, labels):
        w1, w2, w3, head = weights
        x = jax.nn.relu(conv(x, w1, "NHWC"))
        x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        x = jax.nn.relu(conv(x, w2, "NHWC", strides=(2, 2)))
        x = jax.nn.relu(conv(x, w3, "NHWC") + x)
        logits = jnp.mean(x, (1, 2)) @ head
        return -jnp.mean(jnp.sum(jax.nn.log_softmax(logits) * labels, -1))

    def step(weights, x, labels):
        value, grads = jax.value_and_grad(loss)(weights, x, labels)
        return value, jax.tree.map(lambda w, g: w - 0.1 * g, weights, grads)

    weights = (weight(3, 3, 3, 16), weight(3, 3, 16, 32), weight(3, 3, 32, 32), weight(32, 10))
    labels = np.eye(10, dtype=np.float32)[whole(10, 16)]
    same = (P(), P(), P(), P())
    args = (weights, real(16, 32, 32, 3), labels)
    return step, ROWS, args, (same, P("x"), P("x")), (P(), same)


@program("depthwise convolutions")
def _():
    def forward(x, d1, p1, d2, p2):
        for depth, point, strides in ((d1, p1, (1, 1)), (d2, p2, (2, 2))):
            count = x.shape[-1]
            x = conv(x, depth, "NHWC", feature_group_count=count, strides=strides)
            x = jnp.clip(conv(jnp.clip(x, 0, 6), point, "NHWC"), 0, 6)
        return x

    args = (real(8, 48, 48, 32), real(3, 3, 1, 32), weight(1, 1, 32, 64), real(3, 3, 1, 64),
            weight(1, 1, 64, 128))  # fmt: skip
    return forward, ROWS, args, (P("x"), P(), P(), P(), P()), P("x")


@program("LSTM, forward and gradient")
def _():
    batch, time, width = 32, 32, 128

    def loss(w, u, b, x):
        def cell(carry, xt):
            h, c = carry
            i, f, g, o = jnp.split(xt @ w + h @ u + b, 4, -1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        zero = jnp.zeros((batch, width))
        return jnp.mean(lax.scan(cell, (zero, zero), x)[1] ** 2)

    args = (weight(width, 4 * width), weight(width, 4 * width), real(4 * width),
            real(time, batch, width))  # fmt: skip
    specs = (P(), P(), P(), P(None, "x", None))
    return jax.value_and_grad(loss, (0, 1, 2)), ROWS, args, specs, (P(), (P(), P(), P()))


@program("bf16 MLP")
def _():
    def forward(x, w1, w2, w3):
        return jax.nn.gelu(jax.nn.gelu(x @ w1) @ w2) @ w3

    half = lambda x: x.astype(jnp.bfloat16)
    args = tuple(
        half(a) for a in (real(512, 512), weight(512, 2048), weight(2048, 512), weight(512, 128))
    )
    specs = (P("data", None), P(None, "model"), P("model", None), P())
    return forward, GRID, args, specs, P("data", None)


@program("int8 matmul")
def _():
    def forward(x, w, scale):
        x8 = jnp.clip(jnp.round(x * 16), -127, 127).astype(jnp.int8)
        y = lax.dot(x8, w, preferred_element_type=jnp.int32)
        return jax.nn.relu(y.astype(jnp.float32) * scale)

    w = RANDOM.integers(-127, 127, (1024, 1024)).astype(np.int8)
    args = (real(512, 1024), w, np.abs(real(1024)))
    return forward, GRID, args, (P("data", None), P(None, "model"), P("model")), P("data", "model")


# --- chains, reductions, movement -----------------------------------------------------------


@program("layer norm, softmax, GELU")
def _():
    def chain(x, scale, bias):
        for _ in range(2):
            mean = jnp.mean(x, -1, keepdims=True)
            var = jnp.mean((x - mean) ** 2, -1, keepdims=True)
            x = (x - mean) * lax.rsqrt(var + 1e-5) * scale + bias
            x = jax.nn.gelu(x) + 3 * jax.nn.softmax(x)
        return x

    args = (real(2048, 1024), real(1024), real(1024))
    return chain, ROWS, args, (P("x", None), P(), P()), P("x", None)


@program("large elementwise")
def _():
    def f(x, y):
        z = jnp.sin(x) * jnp.exp(-y * y) + jnp.tanh(x * y)
        return z, jnp.log1p(jnp.abs(z)) / (1 + jnp.sqrt(jnp.abs(x)))

    spec = P("x", None)
    return f, ROWS, (real(2048, 1024), real(2048, 1024)), (spec, spec), (spec, spec)


@program("reductions")
def _():
    def f(x):
        return (jax.nn.logsumexp(x, 1), jnp.argmax(x, 1), jnp.linalg.norm(x, axis=0), jnp.var(x, 0),
                jnp.max(x), jnp.sum(x * x), jnp.argmin(x, 0))  # fmt: skip

    return f, GRID, (real(2048, 2048),), (P("data", "model"),), (P(),) * 7


@program("embedding gradient")
def _():
    def step(table, ids, targets):
        def loss(table):
            return jnp.mean((table[ids] - targets) ** 2)

        return table - 0.1 * jax.grad(loss)(table)

    args = (real(8192, 128), whole(8192, 4096), real(4096, 128))
    return step, ROWS, args, (P(None, "x"), P(), P(None, "x")), P(None, "x")


@program("transposes, gathers, slices")
def _():
    def f(x, rows, at):
        y = x.transpose(1, 0, 2)[rows]
        z = lax.dynamic_slice(x, (at, at, 0), (256, 96, 64))
        w = jnp.concatenate([x[:, ::2], x[:, 1::2]], 1)[:, ::-1]
        return y, z.transpose(2, 1, 0), w + jnp.roll(x, 5, 1)

    args = (real(512, 128, 64), whole(128, 200), np.int32(17))
    spec = P(None, None, "x")
    return f, ROWS, args, (spec, P(), P()), (spec, P("x", None, None), spec)


@program("cumulative sums")
def _():
    def f(x):
        return jnp.cumsum(x, 1), lax.cummax(x, 1), jnp.cumsum(x, 0)

    spec = P("x", None)
    return f, ROWS, (real(256, 512),), (spec,), (spec, spec, spec)


@program("sort and argsort")
def _():
    def f(x):
        return jnp.sort(x, 1), jnp.argsort(x, 1), jnp.sort(x, 0)

    return f, ROWS, (real(512, 512),), (P("x", None),), (P("x", None), P("x", None), P(None, "x"))


@program("top_k")
def _():
    f = lambda x: tuple(lax.top_k(x, 16))
    return f, ROWS, (real(256, 4096),), (P("x", None),), (P("x", None), P("x", None))


@program("pooling and its gradient")
def _():
    def pool(x):
        window, strides = (1, 3, 3, 1), (1, 2, 2, 1)
        most = lax.reduce_window(x, -jnp.inf, lax.max, window, strides, "SAME")
        mean = lax.reduce_window(x, 0.0, lax.add, window, (1, 1, 1, 1), "SAME")
        return jnp.sum(most**2) + jnp.sum(mean**2)

    return jax.value_and_grad(pool), ROWS, (real(8, 64, 64, 16),), (P("x"),), (P(), P("x"))


@program("heat equation")
def _():
    def f(u):
        def step(u, _):
            around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
            return u.at[1:-1, 1:-1].set(u[1:-1, 1:-1] * 0.6 + around * 0.1), None

        return lax.scan(step, u, None, 50)[0]

    return f, None, (real(512, 512),), None, None


@program("distances of points")
def _():
    def f(x, y):
        d = jnp.sum((x[:, None] - y[None]) ** 2, -1)
        return jnp.min(d, 1), jnp.sum(jnp.exp(-d), 1)

    args = (real(1024, 8), real(1024, 8))
    return f, ROWS, args, (P("x", None), P()), (P("x"), P("x"))


# --- libraries ------------------------------------------------------------------------------


@program("FFT")
def _():
    def f(x):
        spectrum = jnp.fft.rfft2(x)
        return jnp.fft.irfft2(spectrum * jnp.exp(-jnp.abs(spectrum) * 1e-3))

    return f, ROWS, (real(32, 256, 256),), (P("x", None, None),), P("x", None, None)


@program("Cholesky and solve")
def _():
    def f(a, b):
        spd = jnp.einsum("bij,bkj->bik", a, a) + 10 * jnp.eye(128)
        lower = jnp.linalg.cholesky(spd)
        return lower, lax.linalg.triangular_solve(lower, b, left_side=True, lower=True)

    args = (real(16, 128, 128), real(16, 128, 32))
    return f, ROWS, args, (P("x"), P("x")), (P("x"), P("x"))


@program("QR")
def _():
    f = lambda a: jnp.abs(jnp.linalg.qr(a)[1])
    return f, None, (real(8, 128, 128),), None, None


@program("SVD")
def _():
    f = lambda a: jnp.linalg.svd(a, compute_uv=False)
    return f, None, (real(4, 96, 96),), None, None


@program("random normal")
def _():
    f = lambda key: jax.random.normal(jax.random.wrap_key_data(key), (1024, 1024))
    return f, ROWS, (np.array([0, 7], np.uint32),), (P(),), P("x", None)


# --- devices and dispatch -------------------------------------------------------------------


@program("shard_map collectives")
def _():
    def local(x):
        total = lax.psum(x, "x")
        everyone = lax.all_gather(jnp.sin(x), "x", tiled=True)
        part = lax.psum_scatter(everyone, "x", tiled=True)
        turned = lax.all_to_all(x, "x", 1, 0, tiled=True)
        return total + part, turned

    def f(x):
        specs = P("x", None)
        mapped = shard_map(local, in_specs=specs, out_specs=(specs, specs))
        return mapped(x)

    return f, ROWS, (real(2048, 512),), (P("x", None),), (P("x", None), P("x", None))


@program("shard_map ring matmul")
def _():
    ring = [(i, (i + 1) % 8) for i in range(8)]

    def local(a, b):
        me = lax.axis_index("x")

        def step(i, carry):
            total, b = carry
            at = (me - i) % 8 * b.shape[0]
            part = lax.dynamic_slice(a, (0, at), (a.shape[0], b.shape[0]))
            return total + part @ b, lax.ppermute(b, "x", ring)

        zero = lax.pcast(jnp.zeros((a.shape[0], b.shape[1])), ("x",), to="varying")
        return lax.fori_loop(0, 8, step, (zero, b))[0]

    def f(a, b):
        return shard_map(local, in_specs=(P("x", None),) * 2, out_specs=P("x", None))(a, b)

    return f, ROWS, (real(512, 512), weight(512, 512)), (P("x", None),) * 2, P("x", None)


@program("while loop, 2000 iterations")
def _():
    def f(x):
        def body(carry):
            x, n = carry
            return x * 0.999 + 0.001 / (1 + x * x), n + 1

        return lax.while_loop(lambda c: c[1] < 2000, body, (x, 0))

    return f, ROWS, (real(256),), (P("x"),), (P("x"), P())


@program("power iteration, psum each turn")
def _():
    def f(a, x):
        def turn(_, x):
            y = a @ x
            return y / jnp.sqrt(jnp.sum(y * y))

        return lax.fori_loop(0, 100, turn, x)

    return f, ROWS, (real(256, 256), real(256)), (P(None, "x"), P("x")), P("x")


@program("many small operations")
def _():
    def f(x, ws):
        for i in range(100):
            x = jnp.tanh(x @ ws[i]) + 0.1 * jnp.cumsum(x, 0)
        return x

    return f, ROWS, (real(64, 16), weight(100, 16, 16) * 10), (P("x", None), P()), P("x", None)


@program("complex iteration")
def _():
    def f(c):
        def turn(_, carry):
            z, count = carry
            z = jnp.where(jnp.abs(z) < 2, z * z + c, z)
            return z, count + (jnp.abs(z) < 2)

        return lax.fori_loop(0, 30, turn, (jnp.zeros_like(c), jnp.zeros(c.shape, jnp.int32)))[1]

    c = (real(256, 256) + 1j * real(256, 256)).astype(np.complex64)
    return f, ROWS, (c,), (P("x", None),), P("x", None)


def build(name):
    """Returns the function, its mesh (or None), its arguments, and shardings (None for one device)."""
    import exporting

    RANDOM.bit_generator.state = np.random.default_rng(0).bit_generator.state
    function, mesh, args, in_specs, out_specs = (PROGRAMS | dots.DOTS)[name]()
    if mesh is None:
        return function, None, args, None, None
    if isinstance(mesh, dict):
        mesh = exporting.make_mesh(**mesh)
    else:
        function = function(exporting.constrainer(mesh))
    jax.set_mesh(mesh)
    return (function, mesh, args, exporting.shardings(mesh, in_specs),
            exporting.shardings(mesh, out_specs))  # fmt: skip
