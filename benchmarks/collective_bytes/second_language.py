#===- second_language.py - language models of the second list --------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Training steps and inference of language models, with constraints as their authors place them. The
second list was chosen after the partitioner had been tuned on the first one, and before it was
measured."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import exporting
from suite import constrained, integers, normal, second as add


def rms(x):
    return x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6)


def trained(loss):
    """One step of gradient descent on the first argument; a constrained loss stays constrained."""
    if getattr(loss, "constrained", False):

        @constrained
        def step(constrain, params, *batch):
            value, grads = jax.value_and_grad(lambda p: loss(constrain, p, *batch))(params)
            return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), value

        return step

    def step(params, *batch):
        value, grads = jax.value_and_grad(loss)(params, *batch)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), value

    return step


def alone(*axes):
    """Returns a mesh of one device, for shard_map in the unsharded program."""
    return exporting.make_mesh(**dict.fromkeys(axes, 1))


def rotate(x, positions):
    """Rotary embedding of (batch, position, head, feature)."""
    half = x.shape[-1] // 2
    angle = positions[..., None, None] / 100.0 ** (jnp.arange(half) / half)
    a, b = x[..., :half], x[..., half:]
    return jnp.concatenate([a * jnp.cos(angle) - b * jnp.sin(angle), a * jnp.sin(angle) + b * jnp.cos(angle)], -1)


def attend(q, k, v, mask=None):
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(q.shape[-1])
    if mask is not None:
        scores = jnp.where(mask, scores, -1e9)
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v)


# --- state spaces and linear recurrences ------------------------------------------------------
def mamba(p, x):
    h, gate = jnp.split(rms(x) @ p["in"], 2, -1)
    h = sum(jnp.pad(h, ((0, 0), (3 - i, 0), (0, 0)))[:, : h.shape[1]] * p["conv"][3 - i] for i in range(4))
    h = jax.nn.silu(h)
    step = jax.nn.softplus(h @ p["step_down"] @ p["step_up"])
    b, c = jnp.split(h @ p["bc"], 2, -1)
    decay = jnp.exp(step[..., None] * -jnp.exp(p["a"]))
    drive = (step * h)[..., None] * b[:, :, None, :]
    state = lax.associative_scan(lambda l, r: (l[0] * r[0], l[1] * r[0] + r[1]), (decay, drive), axis=1)[1]
    y = jnp.einsum("bsdn,bsn->bsd", state, c) * jax.nn.silu(gate)
    return x + y @ p["out"]


MAMBA = dict([("in", normal(32, 128) / 6), ("conv", normal(4, 64)), ("step_down", normal(64, 4) / 8), ("step_up", normal(4, 64) / 2), ("bc", normal(64, 16) / 8), ("a", normal(64, 8) / 4), ("out", normal(64, 32) / 8)])
MAMBA_TP = dict([("in", (None, "model")), ("conv", (None, "model")), ("step_down", ("model",)), ("step_up", (None, "model")), ("bc", ("model",)), ("a", ("model",)), ("out", ("model",))])
add("Mamba step, tensor", trained(lambda p, x: jnp.mean(mamba(p, x) ** 2)), [MAMBA, normal(8, 32, 32)], [MAMBA_TP, ("data",)], data=4, model=2)
add("Mamba, sequence sharded", mamba, [MAMBA, normal(4, 64, 32)], [{k: () for k in MAMBA}, ("data", "sequence")], data=2, sequence=4)


def rwkv(p, x):
    shifted = jnp.pad(x, ((0, 0), (1, 0), (0, 0)))[:, :-1]
    mixed = [x * m + shifted * (1 - m) for m in p["mix"]]
    r, k, v = (m @ w for m, w in zip(mixed, p["rkv"]))

    def step(state, kv):
        top, low = state
        k, v = kv
        out = (top + jnp.exp(p["bonus"] + k) * v) / (low + jnp.exp(p["bonus"] + k))
        decay = jnp.exp(-jnp.exp(p["decay"]))
        return (decay * top + jnp.exp(k) * v, decay * low + jnp.exp(k)), out

    zero = jnp.zeros_like(k[:, 0])
    out = lax.scan(step, (zero, zero), (k.swapaxes(0, 1), v.swapaxes(0, 1)))[1].swapaxes(0, 1)
    return x + (jax.nn.sigmoid(r) * out) @ p["out"]


RWKV = dict(mix=np.abs(normal(3, 64)) % 1, rkv=normal(3, 64, 64) / 16, bonus=normal(64) / 4, decay=normal(64) / 4, out=normal(64, 64) / 8)
add("RWKV step, tensor", trained(lambda p, x: jnp.mean(rwkv(p, x) ** 2)), [RWKV, normal(16, 16, 64)], [dict(mix=(), rkv=(None, None, "model"), bonus=("model",), decay=("model",), out=("model",)), ("data",)], data=2, model=4)


# --- attention of other kinds -----------------------------------------------------------------
def heads(x, w, h):
    return (x @ w).reshape(*x.shape[:2], h, -1)


def t5(p, source, target):
    def layer(w, x, memory, bias, mask):
        q, k, v = heads(rms(x), w[0], 4), heads(memory, w[1], 4), heads(memory, w[2], 4)
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) + bias
        scores = jnp.where(mask, scores, -1e9)
        y = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v)
        return x + y.reshape(*x.shape[:2], -1) @ w[3]

    def feed(w, x):
        return x + (jax.nn.gelu(rms(x) @ w[0]) * (rms(x) @ w[1])) @ w[2]

    def bias(table, n):
        away = jnp.clip(jnp.arange(n)[None] - jnp.arange(n)[:, None], -8, 7) + 8
        return table[away].transpose(2, 0, 1)[None]

    x = p["embed"][source]
    for w, f in zip(p["encoder"], p["encoder_ff"]):
        x = feed(f, layer(w, x, rms(x), bias(p["bias"], 16), True))
    y, causal = p["embed"][target], np.tril(np.ones((16, 16), bool))
    y = layer(p["self"], y, rms(y), bias(p["bias"], 16), causal)
    y = feed(p["decoder_ff"], layer(p["cross"], y, x, 0.0, True))
    logits = rms(y[:, :-1]) @ p["embed"].T
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), target[:, 1:, None], -1))


def projections():
    return [normal(64, 64) / 8 for _ in range(4)]


def gated():
    return [normal(64, 128) / 8, normal(64, 128) / 8, normal(128, 64) / 11]


COLUMNS, ROWS = (None, "model"), ("model",)
T5_ATTENTION, T5_FEED = [COLUMNS, COLUMNS, COLUMNS, ROWS], [COLUMNS, COLUMNS, ROWS]
T5 = dict(embed=normal(128, 64) / 8, bias=normal(16, 4), encoder=[projections(), projections()], encoder_ff=[gated(), gated()], self=projections(), cross=projections(), decoder_ff=gated())
add(
    "T5 step, tensor", trained(t5), [T5, integers(128, 8, 16), integers(128, 8, 16)],
    [dict(embed=ROWS, bias=COLUMNS, encoder=[T5_ATTENTION] * 2, encoder_ff=[T5_FEED] * 2, self=T5_ATTENTION, cross=T5_ATTENTION, decoder_ff=T5_FEED), ("data",), ("data",)],
    data=4, model=2,
)  # fmt: skip


def vit(p, images, labels):
    b = images.shape[0]
    x = images.reshape(b, 4, 8, 4, 8, 3).transpose(0, 1, 3, 2, 4, 5).reshape(b, 16, 192) @ p["patch"]
    x = jnp.concatenate([jnp.broadcast_to(p["class"], (b, 1, 64)), x], 1) + p["position"]
    for w, f in p["layers"]:
        h = rms(x)
        x = x + attend(*(heads(h, m, 4) for m in w[:3])).reshape(b, 17, 64) @ w[3]
        x = x + jax.nn.gelu(rms(x) @ f[0]) @ f[1]
    logits = rms(x)[:, 0] @ p["head"]
    return -jnp.mean(jnp.sum(jax.nn.log_softmax(logits) * jax.nn.one_hot(labels, 10), -1))


VIT = dict([("patch", normal(192, 64) / 14), ("class", normal(1, 1, 64)), ("position", normal(1, 17, 64)), ("layers", [(projections(), [normal(64, 256) / 8, normal(256, 64) / 16]) for _ in range(2)]), ("head", normal(64, 10) / 8)])
VIT_SPECS = dict([("patch", ("fsdp", "tensor")), ("class", ()), ("position", ()), ("layers", [([("fsdp", "tensor")] * 3 + [("tensor", "fsdp")], [("fsdp", "tensor"), ("tensor", "fsdp")])] * 2), ("head", ("fsdp",))])
add("ViT step, three axes", trained(vit), [VIT, normal(16, 32, 32, 3), integers(10, 16)], [VIT_SPECS, (("data", "fsdp"),), (("data", "fsdp"),)], data=2, fsdp=2, tensor=2)
add("ViT, patches sharded", vit, [VIT, normal(4, 32, 32, 3), integers(10, 4)], [jax.tree.map(lambda _: (), VIT), ("data", "space"), ("data",)], data=2, space=4)


def latent(p, x):
    """Multi-head latent attention: keys and values from a small latent, a shared rotary key."""
    b, s, _ = x.shape
    position = jnp.arange(s)[None]
    q = heads(rms(x @ p["q_down"]), p["q_up"], 8)
    c = rms(x @ p["kv_down"])
    k, v = heads(c, p["k_up"], 8), heads(c, p["v_up"], 8)
    shared = jnp.broadcast_to(rotate((x @ p["rope"])[:, :, None], position), (b, s, 8, 8))
    q = jnp.concatenate([q[..., :8], rotate(q[..., 8:], position)], -1)
    y = attend(q, jnp.concatenate([k, shared], -1), v, np.tril(np.ones((s, s), bool)))
    return x + y.reshape(b, s, -1) @ p["out"]


MLA = dict(q_down=normal(64, 32) / 8, q_up=normal(32, 128) / 6, kv_down=normal(64, 16) / 8, k_up=normal(16, 64) / 4, v_up=normal(16, 64) / 4, rope=normal(64, 8) / 8, out=normal(64, 64) / 8)
MLA_TP = dict(q_down=(), q_up=(None, "model"), kv_down=(), k_up=(None, "model"), v_up=(None, "model"), rope=(), out=("model",))
add("latent attention step", trained(lambda p, x: jnp.mean(latent(p, x) ** 2)), [MLA, normal(4, 32, 64)], [MLA_TP, ("data",)], data=2, model=4)


def sliding(p, x):
    b, s, _ = x.shape
    at = jnp.arange(s)
    mask = (at[:, None] >= at) & (at[:, None] - at < 8)
    q, k, v = (heads(rms(x), w, 4) for w in p[:3])
    return x + attend(rotate(q, at[None]), rotate(k, at[None]), v, mask).reshape(b, s, -1) @ p[3]


add("sliding-window attention, sequence sharded", sliding, [projections(), normal(4, 64, 64)], [[()] * 4, ("data", "sequence")], data=2, sequence=4)


def blocked(q, k, v):
    """Windows of one block and its left neighbour, as local attention is written for long inputs."""
    b, s, h, d = q.shape
    q, k, v = (t.reshape(b, s // 8, 8, h, d) for t in (q, k, v))
    k, v = (jnp.concatenate([jnp.pad(t, ((0, 0), (1, 0), (0, 0), (0, 0), (0, 0)))[:, :-1], t], 2) for t in (k, v))
    scores = jnp.einsum("bnqhd,bnkhd->bnhqk", q, k) / np.sqrt(d)
    mask = (jnp.arange(16) <= jnp.arange(8)[:, None] + 8) & (jnp.arange(16) > jnp.arange(8)[:, None])
    mask = mask & ((jnp.arange(s // 8) > 0)[:, None, None] | (jnp.arange(16) >= 8))
    return jnp.einsum("bnhqk,bnkhd->bnqhd", jax.nn.softmax(jnp.where(mask[:, None], scores, -1e9)), v).reshape(b, s, h, d)


add("local attention by blocks, sequence sharded", jax.grad(lambda q, k, v: jnp.sum(blocked(q, k, v) ** 2), (0, 1, 2)), [normal(2, 128, 4, 16)] * 3, [("data", "sequence")] * 3, data=2, sequence=4)


@constrained
def ulysses(constrain, p, x):
    """Sequence shards outside, head shards inside the attention."""
    b, s, _ = x.shape
    q, k, v = (constrain(heads(rms(x), w, 8), "data", None, "sequence", None) for w in p[:3])
    y = constrain(attend(q, k, v, np.tril(np.ones((s, s), bool))), "data", None, "sequence", None)
    y = constrain(y.reshape(b, s, -1), "data", "sequence", None) @ p[3]
    return jnp.mean((x + y) ** 2)


add("Ulysses attention step", trained(ulysses), [projections(), normal(4, 64, 64)], [[()] * 4, ("data", "sequence")], data=2, sequence=4)


@constrained
def ring(constrain, q, k, v):
    """Ring attention by shard_map: keys and values are sent around the ring, and a softmax is
    accumulated."""
    mesh = constrain.mesh or alone("data", "sequence")
    spec = jax.sharding.PartitionSpec("data", "sequence")

    def local(q, k, v):
        n = lax.axis_size("sequence")

        def turn(state, _):
            k, v, top, low, out = state
            scores = jnp.einsum("bqhd,bkhd->bhqk", q, k)
            new = jnp.maximum(top, scores.max(-1))
            weight, scale = jnp.exp(scores - new[..., None]), jnp.exp(top - new)
            out = out * scale[..., None] + jnp.einsum("bhqk,bkhd->bhqd", weight, v)
            low = low * scale + weight.sum(-1)
            k, v = (lax.ppermute(t, "sequence", [(i, (i + 1) % n) for i in range(n)]) for t in (k, v))
            return (k, v, new, low, out), None

        like = q.transpose(0, 2, 1, 3)
        start = (k, v, like[..., 0] * 0 - 1e9, like[..., 0] * 0, like * 0)
        _, _, _, low, out = lax.scan(turn, start, None, length=n)[0]
        return (out / low[..., None]).transpose(0, 2, 1, 3)

    return jax.shard_map(local, mesh=mesh, in_specs=(spec,) * 3, out_specs=spec)(q, k, v)


add("ring attention by shard_map", ring, [normal(2, 64, 4, 16) / 2] * 3, [("data", "sequence")] * 3, data=2, sequence=4)


# --- parallel training ------------------------------------------------------------------------
@constrained
def megatron_sp(constrain, p, x):
    """Sequence shards between the blocks, tensor shards inside."""
    b, s, _ = x.shape
    for w, f in p:
        h = constrain(rms(x), "data", None, None)
        q, k, v = (constrain(heads(h, m, 4), "data", None, "model", None) for m in w[:3])
        x = constrain(x + attend(q, k, v).reshape(b, s, -1) @ w[3], "data", "model", None)
        h = constrain(rms(x), "data", None, None)
        x = constrain(x + jax.nn.silu(h @ f[0]) * (h @ f[1]) @ f[2], "data", "model", None)
    return jnp.mean(x**2)


LAYERS = [(projections(), gated()) for _ in range(2)]
add("sequence parallel step, constraints", trained(megatron_sp), [LAYERS, normal(8, 32, 64)], [[(T5_ATTENTION, T5_FEED)] * 2, ("data", "model")], data=2, model=4)


@constrained
def scanned(constrain, p, tokens):
    """Scanned, rematerialised layers on fully sharded weights, a vocabulary-parallel loss."""

    @jax.checkpoint
    def layer(x, w):
        b, s, _ = x.shape
        h = rms(x)
        q, k, v = (heads(h, w[i], 4) for i in range(3))
        at = jnp.arange(s)
        y = attend(rotate(q, at[None]), rotate(k, at[None]), v, at[:, None] >= at).reshape(b, s, -1)
        x = constrain(x + y @ w[3], ("data", "fsdp"), None, None)
        h = rms(x)
        x = x + (jax.nn.silu(h @ w[4]) * (h @ w[5])) @ w[6]
        return constrain(x, ("data", "fsdp"), None, None), None

    x = lax.scan(layer, p["embed"][tokens], p["layers"])[0]
    logits = constrain((rms(x) @ p["embed"].T)[:, :-1], ("data", "fsdp"), None, "tensor")
    z = jax.nn.logsumexp(logits, -1)
    picked = jnp.sum(logits * jax.nn.one_hot(tokens[:, 1:], 256), -1)
    return jnp.mean(z - picked) + 1e-4 * jnp.mean(z * z)


def stacked(*shape, n=4):
    return normal(n, *shape) / np.float32(np.sqrt(shape[0]))


SCANNED = dict(embed=normal(256, 64) / 8, layers=[stacked(64, 64) for _ in range(4)] + [stacked(64, 128), stacked(64, 128), stacked(128, 64)])
INTO, OUT = (None, "fsdp", "tensor"), (None, "tensor", "fsdp")
SCANNED_SPECS = dict(embed=("tensor", "fsdp"), layers=[INTO, INTO, INTO, OUT, INTO, INTO, OUT])
add("Llama step, scanned layers, three axes", trained(scanned), [SCANNED, integers(256, 8, 17)], [SCANNED_SPECS, (("data", "fsdp"),)], data=2, fsdp=2, tensor=2)


def accumulated(p, tokens):
    def loss(p, tokens):
        x = p["embed"][tokens[:, :-1]].reshape(tokens.shape[0], 16, 64)
        x = x + jax.nn.gelu(x @ p["up"]) @ p["down"]
        picked = jnp.take_along_axis(jax.nn.log_softmax(x @ p["embed"].T), tokens[:, 1:, None], -1)
        return -jnp.mean(picked)

    def micro(total, batch):
        value, grads = jax.value_and_grad(loss)(p, batch)
        return jax.tree.map(jnp.add, total, (value, grads)), None

    start = (0.0, jax.tree.map(jnp.zeros_like, p))
    value, grads = lax.scan(micro, start, tokens)[0]
    return jax.tree.map(lambda p, g: p - 0.1 / 4 * g, p, grads), value / 4


ACCUMULATED = dict(embed=normal(128, 64) / 8, up=normal(64, 256) / 8, down=normal(256, 64) / 16)
add("gradient accumulation, data", accumulated, [ACCUMULATED, integers(128, 4, 8, 17)], [dict(embed=(), up=(), down=()), (None, "data")], [dict(embed=(), up=(), down=()), ()], data=8)
add("gradient accumulation, fully sharded", accumulated, [ACCUMULATED, integers(128, 4, 8, 17)], [dict(embed=("data",), up=("data",), down=("data",)), (None, "data")], [dict(embed=("data",), up=("data",), down=("data",)), ()], data=8)


@constrained
def staged(constrain, w, x):
    """A pipeline by shard_map: microbatches are sent to the next stage by ppermute."""
    P = jax.sharding.PartitionSpec

    def local(w, x):
        n, i = lax.axis_size("stage"), lax.axis_index("stage")

        def tick(held, t):
            held = jnp.where(i == 0, x[jnp.minimum(t, x.shape[0] - 1)], held)
            done = lax.scan(lambda h, w: (jnp.tanh(h @ w), None), held, w)[0]
            return lax.ppermute(done, "stage", [(j, (j + 1) % n) for j in range(n)]), done

        out = lax.scan(tick, lax.pcast(x[0] * 0, "stage", to="varying"), jnp.arange(x.shape[0] + n - 1))[1]
        out = jnp.where(i == n - 1, out[n - 1 :], 0)
        return lax.psum(out, "stage")

    mesh = constrain.mesh or alone("stage", "data")
    return jax.shard_map(local, mesh=mesh, in_specs=(P("stage"), P(None, "data")), out_specs=P(None, "data"))(w, x)


add("pipeline by shard_map", staged, [stacked(32, 32, n=8), normal(6, 8, 32)], [("stage",), (None, "data")], stage=4, data=2)


def lora(adapters, base, x, y):
    h = x
    for w, (a, b) in zip(base, adapters):
        h = jnp.tanh(h @ w + (h @ a) @ b)
    return jnp.mean((h - y) ** 2)


add(
    "LoRA step", trained(lora), [[(normal(128, 4) / 11, normal(4, 128)) for _ in range(3)], [normal(128, 128) / 11 for _ in range(3)], normal(64, 128), normal(64, 128)],
    [[((), ())] * 3, [("fsdp", "tensor"), ("tensor", "fsdp"), ("fsdp", "tensor")], (("data", "fsdp"),), (("data", "fsdp"),)],
    data=2, fsdp=2, tensor=2,
)  # fmt: skip


def clip(p, images, texts):
    a, b = images @ p[0], texts @ p[1]
    a, b = (t / jnp.linalg.norm(t, axis=-1, keepdims=True) for t in (a, b))
    logits = a @ b.T * jnp.exp(p[2])
    at = jnp.arange(logits.shape[0])
    return -(jax.nn.log_softmax(logits)[at, at].mean() + jax.nn.log_softmax(logits, 0)[at, at].mean()) / 2


add("CLIP step, global batch", trained(clip), [[normal(96, 32), normal(64, 32), np.float32(1)], normal(128, 96), normal(128, 64)], [[(), (), ()], ("data",), ("data",)], data=8)
