#===- second_learning.py - images, graphs, sequences, agents: second list --===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Networks on images, volumes, graphs, speech; reinforcement learning; rendering."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from second_language import trained
from suite import constrained, integers, normal, second as add


def conv(x, w, stride=1, groups=1):
    d = x.ndim - 2
    dims = ("NDHWC"[: 1] + "DHW"[3 - d :] + "C", "DHW"[3 - d :] + "IO", "N" + "DHW"[3 - d :] + "C")
    return lax.conv_general_dilated(x, w, (stride,) * d, "SAME", dimension_numbers=dims, feature_group_count=groups)


def filters(*shape):
    return normal(*shape) / np.float32(np.sqrt(np.prod(shape[:-1])))


# --- images -----------------------------------------------------------------------------------
def group_norm(x, groups=4):
    g = x.reshape(*x.shape[:-1], groups, -1)
    g = (g - g.mean((1, 2, 4), keepdims=True)) * lax.rsqrt(g.var((1, 2, 4), keepdims=True) + 1e-5)
    return g.reshape(x.shape)


def diffusion(p, x, noise, time):
    """A denoising step: a small UNet with group norms and embedded time."""
    angle = time[:, None] * jnp.exp(-jnp.arange(8) / 2.0)
    embedded = jnp.concatenate([jnp.sin(angle), jnp.cos(angle)], -1) @ p["time"]
    keep = jnp.cos(time)[:, None, None, None]
    noisy = keep * x + jnp.sqrt(1 - keep**2 + 1e-4) * noise
    a = jax.nn.silu(group_norm(conv(noisy, p["in"]) + embedded[:, None, None]))
    b = jax.nn.silu(group_norm(conv(a, p["down"], 2)))
    flat = b.reshape(b.shape[0], -1, b.shape[-1])
    scores = jax.nn.softmax(jnp.einsum("bqc,bkc->bqk", flat, flat) / 4)
    b = b + (jnp.einsum("bqk,bkc->bqc", scores, flat) @ p["mix"]).reshape(b.shape)
    up = jnp.repeat(jnp.repeat(b, 2, 1), 2, 2)
    return jnp.mean((conv(jnp.concatenate([a, up], -1), p["out"]) - noise) ** 2)


DIFFUSION = dict([("time", normal(16, 16) / 4), ("in", filters(3, 3, 4, 16)), ("down", filters(3, 3, 16, 16)), ("mix", normal(16, 16) / 4), ("out", filters(3, 3, 32, 4))])
FREE = {k: () for k in DIFFUSION}
IMAGES = [normal(8, 16, 16, 4), normal(8, 16, 16, 4), np.abs(normal(8)) % 1]
add("diffusion step, data", trained(diffusion), [DIFFUSION, *IMAGES], [FREE, ("data",), ("data",), ("data",)], data=8)
add("diffusion step, spatial", trained(diffusion), [DIFFUSION, *IMAGES], [FREE, ("data", "space"), ("data", "space"), ("data",)], data=2, space=4)


def bottlenecks(p, running, x, labels):
    """ResNet with batch statistics of the whole batch, and their running averages."""
    seen = []

    def norm(x, scale):
        mean, var = x.mean((0, 1, 2)), x.var((0, 1, 2))
        seen.append((mean, var))
        return (x - mean) * lax.rsqrt(var + 1e-5) * scale

    x = jax.nn.relu(norm(conv(x, p["stem"]), p["scale"]))
    for a, b, c in p["blocks"]:
        h = jax.nn.relu(norm(conv(x, a), p["scale"][: a.shape[-1]]))
        h = jax.nn.relu(norm(conv(h, b), p["scale"][: b.shape[-1]]))
        x = jax.nn.relu(x + norm(conv(h, c), p["scale"]))
    logits = x.mean((1, 2)) @ p["head"]
    loss = -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], -1))
    return loss, [0.9 * r + 0.1 * jnp.concatenate([m, v]) for r, (m, v) in zip(running, seen)]


def resnet_step(p, running, x, labels):
    (loss, running), g = jax.value_and_grad(bottlenecks, has_aux=True)(p, running, x, labels)
    return jax.tree.map(lambda p, g: p - 0.1 * g, p, g), running, loss


RESNET = dict(stem=filters(3, 3, 3, 32), scale=np.ones(32, np.float32), blocks=[(filters(1, 1, 32, 8), filters(3, 3, 8, 8), filters(1, 1, 8, 32)) for _ in range(2)], head=normal(32, 10) / 6)
RUNNING = [np.ones(2 * n, np.float32) for n in (32, 8, 8, 32, 8, 8, 32)]
RESNET_DATA = [RESNET, RUNNING, normal(16, 16, 16, 3), integers(10, 16)]
NONE = jax.tree.map(lambda _: (), RESNET)
CHANNELS = dict(stem=(None, None, None, "model"), scale=("model",), blocks=[((None, None, "model"), (), (None, None, None, "model"))] * 2, head=("model",))
add("ResNet step, data", resnet_step, RESNET_DATA, [NONE, [()] * 7, ("data",), ("data",)], data=8)
add("ResNet step, spatial", resnet_step, RESNET_DATA, [NONE, [()] * 7, ("data", "space"), ("data",)], data=4, space=2)
add("ResNet step, channels", resnet_step, RESNET_DATA, [CHANNELS, [()] * 7, ("data",), ("data",)], data=4, model=2)


def separable(p, x):
    for depth, point in p:
        x = jax.nn.relu6(conv(x, depth, 1, x.shape[-1]))
        x = jax.nn.relu6(conv(x, point))
    return x.mean((1, 2))


add("separable convolutions, channels", trained(lambda p, x: jnp.mean(separable(p, x) ** 2)), [[(filters(3, 3, 1, 16), filters(1, 1, 16, 32)), (filters(3, 3, 1, 32), filters(1, 1, 32, 32))], normal(8, 16, 16, 16)], [[((None, None, None, "model"), (None, None, None, "model"))] * 2, ("data", None, None, "model")], data=2, model=4)
add("volumes, depth sharded", trained(lambda p, x, y: jnp.mean((conv(jax.nn.relu(conv(jax.nn.relu(conv(x, p[0])), p[1])), p[2]) - y) ** 2)), [[filters(3, 3, 3, 2, 8), filters(3, 3, 3, 8, 8), filters(1, 1, 1, 8, 1)], normal(2, 16, 8, 8, 2), normal(2, 16, 8, 8, 1)], [[(), (), ()], ("data", "depth"), ("data", "depth")], data=2, depth=4)


def augment(images, key):
    """Random crops, flips, contrast and cut-outs of a batch."""

    def one(image, key):
        a, b, c, d = jax.random.split(key, 4)
        padded = jnp.pad(image, ((2, 2), (2, 2), (0, 0)), mode="reflect")
        at = jax.random.randint(a, (2,), 0, 5)
        image = lax.dynamic_slice(padded, (at[0], at[1], 0), (16, 16, 3))
        image = jnp.where(jax.random.bernoulli(b), image[:, ::-1], image)
        image = image.mean() + (image - image.mean()) * jax.random.uniform(c, minval=0.5, maxval=1.5)
        y, x = jax.random.randint(d, (2,), 0, 12)
        rows, columns = jnp.arange(16)[:, None], jnp.arange(16)
        hole = (rows >= y) & (rows < y + 4) & (columns >= x) & (columns < x + 4)
        return jnp.where(hole[..., None], 0, image)

    out = jax.vmap(one)(images, jax.random.split(jax.random.wrap_key_data(key), images.shape[0]))
    return (out - out.mean((0, 1, 2))) / out.std((0, 1, 2))


add("image augmentation", augment, [normal(32, 16, 16, 3), np.array([3, 4], np.uint32)], [("data",), ()], data=8)


def autoencoder(p, x, key):
    """A variational one, with transposed convolutions."""
    h = jax.nn.relu(conv(x, p["in"], 2)).reshape(x.shape[0], -1)
    mean, spread = jnp.split(h @ p["code"], 2, -1)
    z = mean + jnp.exp(spread / 2) * jax.random.normal(jax.random.wrap_key_data(key), mean.shape)
    y = jax.nn.relu(z @ p["decode"]).reshape(x.shape[0], 8, 8, 8)
    y = lax.conv_transpose(y, p["out"], (2, 2), "SAME")
    return jnp.mean((y - x) ** 2) + 0.01 * jnp.mean(jnp.exp(spread) + mean**2 - 1 - spread)


add("variational autoencoder step", trained(autoencoder), [dict([("in", filters(3, 3, 1, 8)), ("code", normal(512, 32) / 30), ("decode", normal(16, 512) / 4), ("out", filters(3, 3, 8, 1))]), normal(32, 16, 16, 1), np.array([5, 6], np.uint32)], [dict([("in", ()), ("code", ("model",)), ("decode", (None, "model")), ("out", ())]), ("data",), ()], data=4, model=2)


def render(p, origins, directions):
    """Volume rendering along rays: samples of a small network, transmitted by products."""
    t = jnp.linspace(0.5, 2.0, 16)
    points = origins[:, None] + directions[:, None] * t[:, None]
    waves = jnp.concatenate([jnp.sin(points * 2.0**i) for i in range(4)], -1)
    out = jax.nn.relu(waves @ p[0]) @ p[1]
    alpha = 1 - jnp.exp(-jax.nn.softplus(out[..., 0]) * 0.1)
    through = jnp.cumprod(jnp.concatenate([jnp.ones_like(alpha[:, :1]), 1 - alpha[:, :-1] + 1e-6], 1), 1)
    return jnp.einsum("rs,rsc->rc", alpha * through, jax.nn.sigmoid(out[..., 1:]))


add("radiance field step", trained(lambda p, o, d, c: jnp.mean((render(p, o, d) - c) ** 2)), [[normal(12, 64) / 3, normal(64, 4) / 8], normal(128, 3), normal(128, 3), normal(128, 3)], [[(None, "model"), ("model",)], ("data",), ("data",), ("data",)], data=4, model=2)


# --- graphs -----------------------------------------------------------------------------------
def graph_attention(p, x, senders, receivers):
    h = x @ p[0]
    score = jax.nn.leaky_relu((h @ p[1])[senders] + (h @ p[2])[receivers])
    top = jax.ops.segment_max(score, receivers, x.shape[0])
    weight = jnp.exp(score - top[receivers])
    low = jax.ops.segment_sum(weight, receivers, x.shape[0])
    weight = weight / low[receivers]
    return jax.ops.segment_sum(weight[:, None] * h[senders], receivers, x.shape[0])


GAT = [[normal(32, 32) / 6, normal(32) / 6, normal(32) / 6], normal(64, 32), integers(64, 512), np.concatenate([np.arange(64), integers(64, 448)]).astype(np.int32)]
add("graph attention step, edges sharded", trained(lambda p, *g: jnp.mean(graph_attention(p, *g) ** 2)), GAT, [[(), (), ()], (), ("data",), ("data",)], data=8)
add("graph attention, nodes and edges sharded", graph_attention, GAT, [[(), (), ()], ("data",), ("data",), ("data",)], [("data",)], data=8)


def sage(p, x, neighbours, labels):
    """Means over a table of sampled neighbours."""
    for own, other in p[:2]:
        x = jax.nn.relu(x @ own + x[neighbours].mean(1) @ other)
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(x @ p[2]), labels[:, None], -1))


add("sampled neighbours step, nodes sharded", trained(sage), [[(normal(32, 32) / 6, normal(32, 32) / 6), (normal(32, 32) / 6, normal(32, 32) / 6), normal(32, 8)], normal(128, 32), integers(128, 128, 4), integers(8, 128)], [[((), ()), ((), ()), ()], ("data",), ("data",), ("data",)], data=8)


# --- sequences --------------------------------------------------------------------------------
def gru(w, u, b, x, mask, reverse=False):
    def step(h, xm):
        x, m = xm
        g = x @ w + b
        z, r = jnp.split(jax.nn.sigmoid(g[:, :64] + h @ u[:, :64]), 2, -1)
        n = jnp.tanh(g[:, 64:] + (r * h) @ u[:, 64:])
        h = jnp.where(m[:, None], (1 - z) * h + z * n, h)
        return h, h

    return lax.scan(step, jnp.zeros((x.shape[1], 32)), (x, mask), reverse=reverse)[1]


def ctc(logits, labels):
    """Connectionist temporal classification by a scan over time, labels with blanks between."""
    logp = jax.nn.log_softmax(logits)
    full = jnp.zeros((labels.shape[0], 2 * labels.shape[1] + 1), jnp.int32).at[:, 1::2].set(labels)
    skip = (full != 0) & (full != jnp.roll(full, 2, 1)) & (jnp.arange(full.shape[1]) > 1)

    def shift(a, n):
        return jnp.pad(a, ((0, 0), (n, 0)), constant_values=-1e9)[:, : a.shape[1]]

    def step(alpha, frame):
        three = jnp.stack([alpha, shift(alpha, 1), jnp.where(skip, shift(alpha, 2), -1e9)])
        alpha = jax.nn.logsumexp(three, 0) + jnp.take_along_axis(frame, full, 1)
        return alpha, None

    start = jnp.where(jnp.arange(full.shape[1]) < 2, jnp.take_along_axis(logp[0], full, 1), -1e9)
    alpha = lax.scan(step, start, logp[1:])[0]
    return -jnp.mean(jnp.logaddexp(alpha[:, -1], alpha[:, -2]))


def speech(p, x, mask, labels):
    h = jnp.concatenate([gru(*p[0], x, mask), gru(*p[1], x, mask, True)], -1)
    return ctc(h @ p[2], labels)


SPEECH = [[(normal(16, 96) / 4, normal(32, 96) / 6, normal(96)) for _ in range(2)], normal(12, 16, 16), np.arange(12)[:, None] < 6 + integers(6, 16), integers(15, 16, 4) + 1]
SPEECH[0].append(normal(64, 16) / 8)
add("speech step: bidirectional GRU and CTC", trained(speech), SPEECH, [[((), (), ())] * 2 + [()], (None, "data"), (None, "data"), ("data",)], data=8)
add("speech: GRU tensor, CTC", speech, SPEECH, [[((None, "model"), (None, "model"), ("model",))] * 2 + [("model",)], (None, "data"), (None, "data"), ("data",)], data=4, model=2)


# --- agents and dynamics ----------------------------------------------------------------------
def ppo(p, states, actions, rewards, ends, old):
    """Advantages by a reversed scan over time, the clipped objective of the policy."""
    h = jnp.tanh(states @ p["body"])
    value, logp = (h @ p["value"])[..., 0], jax.nn.log_softmax(h @ p["policy"])

    def back(carry, step):
        reward, end, value = step
        later, advantage = carry
        delta = reward + 0.99 * later * (1 - end) - value
        advantage = delta + 0.95 * 0.99 * (1 - end) * advantage
        return (value, advantage), advantage

    fixed = lax.stop_gradient(value)
    zero = jnp.zeros_like(value[0])
    advantage = lax.scan(back, (zero, zero), (rewards, ends, fixed), reverse=True)[1]
    target = advantage + fixed
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-6)
    picked = jnp.take_along_axis(logp, actions[..., None], -1)[..., 0]
    ratio = jnp.exp(picked - old)
    gain = jnp.minimum(ratio * advantage, jnp.clip(ratio, 0.8, 1.2) * advantage)
    entropy = -jnp.sum(jnp.exp(logp) * logp, -1)
    return -gain.mean() + 0.5 * jnp.mean((value - target) ** 2) - 0.01 * entropy.mean()


add("PPO step", trained(ppo), [dict(body=normal(16, 64) / 4, value=normal(64, 1) / 8, policy=normal(64, 4) / 8), normal(16, 64, 16), integers(4, 16, 64), normal(16, 64), (normal(16, 64) > 1.5).astype(np.float32), -np.abs(normal(16, 64))], [dict(body=(), value=(), policy=())] + [(None, "data")] * 5, data=8)


def rollout(p, state, key):
    def step(state, key):
        x, v, a, w = state.T
        logits = jnp.tanh(state @ p[0]) @ p[1]
        push = jnp.where(jax.random.categorical(key, logits) == 0, -10.0, 10.0)
        force = (push + 0.05 * w**2 * jnp.sin(a)) / 1.1
        turn = (9.8 * jnp.sin(a) - jnp.cos(a) * force) / (0.5 * (4 / 3 - 0.1 * jnp.cos(a) ** 2 / 1.1))
        new = jnp.stack([x + 0.02 * v, v + 0.02 * force, a + 0.02 * w, w + 0.02 * turn], 1)
        fell = (jnp.abs(new[:, 0]) > 2.4) | (jnp.abs(new[:, 2]) > 0.2)
        return jnp.where(fell[:, None], 0.01 * state, new), (1.0 - fell, logits)

    state, (reward, logits) = lax.scan(step, state, jax.random.split(jax.random.wrap_key_data(key), 12))
    return state, reward.sum(0), reward.mean(), logits.std()


add("rollouts of a cart and pole", rollout, [[normal(4, 32), normal(32, 2)], normal(64, 4) / 20, np.array([7, 8], np.uint32)], [[(), ()], ("data",), ()], data=8)


def ode(p, x):
    """A neural differential equation by Runge-Kutta, through which gradients flow."""

    def field(x):
        return jnp.tanh(x @ p[0] + p[1]) @ p[2]

    def step(x, _):
        a = field(x)
        b = field(x + 0.05 * a)
        c = field(x + 0.05 * b)
        return x + 0.1 / 6 * (a + 2 * b + 2 * c + field(x + 0.1 * c)), None

    return lax.scan(step, x, None, length=6)[0]


add("neural ODE step", trained(lambda p, x, y: jnp.mean((ode(p, x) - y) ** 2)), [[normal(16, 64) / 4, normal(64), normal(64, 16) / 8], normal(64, 16), normal(64, 16)], [[(None, "model"), ("model",), ("model",)], ("data",), ("data",)], data=4, model=2)
