#===- model_ops.py - small models, in JAX ---------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The operations of model_ops.cc, written with JAX, and shapes of their arguments: parts of the programs of
benchmarks/collective_bytes."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P


def column(x, size):
    return lax.broadcast_in_dim(x, (x.shape[0], size), (0,))


def total(x, axes):
    return lax.reduce_sum_p.bind(x, axes=axes, out_sharding=None)


def relu(x):
    return lax.max(x, 0.0)


def mixture(x, router, w1, w2):
    tokens, experts = x.shape[0], router.shape[1]
    probabilities = jax.nn.softmax(jnp.matmul(x, router))
    chosen = lax.argmax(probabilities, 1, jnp.int32)
    numbers = lax.broadcasted_iota(jnp.int32, (tokens, experts), 1)
    hot = lax.convert_element_type(lax.eq(column(chosen, experts), numbers), jnp.float32)
    gate = jnp.einsum("te,te->t", probabilities, hot)
    inputs = jnp.einsum("te,td->etd", hot, x)
    hidden = relu(jnp.einsum("etd,edf->etf", inputs, w1))
    out = jnp.einsum("etf,efd->etd", hidden, w2)
    return [jnp.einsum("etd,te->td", out, hot) * column(gate, x.shape[1])]


def state_space(x, dt, a, b, c):
    step = lax.log1p(lax.exp(dt))
    decay = lax.exp(jnp.einsum("td,dn->tdn", step, lax.neg(lax.exp(a))))
    drive = jnp.einsum("td,tn->tdn", step * x, b)
    _, h = lax.associative_scan(lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1]), (decay, drive))
    return [jnp.einsum("tdn,tn->td", h, c)]


def convolve(x, kernel, stride, dilation, padding):
    return lax.conv_general_dilated(x, kernel, (stride,) * 2, padding, (dilation,) * 2, (1, 1), ("NHWC", "HWIO", "NHWC"))


def normalized(x):
    centered = x - jnp.mean(x, (0, 1, 2), keepdims=True)
    variance = jnp.mean(centered * centered, (0, 1, 2), keepdims=True)
    return centered * lax.rsqrt(variance + 1e-5)


SAME = ((1, 1), (1, 1))


def residual(x, k1, k2):
    y = relu(normalized(convolve(x, k1, 1, 1, SAME)))
    y = relu(normalized(convolve(y, k2, 1, 1, SAME)) + x)
    return [lax.reduce_window(y, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), ((0, 0),) * 4)]


def hourglass(x, k1, k2, k3):
    down = relu(convolve(x, k1, 2, 1, ((0, 1), (0, 1))))
    up = relu(convolve(down, k2, 1, 2, ((2, 2), (2, 2))))
    return [convolve(lax.concatenate([x, up], 3), k3, 1, 1, SAME)]


def gated_recurrence(xs, wx, wh, h0):
    n = h0.shape[1]
    part = lambda x, i: lax.slice_in_dim(x, i * n, (i + 1) * n, axis=1)

    def body(h, x):
        gx, gh = jnp.matmul(x, wx), jnp.matmul(h, wh)
        r = lax.logistic(part(gx, 0) + part(gh, 0))
        z = lax.logistic(part(gx, 1) + part(gh, 1))
        c = lax.tanh(part(gx, 2) + r * part(gh, 2))
        h = (1.0 - z) * c + z * h
        return h, h
    return list(lax.scan(body, h0, xs))


def block_attention(q, ks, vs):
    rows, width = q.shape

    def body(carry, block):
        m, l, acc = carry
        k, v = block
        s = jnp.einsum("qd,kd->qk", q, k)
        greatest = lax.max(m, lax.reduce_max_p.bind(s, axes=(1,)))
        p = lax.exp(s - column(greatest, k.shape[0]))
        scale = lax.exp(m - greatest)
        return (greatest, l * scale + total(p, (1,)),
                acc * column(scale, width) + jnp.einsum("qk,kd->qd", p, v)), greatest
    init = tuple(lax.full(shape, v, jnp.float32) for shape, v in (((rows,), -1e30), ((rows,), 0), ((rows, width), 0)))
    (m, l, acc), _ = lax.scan(body, init, (ks, vs))
    return [acc / column(l, width)]


def block(p, x):
    q, k, v = jnp.matmul(x, p[0]), jnp.matmul(x, p[1]), jnp.matmul(x, p[2])
    weights = jax.nn.softmax(jnp.einsum("qd,kd->qk", q, k))
    y = x + jnp.matmul(jnp.einsum("qk,kd->qd", weights, v), p[3])
    return y + jnp.matmul(jax.nn.gelu(jnp.matmul(y, p[4])), p[5])


def train_step(x, y, *parameters):
    def loss(p):
        error = block(p, x) - y
        return jnp.mean(error * error)
    value, grads = jax.value_and_grad(loss)(list(parameters))
    out = [value]
    for p, g in zip(parameters, grads):
        first, second = 0.1 * g, 0.001 * (g * g)
        out.append(p - 0.01 * first / (lax.sqrt(second) + 1e-8))
    return out


def long_convolution(x, kernel):
    n = x.shape[1:]
    product = lax.mul(lax.fft(x, lax.FftType.RFFT, n), lax.fft(kernel, lax.FftType.RFFT, n))
    return [lax.fft(product, lax.FftType.IRFFT, n) * lax.logistic(x)]


def top_rows(x, scores):
    best, positions = lax.top_k(scores, 2)
    gates = jax.nn.softmax(best)
    indices = lax.expand_dims(positions, (1,))
    clip = lax.GatherScatterMode.CLIP
    taken = lax.gather(x, indices, lax.GatherDimensionNumbers((1,), (0,), (0,)), (1, x.shape[1]), mode=clip)
    scaled = taken * column(gates, x.shape[1])
    return [lax.scatter_add(x, indices, scaled, lax.ScatterDimensionNumbers((1,), (0,), (0,)), mode=clip)]


def conjugate_gradients(m, b):
    apply = lambda v: jnp.einsum("ij,kj,k->i", m, m, v) + v

    def body(_, state):
        x, r, p = state
        ap = apply(p)
        rr = jnp.einsum("i,i->", r, r)
        alpha = rr / jnp.einsum("i,i->", p, ap)
        next_r = r - alpha * ap
        beta = jnp.einsum("i,i->", next_r, next_r) / rr
        return x + alpha * p, next_r, next_r + beta * p
    return [lax.fori_loop(0, 3, body, (lax.full(b.shape, 0, jnp.float32), b, b))[0]]


def ring_attention(q, k, v):
    def body(q, k, v):
        width = q.shape[1]
        turn = lambda x: lax.ppermute(x, "x", [(i, (i + 1) % 8) for i in range(8)])

        def step(_, carry):
            k, v, l, acc = carry
            p = lax.exp(jnp.einsum("qd,kd->qk", q, k))
            sums = l + total(p, (1,))
            acc = acc + jnp.einsum("qk,kd->qd", p, v)
            return turn(k), turn(v), sums, acc
        zero = total(q, (1,)) * 0.0
        _, _, l, acc = lax.fori_loop(0, 8, step, (k, v, zero, column(zero, width)))
        return acc / column(l, width)
    return [jax.shard_map(body, in_specs=(P("x"),) * 3, out_specs=P("x"))(q, k, v)]


# Shapes of the arguments.
MODELS = {
    mixture: [(6, 4), (4, 3), (3, 4, 5), (3, 5, 4)],
    state_space: [(7, 4), (7, 4), (4, 3), (7, 3), (7, 3)],
    residual: [(2, 4, 4, 3), (3, 3, 3, 3), (3, 3, 3, 3)],
    hourglass: [(2, 4, 4, 3), (3, 3, 3, 4), (4, 4, 4, 3), (3, 3, 6, 2)],
    gated_recurrence: [(5, 2, 3), (3, 12), (4, 12), (2, 4)],
    block_attention: [(4, 3), (3, 5, 3), (3, 5, 3)],
    train_step: [(4, 6), (4, 6)] + [(6, 6)] * 4 + [(6, 8), (8, 6)],
    long_convolution: [(3, 8), (3, 8)],
    top_rows: [(5, 3), (5,)],
    conjugate_gradients: [(4, 3), (4,)],
    ring_attention: [(16, 4)] * 3,
}
MODEL_OPS = {"model_" + f.__name__: (lambda f: lambda a, k: f(*a))(f) for f in MODELS}
SHAPES = {"model_" + f.__name__: shapes for f, shapes in MODELS.items()}
