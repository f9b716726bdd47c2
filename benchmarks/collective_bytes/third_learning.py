#===- third_learning.py - training and vision of the third list ------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Optimisers, ways to train, and models of images."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from second_language import alone, rms, trained
from suite import constrained, integers, normal, third as add
from third_sequences import COLUMNS, KEY, ROWS, random_key

# --- optimisers ---------------------------------------------------------------------------------
MLP = [normal(64, 128) / 8, normal(128, 128) / 11, normal(128, 16) / 11]
FSDP = [("data",), ("data",), ("data",)]
EXAMPLES = [normal(64, 64), integers(16, 64)]


def classify(p, x, y):
    h = jax.nn.gelu(jax.nn.gelu(x @ p[0]) @ p[1])
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(h @ p[2]), y[:, None], -1))


def lamb(p, m, v, x, y):
    grads = jax.grad(classify)(p, x, y)

    def one(p, m, v, g):
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        update = m / (jnp.sqrt(v) + 1e-3) + 0.01 * p
        trust = jnp.linalg.norm(p) / (jnp.linalg.norm(update) + 1e-6)
        return p - 0.01 * trust * update, m, v

    return [one(*leaves) for leaves in zip(p, m, v, grads)]


SQUARES = [np.abs(w) for w in MLP]
add("LAMB, fully sharded", lamb, [MLP, MLP, SQUARES, *EXAMPLES], [FSDP, FSDP, FSDP, ("data",), ("data",)], data=8)
TENSOR = [("data", "model"), ("model", "data"), ("data", "model")]
add("LAMB, fully sharded and tensor", lamb, [MLP, MLP, SQUARES, *EXAMPLES], [TENSOR, TENSOR, TENSOR, ("data",), ("data",)], data=4, model=2)


def lion(p, m, average, x, y):
    """Signs of gradients, decay, a moving average of the weights kept in other shards."""
    loss, grads = jax.value_and_grad(classify)(p, x, y)
    new = jax.tree.map(lambda p, m, g: p - 0.01 * (jnp.tanh(100 * (0.9 * m + 0.1 * g)) + 0.1 * p), p, m, grads)
    m = jax.tree.map(lambda m, g: 0.99 * m + 0.01 * g, m, grads)
    return new, m, jax.tree.map(lambda a, p: 0.99 * a + 0.01 * p, average, new), loss


add("Lion and averaged weights, state sharded", lion, [MLP, MLP, MLP, *EXAMPLES], [[()] * 3, FSDP, FSDP, ("data",), ("data",)], [[()] * 3, FSDP, FSDP, ()], data=8)


def scaled(p, scale, x):
    """Half precision with a loss scale that shrinks where gradients are not finite, and clipping."""

    def loss(p):
        half = jax.tree.map(lambda w: w.astype(jnp.bfloat16), p)
        h = jax.nn.relu(x.astype(jnp.bfloat16) @ half[0])
        logits = (jax.nn.relu(h @ half[1]) @ half[2]).astype(jnp.float32)
        return scale * jnp.mean(jnp.square(logits)) / 64

    grads = jax.tree.map(lambda g: g / scale, jax.grad(loss)(p))
    finite = jnp.all(jnp.array([jnp.all(jnp.isfinite(g)) for g in grads]))
    size = jnp.sqrt(sum(jnp.sum(g * g) for g in grads))
    clip = jnp.minimum(1.0, 1.0 / size)
    return [jnp.where(finite, w - 0.01 * clip * g, w) for w, g in zip(p, grads)], jnp.where(finite, scale * 2, scale / 2)


add("loss scale and clipping, data", scaled, [MLP, np.float32(8), EXAMPLES[0]], [[()] * 3, (), ("data",)], data=8)


def sharpness(p, x, y):
    """Two gradients: up the slope, then down from there."""
    grads = jax.grad(classify)(p, x, y)
    size = jnp.sqrt(sum(jnp.vdot(g, g) for g in grads))
    up = jax.tree.map(lambda p, g: p + 0.05 * g / size, p, grads)
    return jax.tree.map(lambda p, g: p - 0.1 * g, p, jax.grad(classify)(up, x, y))


add("sharpness-aware step, tensor", sharpness, [MLP, *EXAMPLES], [[COLUMNS, ROWS, ()], ("data",), ("data",)], data=4, model=2)


def private(p, x, y, key):
    """Gradients of each example are clipped, added up and blurred."""
    each = jax.vmap(jax.grad(lambda p, x, y: classify(p, x[None], y[None])), (None, 0, 0))(p, x, y)
    size = jnp.sqrt(sum(jnp.sum(g * g, tuple(range(1, g.ndim))) for g in each))
    factor = jnp.minimum(1, 1 / size)
    total = [jnp.tensordot(factor, g, 1) / len(x) for g in each]
    noise = [jax.random.normal(k, g.shape) for k, g in zip(jax.random.split(random_key(key), 3), total)]
    return [w - 0.1 * (g + 0.01 * n) for w, g, n in zip(p, total, noise)]


add("private gradients, data", private, [MLP, *EXAMPLES, KEY], [[()] * 3, ("data",), ("data",), ()], data=8)
add("private gradients, data and tensor", private, [MLP, *EXAMPLES, KEY], [[COLUMNS, ROWS, ()], ("data",), ("data",), ()], data=4, model=2)


def inner_loop(p, x, y, x2, y2):
    """Second-order adaptation: gradients through a step of gradient descent of each task."""

    def task(x, y, x2, y2, p):
        fast = jax.tree.map(lambda p, g: p - 0.1 * g, p, jax.grad(classify)(p, x, y))
        return classify(fast, x2, y2)

    loss = lambda p: jnp.mean(jax.vmap(lambda *t: task(*t, p))(x, y, x2, y2))
    return jax.tree.map(lambda p, g: p - 0.1 * g, p, jax.grad(loss)(p))


TASKS = [normal(16, 8, 64), integers(16, 16, 8), normal(16, 8, 64), integers(16, 16, 8)]
add("learning to learn, tasks sharded", inner_loop, [MLP, *TASKS], [[()] * 3] + [("data",)] * 4, data=8)


def local_steps(p, x, y):
    """Replicas take their own steps, then average, as in federated averaging."""

    def alone(p, x, y):
        step = lambda p, batch: (jax.tree.map(lambda p, g: p - 0.1 * g, p, jax.grad(classify)(p, *batch)), None)
        return lax.scan(step, p, (x, y))[0]

    return jax.tree.map(lambda w: w.mean(0), jax.vmap(alone, (None, 0, 0))(p, x, y))


add("federated averaging, clients sharded", local_steps, [MLP, normal(16, 3, 8, 64), integers(16, 16, 3, 8)], [[()] * 3, ("data",), ("data",)], data=8)


@constrained
def gathered_by_hand(constrain, p, x, y):
    """Weights gathered before a layer and gradients scattered after it, by shard_map."""
    mesh = constrain.mesh or alone("data")
    spec = jax.sharding.PartitionSpec

    def local(p, x, y):
        def loss(p):
            whole = [lax.all_gather(w, "data", tiled=True) for w in p]
            return lax.pmean(classify(whole, x, y), "data")

        return loss(p)

    total = jax.shard_map(local, mesh=mesh, in_specs=([spec("data")] * 3, spec("data"), spec("data")), out_specs=spec())
    value, grads = jax.value_and_grad(total)(p, x, y)
    return jax.tree.map(lambda p, g: p - 0.1 * g, p, grads), value


add("weights gathered by shard_map, step", gathered_by_hand, [MLP, *EXAMPLES], [FSDP, ("data",), ("data",)], data=8)


def moments(p, q, x, y):
    """Quantised moments: blocks of 64 as int8 with their largest element."""
    grads = jax.grad(classify)(p, x, y)

    def one(w, state, g):
        small, top = state
        m = (small.astype(jnp.float32) * top[:, None] / 127).reshape(w.shape) * 0.9 + 0.1 * g
        blocks = m.reshape(-1, 16)
        top = jnp.max(jnp.abs(blocks), 1)
        return w - 0.1 * m, (jnp.floor(blocks / (top[:, None] + 1e-9) * 127).astype(jnp.int8), top)

    return [one(w, s, g)[0] for w, s, g in zip(p, q, grads)]


EIGHT = [(integers(200, w.size // 16, 16).astype(np.int8), np.abs(normal(w.size // 16))) for w in MLP]
add("moments of eight bits, fully sharded", moments, [MLP, EIGHT, *EXAMPLES], [FSDP, [(("data",), ("data",))] * 3, ("data",), ("data",)], data=8)


# --- losses and networks ------------------------------------------------------------------------
def prefer(p, frozen, good, bad):
    """Direct preference optimisation: two models, two answers."""

    def chance(p, tokens):
        x = p[0][tokens]
        x = x + jax.nn.gelu(rms(x) @ p[1]) @ p[2]
        x = x + jnp.cumsum(rms(x) @ p[3], 1) / jnp.arange(1, 17)[:, None]
        picked = jnp.take_along_axis(jax.nn.log_softmax(rms(x) @ p[0].T)[:, :-1], tokens[:, 1:, None], -1)
        return picked.sum((1, 2))

    def loss(p):
        both = [chance(p, t) - lax.stop_gradient(chance(frozen, t)) for t in (good, bad)]
        return -jnp.mean(jax.nn.log_sigmoid(0.1 * (both[0] - both[1])))

    value, grads = jax.value_and_grad(loss)(p)
    return jax.tree.map(lambda p, g: p - 0.1 * g, p, grads), value


PREFER = [normal(256, 64) / 8, normal(64, 128) / 8, normal(128, 64) / 11, normal(64, 64) / 8]
PREFER_SPECS = [("tensor", "fsdp"), ("fsdp", "tensor"), ("tensor", "fsdp"), ("fsdp", "tensor")]
add("preferences, two models, step", prefer, [PREFER, [w * 0.9 for w in PREFER], integers(256, 8, 16), integers(256, 8, 16)], [PREFER_SPECS, PREFER_SPECS, (("data", "fsdp"),), (("data", "fsdp"),)], data=2, fsdp=2, tensor=2)


def teach(p, teacher, a, b):
    """Bootstrapped views: a predictor meets a slowly moving copy; batch statistics."""

    def embed(p, x):
        h = x @ p[0]
        h = jax.nn.relu((h - h.mean(0)) * lax.rsqrt(h.var(0) + 1e-5))
        return h @ p[1]

    def loss(p):
        unit = lambda t: t * lax.rsqrt(jnp.sum(t * t, -1, keepdims=True) + 1e-6)
        z = unit(embed(p, a) @ p[2])
        return 2 - 2 * jnp.mean(jnp.sum(z * unit(lax.stop_gradient(embed(teacher, b))), -1))

    new = jax.tree.map(lambda p, g: p - 0.1 * g, p, jax.grad(loss)(p))
    return new, jax.tree.map(lambda t, p: 0.99 * t + 0.01 * p, teacher, new)


VIEWS = [normal(64, 128) / 8, normal(128, 32) / 11, normal(32, 32) / 6]
add("bootstrapped views, data", teach, [VIEWS, VIEWS, normal(64, 64), normal(64, 64)], [[()] * 3, [()] * 3, ("data",), ("data",)], data=8)


def conv(x, w, stride=1, groups=1):
    return lax.conv_general_dilated(x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=groups)


def transposed(x, w):
    return lax.conv_transpose(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def group_norm(x, groups=4):
    y = x.reshape(*x.shape[:3], groups, -1)
    mean, variance = y.mean((1, 2, 4), keepdims=True), y.var((1, 2, 4), keepdims=True)
    return ((y - mean) * lax.rsqrt(variance + 1e-5)).reshape(x.shape)


def adversaries(p, noise, images):
    """One step of a generator of transposed convolutions and of its critic."""

    def draw(g):
        x = jax.nn.relu((noise @ g[0]).reshape(-1, 4, 4, 16))
        return jnp.tanh(transposed(jax.nn.relu(transposed(x, g[1])), g[2]))

    def judge(d, x):
        x = jax.nn.leaky_relu(conv(x, d[0], 2))
        return jax.nn.leaky_relu(conv(x, d[1], 2)).reshape(len(x), -1) @ d[2]

    g, d = p
    of_critic = jax.grad(lambda d: jnp.mean(jax.nn.softplus(judge(d, draw(g)))) + jnp.mean(jax.nn.softplus(-judge(d, images))))(d)
    of_generator = jax.grad(lambda g: jnp.mean(jax.nn.softplus(-judge(d, draw(g)))))(g)
    return jax.tree.map(lambda w, u: w - 0.1 * u, (g, d), (of_generator, of_critic))


GENERATOR = [normal(16, 256) / 4, normal(4, 4, 16, 8) / 8, normal(4, 4, 8, 3) / 8]
CRITIC = [normal(4, 4, 3, 8) / 6, normal(4, 4, 8, 16) / 11, normal(256, 1) / 16]
add("adversaries step, data", adversaries, [(GENERATOR, CRITIC), normal(16, 16), normal(16, 16, 16, 3)], [([()] * 3, [()] * 3), ("data",), ("data",)], data=8)
add("adversaries step, channels", adversaries, [(GENERATOR, CRITIC), normal(16, 16), normal(16, 16, 16, 3)], [([COLUMNS, (None, None, None, "model"), (None, None, "model")], [(None, None, None, "model"), (None, None, "model"), ()]), ("data",), ("data",)], data=4, model=2)


def dense_block(p, x):
    """Every layer sees all before it; groups are normalised."""
    for w in p[:-1]:
        x = jnp.concatenate([x, conv(jax.nn.relu(group_norm(x)), w)], -1)
    return lax.reduce_window(conv(x, p[-1]), 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") / 4


DENSE = [normal(3, 3, 16, 8) / 12, normal(3, 3, 24, 8) / 15, normal(3, 3, 32, 16) / 17, normal(1, 1, 48, 16) / 7]
add("dense block, rows of images sharded, step", trained(lambda p, x: jnp.mean(dense_block(p, x) ** 2)), [DENSE, normal(4, 32, 32, 16)], [[()] * 4, ("data", "space")], data=2, space=4)


def squeezed(p, x):
    """Inverted residuals: expand, depthwise, squeeze and excite, project."""
    for w in p:
        h = jax.nn.silu(conv(x, w[0]))
        h = jax.nn.silu(conv(h, w[1], groups=h.shape[-1]))
        h = h * jax.nn.sigmoid(jax.nn.silu(h.mean((1, 2)) @ w[2]) @ w[3])[:, None, None]
        x = x + conv(h, w[4])
    return x


SQUEEZED = [[normal(1, 1, 16, 64) / 4, normal(3, 3, 1, 64) / 3, normal(64, 16) / 8, normal(16, 64) / 4, normal(1, 1, 64, 16) / 8] for _ in range(2)]
CHANNELS = [(None, None, None, "model"), (None, None, None, "model"), ROWS, COLUMNS, (None, None, "model")]
add("squeeze and excite, channels, step", trained(lambda p, x: jnp.mean(squeezed(p, x) ** 2)), [SQUEEZED, normal(8, 16, 16, 16)], [[CHANNELS] * 2, ("data",)], data=4, model=2)
add("squeeze and excite, rows and columns sharded", squeezed, [SQUEEZED, normal(2, 32, 32, 16)], [jax.tree.map(lambda _: (), SQUEEZED), (None, "x", "y")], x=4, y=2)


def shifted_windows(p, x):
    """Attention in windows of 4 x 4, then in windows shifted by half."""
    b, n = x.shape[:2]
    for shift, w in zip((0, 2), p):
        h = jnp.roll(rms(x), (-shift, -shift), (1, 2))
        h = h.reshape(b, n // 4, 4, n // 4, 4, 32).transpose(0, 1, 3, 2, 4, 5).reshape(-1, 16, 32)
        q, k, v = ((h @ m).reshape(-1, 16, 4, 8) for m in w[:3])
        scores = jnp.einsum("wqhd,wkhd->whqk", q, k) / 3 + w[4]
        h = jnp.einsum("whqk,wkhd->wqhd", jax.nn.softmax(scores), v).reshape(-1, 16, 32) @ w[3]
        h = h.reshape(b, n // 4, n // 4, 4, 4, 32).transpose(0, 1, 3, 2, 4, 5).reshape(x.shape)
        x = x + jnp.roll(h, (shift, shift), (1, 2))
    return x


WINDOWS = [[normal(32, 32) / 6 for _ in range(4)] + [normal(4, 16, 16)] for _ in range(2)]
add("shifted windows, rows of images sharded", shifted_windows, [WINDOWS, normal(2, 32, 32, 32)], [jax.tree.map(lambda _: (), WINDOWS), ("data", "space")], data=2, space=4)
add("shifted windows, data, step", trained(lambda p, x: jnp.mean(shifted_windows(p, x) ** 2)), [WINDOWS, normal(8, 16, 16, 32)], [jax.tree.map(lambda _: (), WINDOWS), ("data",)], data=8)


def bilinear(image, y, x):
    """(row, column, channel) at fractional places, those outside clamped."""
    h, w = image.shape[:2]
    y, x = jnp.clip(y, 0, h - 1.001), jnp.clip(x, 0, w - 1.001)
    i, j = jnp.floor(y).astype(int), jnp.floor(x).astype(int)
    a, b = (y - i)[..., None], (x - j)[..., None]
    return (1 - a) * ((1 - b) * image[i, j] + b * image[i, j + 1]) + a * ((1 - b) * image[i + 1, j] + b * image[i + 1, j + 1])


def deformed(p, x):
    """A deformable convolution: another convolution computes the offsets of its nine taps."""
    away = conv(x, p[0]).reshape(*x.shape[:3], 9, 2)
    at = jnp.stack(jnp.meshgrid(jnp.arange(x.shape[1]), jnp.arange(x.shape[2]), indexing="ij"), -1)
    taps = at[:, :, None] + np.stack(np.meshgrid([-1, 0, 1], [-1, 0, 1], indexing="ij"), -1).reshape(9, 2) + away
    seen = jax.vmap(bilinear)(x, taps[..., 0], taps[..., 1])
    return jnp.einsum("byxtc,tcd->byxd", seen, p[1])


DEFORMED = [normal(3, 3, 8, 18) / 20, normal(9, 8, 16) / 8]
add("deformable convolution, data, step", trained(lambda p, x: jnp.mean(deformed(p, x) ** 2)), [DEFORMED, normal(8, 16, 16, 8)], [[(), ()], ("data",)], data=8)


def regions(features, boxes, which, w):
    """Features of boxes on a grid of 4 x 4 places, then a classifier. Features are sharded by batch,
    boxes separately."""
    top, left, height, width = jnp.split(jax.nn.sigmoid(boxes) * 15, 4, -1)
    grid = (jnp.arange(4) + 0.5) / 4
    y, x = top + (15 - top) * height / 15 * grid, left + (15 - left) * width / 15 * grid
    seen = jax.vmap(lambda i, y, x: bilinear(features[i], y[:, None], x[None]))(which, y, x)
    return seen.reshape(len(boxes), -1) @ w


add("regions of interest, boxes sharded", regions, [normal(8, 16, 16, 8), normal(64, 4), integers(8, 64), normal(128, 10)], [(), ("data",), ("data",), ()], data=8)


def suppressed(boxes, scores):
    """Non-maximum suppression: 32 times, keeps the best remaining box and removes those that overlap
    it."""
    low, high = boxes[:, :2], boxes[:, :2] + jnp.abs(boxes[:, 2:])

    def step(scores, _):
        best = jnp.argmax(scores)
        inside = jnp.prod(jnp.maximum(jnp.minimum(high, high[best]) - jnp.maximum(low, low[best]), 0), -1)
        area = jnp.prod(high - low, -1)
        overlap = inside / (area + area[best] - inside + 1e-9)
        top = scores[best]
        return jnp.where((overlap > 0.3) | (jnp.arange(len(scores)) == best), -1e9, scores), (best, top)

    return lax.scan(step, scores, None, length=16)[1]


add("suppression of overlapping boxes, boxes sharded", suppressed, [normal(256, 4), normal(256)], [("data",), ("data",)], data=8)


def resolved(p, x):
    """Super-resolution: convolutions, then channels become pixels."""
    h = conv(jax.nn.relu(conv(x, p[0])), p[1])
    b, n, m, _ = h.shape
    return h.reshape(b, n, m, 2, 2, 3).transpose(0, 1, 3, 2, 4, 5).reshape(b, 2 * n, 2 * m, 3)


add("super-resolution, rows sharded, step", trained(lambda p, x: jnp.mean(resolved(p, x) ** 2)), [[normal(5, 5, 3, 16) / 8, normal(3, 3, 16, 12) / 12], normal(4, 32, 32, 3)], [[(), ()], ("data", "space")], data=2, space=4)


def correlations(a, b):
    """Costs of displacements between two images, rows sharded, and the best of each pixel."""
    padded = jnp.pad(b, ((0, 0), (3, 3), (3, 3), (0, 0)))
    n, m = a.shape[1:3]
    cost = jnp.stack([jnp.sum(a * padded[:, i : i + n, j : j + m], -1) for i in range(7) for j in range(7)], -1)
    return jnp.argmax(cost, -1), jax.nn.softmax(cost)


add("optical flow, rows sharded", correlations, [normal(2, 32, 32, 8)] * 2, [("data", "space")] * 2, data=2, space=4)


def quantised(p, x):
    """An autoencoder with a codebook that moves to the mean of the inputs that chose each code; codes
    sharded."""
    z = x @ p["in"]
    away = jnp.sum(z * z, -1)[:, None] - 2 * z @ p["codes"].T + jnp.sum(p["codes"] ** 2, -1)
    chosen = jnp.argmin(away, -1)
    y = z + lax.stop_gradient(p["codes"][chosen] - z)
    hot = jax.nn.one_hot(chosen, 128)
    codes = 0.9 * p["codes"] + 0.1 * (hot.T @ z) / (hot.sum(0)[:, None] + 1e-5)
    return jnp.mean((y @ p["out"] - x) ** 2), codes


QUANTISED = {"in": normal(64, 32) / 8, "codes": normal(128, 32), "out": normal(32, 64) / 6}
add("vector quantisation, codes sharded", quantised, [QUANTISED, normal(256, 64)], [{"in": (), "codes": ("model",), "out": ()}, ("data",)], data=4, model=2)


def masked_patches(p, x, key):
    """A masked autoencoder: a random quarter of the patches is encoded, the others are guessed."""
    b, n, _ = x.shape
    order = jnp.argsort(jax.random.uniform(random_key(key), (b, n)), 1)
    back = jnp.argsort(order, 1)
    seen = jnp.take_along_axis(x, order[:, : n // 4, None], 1) @ p[0]
    for _ in range(2):
        seen = seen + jax.nn.gelu(rms(seen) @ p[1]) @ p[2] + seen.mean(1, keepdims=True)
    whole = jnp.concatenate([seen, jnp.broadcast_to(p[3], (b, n - n // 4, 64))], 1)
    whole = jnp.take_along_axis(whole, back[..., None], 1)
    hidden = (back >= n // 4)[..., None]
    return jnp.sum(((whole @ p[4] - x) ** 2) * hidden) / jnp.sum(hidden)


MASKED = [normal(48, 64) / 7, normal(64, 128) / 8, normal(128, 64) / 11, normal(64), normal(64, 48) / 8]
add("masked patches, data and tensor, step", trained(masked_patches), [MASKED, normal(16, 32, 48), KEY], [[(), COLUMNS, ROWS, (), ()], ("data",), ()], data=4, model=2)


def points(p, x):
    """A set of points: shared layers, the largest of all points, a classifier."""
    for w in p[:2]:
        x = jax.nn.relu(x @ w)
    whole = x.max(1, keepdims=True)
    x = jnp.concatenate([x, jnp.broadcast_to(whole, x.shape)], -1)
    return jnp.mean(jax.nn.logsumexp(x @ p[2], -1))


add("point sets, points sharded, step", trained(points), [[normal(3, 32), normal(32, 64) / 6, normal(128, 8) / 11], normal(8, 256, 3)], [[(), (), ()], ("data", "points")], data=2, points=4)


def denoised(p, x):
    """Ten deterministic steps of a denoiser, with classifier-free guidance by two halves of a batch."""

    def step(x, t):
        level = jnp.cos(t * 0.1)
        both = jnp.concatenate([x, x])
        hint = jnp.concatenate([jnp.ones(len(x)), jnp.zeros(len(x))])[:, None]
        h = jax.nn.silu(jnp.concatenate([both, hint, jnp.full_like(hint, level)], -1) @ p[0])
        a, b = jnp.split(h @ p[1], 2)
        noise = b + 3 * (a - b)
        return level * (x - 0.1 * noise), None

    return lax.scan(step, x, jnp.arange(10.0))[0]


add("guided denoising, data and tensor", denoised, [[normal(66, 128) / 8, normal(128, 64) / 11], normal(16, 64)], [[COLUMNS, ROWS], ("data",)], data=4, model=2)
