#===- models.py - models whose communication is counted --------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Training steps and inference with common shardings: data, tensor, sequence, expert and fully sharded
parallelism. Chosen before the partitioner was tuned on any of them."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from suite import add, normal, integers

# mesh axes: (4, 2) data, model; (8,) data; (2, 2, 2) data, fsdp, tensor


def layer_norm(x):
    return (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)


def cross_entropy(logits, labels):
    picked = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], -1)
    return -picked.mean()


def sgd(loss, params, *batch):
    value, grads = jax.value_and_grad(loss)(params, *batch)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), value


# --- multi-layer perceptrons -----------------------------------------------------------------
def mlp_loss(params, x, y):
    w1, b1, w2 = params
    return jnp.mean((jnp.tanh(x @ w1 + b1) @ w2 - y) ** 2)


MLP = [(normal(64, 256), normal(256), normal(256, 32)), normal(64, 64), normal(64, 32)]


def mlp_step(params, x, y):
    return sgd(mlp_loss, params, x, y)


add("MLP step, data", mlp_step, MLP, [((), (), ()), ("data",), ("data",)], data=8)
add(
    "MLP step, data and tensor", mlp_step, MLP,
    [((None, "model"), ("model",), ("model",)), ("data",), ("data",)], data=4, model=2,
)  # fmt: skip
add(
    "MLP step, fully sharded", mlp_step, MLP,
    [(("data",), ("data",), ("data",)), ("data",), ("data",)], data=8,
)  # fmt: skip
add(
    "MLP step, fully sharded and tensor", mlp_step, MLP,
    [(("fsdp", "tensor"), ("tensor",), ("tensor", "fsdp")), (("data", "fsdp"),), (("data", "fsdp"),)],
    data=2, fsdp=2, tensor=2,
)  # fmt: skip


def adam_step(params, m, v, x, y):
    loss, g = jax.value_and_grad(mlp_loss)(params, x, y)
    m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
    v = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * g * g, v, g)
    params = jax.tree.map(lambda p, m, v: p - 0.01 * m / (jnp.sqrt(v) + 1e-8), params, m, v)
    return params, m, v, loss


add(
    "Adam, state sharded (ZeRO-1)", adam_step,
    [MLP[0], tuple(np.zeros_like(p) for p in MLP[0]), tuple(np.ones_like(p) for p in MLP[0]), *MLP[1:]],
    [((), (), ()), (("data",), ("data",), ("data",)), (("data",), ("data",), ("data",)), ("data",), ("data",)],
    data=8,
)  # fmt: skip


# --- attention --------------------------------------------------------------------------------
def block(p, x, mask=None):
    b, s, d = x.shape
    h = 4
    q, k, v = jnp.split(layer_norm(x) @ p["qkv"], 3, -1)
    q, k, v = (t.reshape(b, s, h, d // h).transpose(0, 2, 1, 3) for t in (q, k, v))
    scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(d // h)
    if mask is not None:
        scores = jnp.where(mask, scores, -1e9)
    y = (jax.nn.softmax(scores) @ v).transpose(0, 2, 1, 3).reshape(b, s, d)
    x = x + y @ p["out"]
    return x + jax.nn.gelu(layer_norm(x) @ p["up"]) @ p["down"]


BLOCK = dict(
    qkv=normal(64, 192) / 8, out=normal(64, 64) / 8, up=normal(64, 256) / 8, down=normal(256, 64) / 16
)
MEGATRON = dict(
    qkv=(None, "model"), out=("model",), up=(None, "model"), down=("model",)
)  # fmt: skip
FSDP = dict(qkv=("data",), out=("data",), up=("data",), down=("data",))


def block_step(p, x):
    return sgd(lambda p, x: jnp.mean(block(p, x) ** 2), p, x)


add("transformer, tensor", block, [BLOCK, normal(8, 32, 64)], [MEGATRON, ("data",)], data=4, model=2)
add("transformer, sequence", block, [BLOCK, normal(8, 32, 64)], [MEGATRON, ("data", "model")], data=4, model=2)  # fmt: skip
add("transformer step, tensor", block_step, [BLOCK, normal(8, 32, 64)], [MEGATRON, ("data",)], data=4, model=2)  # fmt: skip
add("transformer step, fully sharded", block_step, [BLOCK, normal(8, 32, 64)], [FSDP, ("data",)], data=8)  # fmt: skip
add(
    "transformer step, three axes", block_step, [BLOCK, normal(8, 32, 64)],
    [dict(qkv=("fsdp", "tensor"), out=("tensor", "fsdp"), up=("fsdp", "tensor"), down=("tensor", "fsdp")),
     (("data", "fsdp"),)],
    data=2, fsdp=2, tensor=2,
)  # fmt: skip


def stack(p, x):
    return lax.scan(lambda x, p: (block(p, x), None), x, p)[0]


STACK = {k: np.stack([v] * 4) for k, v in BLOCK.items()}
STACKED = {k: (None, *v) for k, v in MEGATRON.items()}
add("transformer stack, scan", stack, [STACK, normal(8, 32, 64)], [STACKED, ("data",)], data=4, model=2)  # fmt: skip
add(
    "transformer stack step, scan and remat",
    lambda p, x: sgd(
        lambda p, x: jnp.mean(lax.scan(jax.checkpoint(lambda x, p: (block(p, x), None)), x, p)[0] ** 2), p, x
    ),
    [STACK, normal(8, 32, 64)], [{k: (None, *v) for k, v in FSDP.items()}, ("data",)], data=8,
)  # fmt: skip


def language_model(p, tokens, labels):
    x = block(p["block"], p["embed"][tokens], np.tril(np.ones((32, 32), bool)))
    return cross_entropy(x @ p["embed"].T, labels)


GPT = [dict(embed=normal(256, 64) / 8, block=BLOCK), integers(256, 8, 32), integers(256, 8, 32)]
add(
    "language model step, vocabulary sharded", lambda p, t, l: sgd(language_model, p, t, l), GPT,
    [dict(embed=("model",), block=MEGATRON), ("data",), ("data",)], data=4, model=2,
)  # fmt: skip
add(
    "language model step, features sharded", lambda p, t, l: sgd(language_model, p, t, l), GPT,
    [dict(embed=(None, "model"), block=MEGATRON), ("data",), ("data",)], data=4, model=2,
)  # fmt: skip


def decode(w, keys, values, x, at):
    q, k, v = jnp.split(x @ w, 3, -1)
    q, k, v = (t.reshape(8, 1, 4, 16) for t in (q, k, v))
    keys = lax.dynamic_update_slice(keys, k, (0, at, 0, 0))
    values = lax.dynamic_update_slice(values, v, (0, at, 0, 0))
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, keys)
    scores = jnp.where(jnp.arange(64) <= at, scores, -1e9)
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), values), keys, values


CACHE = [normal(64, 192) / 8, normal(8, 64, 4, 16), normal(8, 64, 4, 16), normal(8, 64), np.int32(7)]
add("decoding, cache by heads", decode, CACHE, [(None, "model"), ("data", None, "model"), ("data", None, "model"), ("data",), ()], data=4, model=2)  # fmt: skip
add("decoding, cache by positions", decode, CACHE, [(), ("data", "model"), ("data", "model"), ("data",), ()], data=4, model=2)  # fmt: skip


def multi_query(x, wq, wkv, wo):
    q = (x @ wq).reshape(8, 32, 8, 16)
    k, v = jnp.split(x @ wkv, 2, -1)
    p = jax.nn.softmax(jnp.einsum("bqhd,bkd->bhqk", q, k))
    return jnp.einsum("bhqk,bkd->bqhd", p, v).reshape(8, 32, 128) @ wo


add("multi-query attention", multi_query, [normal(8, 32, 64), normal(64, 128) / 8, normal(64, 32) / 8, normal(128, 64)], [("data",), (None, "model"), (), ("model",)], data=2, model=4)  # fmt: skip
add("linear attention", lambda q, k, v: jnp.einsum("bsd,bsde->bse", q, jnp.cumsum(jnp.einsum("bsd,bse->bsde", k, v), 1)), [normal(8, 32, 16)] * 3, [("data", None, None), ("data",), ("data", None, "model")], data=4, model=2)  # fmt: skip


# --- experts ----------------------------------------------------------------------------------
def experts(x, gate, up, down):
    scores = jax.nn.softmax(x @ gate)
    choice = jax.nn.one_hot(jnp.argmax(scores, -1), 8)
    place = jnp.cumsum(choice, 1) * choice
    dispatch = choice[..., None] * jax.nn.one_hot(place.sum(-1), 16)[:, :, None, :]
    inside = jnp.einsum("gsec,gsm->egcm", dispatch, x)
    y = jnp.einsum("egch,ehm->egcm", jax.nn.relu(jnp.einsum("egcm,emh->egch", inside, up)), down)
    return jnp.einsum("gsec,egcm->gsm", dispatch * scores[..., None], y)


EXPERTS = [normal(8, 32, 32), normal(32, 8), normal(8, 32, 64) / 6, normal(8, 64, 32) / 8]
add("mixture of experts", experts, EXPERTS, [("data",), (), ("data",), ("data",)], data=8)
add("mixture of experts, data and experts", experts, EXPERTS, [("data",), (), ("model",), ("model",)], data=4, model=2)  # fmt: skip


def top2(x, gate, up, down):
    weight, chosen = lax.top_k(jax.nn.softmax(x @ gate), 2)
    y = jnp.einsum("sm,skmh->skh", x, up[chosen])
    return jnp.einsum("skh,skhm,sk->sm", jax.nn.relu(y), down[chosen], weight)


add("experts by gathering", top2, [normal(64, 32), *EXPERTS[1:]], [("data",), (), (None, None, "model"), (None, "model")], data=4, model=2)  # fmt: skip


# --- recurrent, convolutional, others ---------------------------------------------------------
def lstm(w, u, b, xs):
    def step(carry, x):
        h, c = carry
        i, f, g, o = jnp.split(x @ w + h @ u + b, 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    zero = jnp.zeros((xs.shape[1], 64))
    return lax.scan(step, (zero, zero), xs)[1]


LSTM = [normal(32, 256) / 6, normal(64, 256) / 8, normal(256), normal(12, 16, 32)]
add("LSTM", lstm, LSTM, [(), (), (), (None, "data")], data=8)
add("LSTM, tensor", lstm, LSTM, [(None, "model"), (None, "model"), ("model",), (None, "data")], data=4, model=2)  # fmt: skip
add("LSTM step", lambda p, xs: sgd(lambda p, xs: jnp.mean(lstm(*p, xs) ** 2), p, xs), [tuple(LSTM[:3]), LSTM[3]], [((), (), ()), (None, "data")], data=8)  # fmt: skip


def conv(x, w, stride=1):
    return lax.conv_general_dilated(x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))  # fmt: skip


def conv_net(p, x):
    x = jax.nn.relu(conv(x, p[0]))
    x = jax.nn.relu(conv(x, p[1], 2))
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return x.mean((1, 2)) @ p[2]


CONV = [(normal(3, 3, 4, 16) / 6, normal(3, 3, 16, 32) / 12, normal(32, 10)), normal(8, 32, 32, 4), integers(10, 8)]
add("conv net step, data", lambda p, x, y: sgd(lambda p, x, y: cross_entropy(conv_net(p, x), y), p, x, y), CONV, [((), (), ()), ("data",), ("data",)], data=8)  # fmt: skip
add("conv net, spatial", conv_net, CONV[:2], [((), (), ()), ("data", "model")], data=2, model=4)
add("conv net, channels", conv_net, CONV[:2], [((None, None, None, "model"), (None, None, "model"), ()), ("data",)], data=4, model=2)  # fmt: skip


def batch_norm_net(w, scale, x):
    y = conv(x, w)
    y = (y - y.mean((0, 1, 2))) * lax.rsqrt(y.var((0, 1, 2)) + 1e-5) * scale
    return jnp.mean(jax.nn.relu(y) ** 2)


add("batch norm, gradient", jax.grad(batch_norm_net), [normal(3, 3, 4, 16), normal(16), normal(16, 16, 16, 4)], [(), (), ("data",)], data=8)  # fmt: skip


def u_net(p, x):
    a = jax.nn.relu(conv(x, p[0]))
    b = jax.nn.relu(conv(a, p[1], 2))
    up = jax.image.resize(b, (*a.shape[:3], b.shape[3]), "nearest")
    return conv(jnp.concatenate([a, up], -1), p[2])


add("U-Net, spatial", u_net, [(normal(3, 3, 4, 8), normal(3, 3, 8, 8), normal(3, 3, 16, 4)), normal(4, 32, 32, 4)], [((), (), ()), ("data", "model")], data=4, model=2)  # fmt: skip


def graph_net(x, w, senders, receivers):
    for _ in range(2):
        x = jax.nn.relu(jax.ops.segment_sum((x @ w)[senders], receivers, num_segments=x.shape[0]))
    return x


add("graph network, edges sharded", graph_net, [normal(64, 32), normal(32, 32), integers(64, 256), integers(64, 256)], [(), (), ("data",), ("data",)], data=8)  # fmt: skip
add("graph network, features sharded", graph_net, [normal(64, 32), normal(32, 32), integers(64, 256), integers(64, 256)], [(None, "data"), (), (), ()], data=8)  # fmt: skip


def state_space(a, b, x):
    def combine(l, r):
        return l[0] * r[0], l[1] * r[0] + r[1]

    return lax.associative_scan(combine, (jax.nn.sigmoid(a) * jnp.ones_like(x), b * x), axis=1)[1]


add("state space, associative scan", state_space, [normal(32), normal(32), normal(8, 64, 32)], [("model",), ("model",), ("data", None, "model")], data=4, model=2)  # fmt: skip


def factorisation(u, v, rows, cols, ratings):
    def loss(u, v):
        return jnp.mean((jnp.sum(u[rows] * v[cols], -1) - ratings) ** 2)

    gu, gv = jax.grad(loss, (0, 1))(u, v)
    return u - gu, v - gv


add("factorisation, tables sharded", factorisation, [normal(128, 16), normal(64, 16), integers(128, 64), integers(64, 64), normal(64)], [("model",), ("model",), ("data",), ("data",), ("data",)], data=4, model=2)  # fmt: skip


def pipeline(w, x):
    """Stages side by side, shifted by a roll, as GSPMD pipelines are written."""

    def tick(state, x):
        state = jnp.concatenate([x[None], state[:-1]])
        state = jnp.tanh(jnp.einsum("smd,sde->sme", state, w))
        return state, state[-1]

    return lax.scan(tick, jnp.zeros((8, 4, 32)), x)[1]


add("pipeline by shifting", pipeline, [normal(8, 32, 32) / 6, normal(12, 4, 32)], [("stage",), ()], stage=8)
