#===- third_sequences.py - sequence models of the third list ---------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Sequence models as model libraries write them: training, generation and sampling. The third list was
chosen after the partitioner had been tuned on the first two, and before it was measured."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from second_language import alone, attend, gated, heads, projections, rms, rotate, trained
from suite import constrained, integers, normal, third as add

COLUMNS, ROWS = (None, "model"), ("model",)
KEY = np.array([3, 4], np.uint32)


def random_key(data):
    return jax.random.wrap_key_data(data)


def norm(x, p):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * p[0] + p[1]


def squared(model):
    return trained(lambda p, *batch: jnp.mean(model(p, *batch) ** 2))


# --- encoder and decoder ------------------------------------------------------------------------
@constrained
def translate(constrain, p, source, target, key):
    """Biases, learned positions, dropout, label smoothing, logical axes as constraints."""
    keys = iter(jax.random.split(random_key(key), 8))

    def drop(x):
        return jnp.where(jax.random.bernoulli(next(keys), 0.9, x.shape), x / 0.9, 0)

    def attention(w, x, memory, mask=None):
        q, k, v = (constrain(heads(t, m, 4) + c, ("data", "fsdp"), None, "tensor", None) for t, m, c in zip((x, memory, memory), w["qkv"], w["bias"]))
        return drop(attend(q, k, v, mask).reshape(x.shape) @ w["out"])

    def feed(w, x):
        h = constrain(jax.nn.relu(norm(x, w["norm"]) @ w["up"] + w["b_up"]), ("data", "fsdp"), None, "tensor")
        return x + drop(h @ w["down"] + w["b_down"])

    x = p["embed"][source] + p["position"]
    x = feed(p["ff0"], x + attention(p["self0"], norm(x, p["norm"]), norm(x, p["norm"])))
    y = p["embed"][target] + p["position"]
    h = norm(y, p["norm"])
    y = y + attention(p["self1"], h, h, np.tril(np.ones((16, 16), bool)))
    y = feed(p["ff1"], y + attention(p["cross"], norm(y, p["norm"]), x))
    logits = constrain(y[:, :-1] @ p["embed"].T + p["b_vocab"], ("data", "fsdp"), None, "tensor")
    smooth = jax.nn.one_hot(target[:, 1:], 256) * 0.9 + 0.1 / 256
    weight = (target[:, 1:] > 8).astype(logits.dtype)
    return jnp.sum(-jnp.sum(smooth * jax.nn.log_softmax(logits), -1) * weight) / jnp.sum(weight)


def scale_and_shift():
    return [np.ones(64, np.float32), np.zeros(64, np.float32)]


def biased_attention():
    return dict(qkv=[normal(64, 64) / 8 for _ in range(3)], bias=[normal(4, 16) / 8 for _ in range(3)], out=normal(64, 64) / 8)


def biased_feed():
    return dict([("norm", scale_and_shift()), ("up", normal(64, 256) / 8), ("b_up", normal(256) / 8), ("down", normal(256, 64) / 16), ("b_down", normal(64) / 8)])


TRANSLATE = dict([("embed", normal(256, 64) / 8), ("position", normal(16, 64) / 8), ("norm", scale_and_shift()), ("b_vocab", normal(256) / 8)])
TRANSLATE.update({k: biased_attention() for k in ("self0", "self1", "cross")}, ff0=biased_feed(), ff1=biased_feed())
ATTENTION_SPECS = dict(qkv=[("fsdp", "tensor")] * 3, bias=[("tensor",)] * 3, out=("tensor", "fsdp"))
FEED_SPECS = dict([("norm", [(), ()]), ("up", ("fsdp", "tensor")), ("b_up", ("tensor",)), ("down", ("tensor", "fsdp")), ("b_down", ())])
TRANSLATE_SPECS = dict([("embed", ("tensor", "fsdp")), ("position", ()), ("norm", [(), ()]), ("b_vocab", ("tensor",))])
TRANSLATE_SPECS.update({k: ATTENTION_SPECS for k in ("self0", "self1", "cross")}, ff0=FEED_SPECS, ff1=FEED_SPECS)
BATCH = (("data", "fsdp"),)
add("translation step, dropout, three axes", trained(translate), [TRANSLATE, integers(256, 8, 16), integers(256, 8, 16), KEY], [TRANSLATE_SPECS, BATCH, BATCH, ()], data=2, fsdp=2, tensor=2)


def cached_cross(p, memory_k, memory_v, cache_k, cache_v, token, at):
    """One token of a decoder: its cache grows; the keys of the encoder are computed once."""
    x = p["embed"][token] + p["position"][at]
    h = rms(x)
    q, k, v = (jnp.einsum("bm,mhd->bhd", h, p[w]) for w in ("q", "k", "v"))
    cache_k, cache_v = cache_k.at[:, at].set(k), cache_v.at[:, at].set(v)
    scores = jnp.where(jnp.arange(32) <= at, jnp.einsum("bhd,bkhd->bhk", q, cache_k) / 4, -1e9)
    x = x + jnp.einsum("bhk,bkhd,hdm->bm", jax.nn.softmax(scores), cache_v, p["out"])
    q = jnp.einsum("bm,mhd->bhd", rms(x), p["cross_q"])
    scores = jnp.einsum("bhd,bkhd->bhk", q, memory_k) / 4
    x = x + jnp.einsum("bhk,bkhd,hdm->bm", jax.nn.softmax(scores), memory_v, p["cross_out"])
    x = x + jax.nn.gelu(rms(x) @ p["up"]) @ p["down"]
    return jnp.argmax(rms(x) @ p["embed"].T, -1), cache_k, cache_v


CROSS = dict([(k, normal(64, 4, 16) / 8) for k in ("q", "k", "v", "cross_q")] + [(k, normal(4, 16, 64) / 8) for k in ("out", "cross_out")])
CROSS.update(embed=normal(256, 64), position=normal(32, 64), up=normal(64, 256) / 8, down=normal(256, 64) / 16)
CROSS_SPECS = {k: COLUMNS if k in ("q", "k", "v", "cross_q", "up") else () if k == "position" else ROWS for k in CROSS}
HEADS = ("data", None, "model")
add("translation, one cached token", cached_cross, [CROSS, *(normal(8, 24, 4, 16) for _ in range(2)), *(normal(8, 32, 4, 16) for _ in range(2)), integers(256, 8), np.int32(5)], [CROSS_SPECS, HEADS, HEADS, HEADS, HEADS, ("data",), ()], data=4, model=2)  # fmt: skip


def attending_gru(p, source, target):
    """A GRU that reads and a GRU that writes, which looks back with additive attention."""

    def gru(w, u, h, x):
        z, r = jnp.split(jax.nn.sigmoid(x @ w[:, :128] + h @ u[:, :128]), 2, -1)
        return (1 - z) * h + z * jnp.tanh(x @ w[:, 128:] + (r * h) @ u[:, 128:])

    start = jnp.zeros((source.shape[0], 64))
    read = lambda h, x: (lambda n: (n, n))(gru(p["w"], p["u"], h, x))
    last, memory = lax.scan(read, start, p["embed"][source].swapaxes(0, 1))
    keys = memory @ p["key"]

    def write(h, x):
        weight = jax.nn.softmax(jnp.tanh(keys + h @ p["query"]) @ p["score"], 0)
        h = gru(p["w2"], p["u2"], h, jnp.concatenate([x, jnp.einsum("tb,tbd->bd", weight, memory)], -1))
        return h, h

    out = lax.scan(write, last, p["embed"][target].swapaxes(0, 1))[1]
    picked = jnp.take_along_axis(jax.nn.log_softmax(out[:-1] @ p["vocab"]), target.T[1:, :, None], -1)
    return -jnp.mean(picked)


GRU = dict([("embed", normal(128, 32)), ("w", normal(32, 192) / 6), ("u", normal(64, 192) / 8), ("key", normal(64, 64) / 8), ("query", normal(64, 64) / 8), ("score", normal(64) / 8), ("w2", normal(96, 192) / 10), ("u2", normal(64, 192) / 8), ("vocab", normal(64, 128) / 8)])
add("GRUs with additive attention, step", trained(attending_gru), [GRU, integers(128, 16, 10), integers(128, 16, 10)], [{k: () for k in GRU}, ("data",), ("data",)], data=8)
add("GRUs with additive attention, vocabulary sharded", trained(attending_gru), [GRU, integers(128, 16, 10), integers(128, 16, 10)], [{k: {"embed": ROWS, "vocab": COLUMNS}.get(k, ()) for k in GRU}, ("data",), ("data",)], data=2, model=4)


# --- kinds of attention -------------------------------------------------------------------------
@constrained
def parallel_block(constrain, p, x):
    """Attention and feed-forward side by side, one head of keys and values, interleaved rotation."""
    b, s, _ = x.shape
    h = rms(x)
    q = constrain((h @ p["q"]).reshape(b, s, 8, 16), "data", None, "model", None)
    k, v = jnp.split(constrain(h @ p["kv"], "data", None, None), 2, -1)

    def interleaved(t):
        angle = jnp.arange(s)[:, None] / 100.0 ** (jnp.arange(8) / 8)
        angle = angle.reshape(s, *(1,) * (t.ndim - 3), 8)
        even, odd = t[..., ::2], t[..., 1::2]
        turned = jnp.stack([even * jnp.cos(angle) - odd * jnp.sin(angle), even * jnp.sin(angle) + odd * jnp.cos(angle)], -1)
        return turned.reshape(t.shape)

    scores = jnp.einsum("bqhd,bkd->bhqk", interleaved(q), interleaved(k)) / 4
    scores = jnp.where(np.tril(np.ones((s, s), bool)), scores, -1e9)
    y = jnp.einsum("bhqk,bkd->bqhd", jax.nn.softmax(scores), v).reshape(b, s, -1)
    x = x + y @ p["out"] + (jax.nn.silu(h @ p["gate"]) * (h @ p["up"])) @ p["down"]
    return jnp.mean(constrain(x, "data", None, None) ** 2)


PARALLEL = dict([("q", normal(64, 128) / 8), ("kv", normal(64, 32) / 8), ("out", normal(128, 64) / 11), *zip(("gate", "up", "down"), gated())])
PARALLEL_SPECS = {k: ROWS if k in ("out", "down") else () if k == "kv" else COLUMNS for k in PARALLEL}
add("parallel block, one head of keys, step", trained(parallel_block), [PARALLEL, normal(8, 16, 64)], [PARALLEL_SPECS, ("data",)], data=2, model=4)


def fewer_groups(p, x):
    """Two groups of keys and values on four devices: flax repeats them for the heads."""
    b, s, _ = x.shape
    at = jnp.arange(s)[None]
    q, k, v = rotate(heads(rms(x), p[0], 8), at), rotate(heads(rms(x), p[1], 2), at), heads(rms(x), p[2], 2)
    y = attend(q, jnp.repeat(k, 4, 2), jnp.repeat(v, 4, 2), np.tril(np.ones((s, s), bool)))
    x = x + y.reshape(b, s, -1) @ p[3]
    return x + (jax.nn.silu(rms(x) @ p[4]) * (rms(x) @ p[5])) @ p[6]


FEWER = [normal(64, 128) / 8, normal(64, 32) / 8, normal(64, 32) / 8, normal(128, 64) / 11, *gated()]
add("two groups of keys on four devices, step", squared(fewer_groups), [FEWER, normal(8, 16, 64)], [[COLUMNS, COLUMNS, COLUMNS, ROWS, COLUMNS, COLUMNS, ROWS], ("data",)], data=2, model=4)


def alibi(p, x):
    b, s, _ = x.shape
    slope = 2.0 ** -jnp.arange(1, 9)
    away = jnp.arange(s)[None, :] - jnp.arange(s)[:, None]
    q, k, v = (heads(norm(x, p["norm"]), w, 8) for w in p["qkv"])
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) + slope[:, None, None] * away
    scores = jnp.where(away <= 0, scores, -1e9)
    y = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v)
    x = x + y.reshape(b, s, -1) @ p["out"] + p["b"]
    return x + jax.nn.gelu(norm(x, p["norm"]) @ p["up"]) @ p["down"]


ALIBI = dict(norm=scale_and_shift(), qkv=projections()[:3], out=normal(64, 64) / 8, b=normal(64), up=normal(64, 256) / 8, down=normal(256, 64) / 16)
add("linear biases, heads sharded, step", squared(alibi), [ALIBI, normal(8, 32, 64)], [dict(norm=[(), ()], qkv=[COLUMNS] * 3, out=ROWS, b=(), up=COLUMNS, down=ROWS), ("data",)], data=4, model=2)
add("linear biases, sequence sharded", alibi, [ALIBI, normal(4, 64, 64)], [jax.tree.map(lambda _: (), ALIBI), ("data", "sequence")], data=2, sequence=4)


def sparse_blocks(q, k, v):
    """Each block of queries sees the first block, two neighbours and two blocks drawn once."""
    b, s, h, d = q.shape
    n = s // 8
    q, k, v = (t.reshape(b, n, 8, h, d) for t in (q, k, v))
    drawn = np.random.RandomState(1).randint(0, n, (n, 2))
    seen = np.stack([np.zeros(n, int), (np.arange(n) - 1) % n, np.arange(n), (np.arange(n) + 1) % n], 1)
    seen = jnp.asarray(np.concatenate([seen, drawn], 1))
    k, v = (t[:, seen].reshape(b, n, 48, h, d) for t in (k, v))
    scores = jnp.einsum("bnqhd,bnkhd->bnhqk", q, k) / np.sqrt(d)
    return jnp.einsum("bnhqk,bnkhd->bnqhd", jax.nn.softmax(scores), v).reshape(b, s, h, d)


add("block-sparse attention, heads sharded, gradient", jax.grad(lambda q, k, v: jnp.sum(sparse_blocks(q, k, v) ** 2), (0, 1, 2)), [normal(4, 64, 4, 16)] * 3, [("data", None, "model")] * 3, data=2, model=4)
add("block-sparse attention, blocks sharded", sparse_blocks, [normal(2, 128, 4, 16)] * 3, [("data", "sequence")] * 3, data=2, sequence=4)


def relative(p, memory, x):
    """Relative positions by padding and reshaping, states of the segment before as memory."""
    b, s, _ = x.shape
    both = jnp.concatenate([lax.stop_gradient(memory), x], 1)
    q, k, v = heads(x, p["q"], 4), heads(both, p["k"], 4), heads(both, p["v"], 4)
    r = (p["position"] @ p["r"]).reshape(-1, 4, 16)
    content = jnp.einsum("bqhd,bkhd->bhqk", q + p["u"], k)
    away = jnp.einsum("bqhd,khd->bhqk", q + p["w"], r)
    keys = both.shape[1]
    away = jnp.pad(away, ((0, 0), (0, 0), (0, 0), (1, 0))).reshape(b, 4, keys + 1, s)[:, :, 1:].reshape(b, 4, s, keys)
    mask = jnp.arange(keys) <= jnp.arange(s)[:, None] + keys - s
    y = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(jnp.where(mask, content + away, -1e9) / 4), v)
    return rms(x + y.reshape(b, s, 64) @ p["out"])


RELATIVE = dict(zip("qkvr", projections()), out=normal(64, 64) / 8, u=normal(4, 16), w=normal(4, 16), position=normal(32, 64))
add("relative attention with memory, step", squared(relative), [RELATIVE, normal(8, 16, 64), normal(8, 16, 64)], [dict({k: COLUMNS for k in "qkvr"}, out=ROWS, u=ROWS, w=ROWS, position=()), ("data",), ("data",)], data=4, model=2)


def latents(p, x):
    """A few latents attend to a long input, as in Perceiver."""
    b = x.shape[0]
    z = jnp.broadcast_to(p["latent"], (b, 16, 64))
    for _ in range(2):
        y = attend(heads(rms(z), p["q"], 4), heads(rms(x), p["k"], 4), heads(rms(x), p["v"], 4))
        z = z + y.reshape(b, 16, 64) @ p["out"]
        z = z + jax.nn.gelu(rms(z) @ p["up"]) @ p["down"]
    return z.mean(1) @ p["head"]


LATENTS = dict(zip(("q", "k", "v", "out"), projections()), latent=normal(16, 64), up=normal(64, 128) / 8, down=normal(128, 64) / 11, head=normal(64, 10))
add("latents attending to a sharded input, step", squared(latents), [LATENTS, normal(4, 256, 64)], [{k: () for k in LATENTS}, ("data", "sequence")], data=2, sequence=4)


def prefixes(p, tuned, tokens):
    """Prefix tuning: learnt keys and values before those of a frozen layer."""
    x = p["embed"][tokens]
    b, s, _ = x.shape
    q, k, v = (heads(rms(x), p[w], 4) for w in "qkv")
    k, v = (jnp.concatenate([jnp.broadcast_to(t, (b, *t.shape)), u], 1) for t, u in zip(tuned, (k, v)))
    mask = jnp.arange(s + 4) <= jnp.arange(s)[:, None] + 4
    x = x + attend(q, k, v, mask).reshape(b, s, 64) @ p["out"]
    picked = jnp.take_along_axis(jax.nn.log_softmax(x[:, :-1] @ p["embed"].T), tokens[:, 1:, None], -1)
    return -jnp.mean(picked)


add("prefix tuning step", trained(lambda tuned, p, tokens: prefixes(p, tuned, tokens)), [[normal(4, 4, 16), normal(4, 4, 16)], dict(zip(("q", "k", "v", "out"), projections()), embed=normal(128, 64) / 8), integers(128, 8, 16)], [[(None, "model")] * 2, dict(q=COLUMNS, k=COLUMNS, v=COLUMNS, out=ROWS, embed=ROWS), ("data",)], data=4, model=2)


# --- mixing without attention -------------------------------------------------------------------
def chunked(q, k, v, decay):
    """Retention in chunks: inside by products, between them by a scanned state."""
    b, s, h, d = q.shape
    q, k, v = (t.reshape(b, s // 16, 16, h, d).transpose(1, 0, 3, 2, 4) for t in (q, k, v))
    gamma = jax.nn.sigmoid(decay)[:, None]
    at = jnp.arange(16)
    inside = jnp.where(at[:, None] >= at, gamma[..., None] ** (at[:, None] - at), 0)

    def step(state, chunk):
        q, k, v = chunk
        out = jnp.einsum("bhqk,bhkd->bhqd", jnp.einsum("bhqd,bhkd->bhqk", q, k) * inside, v)
        out = out + jnp.einsum("bhqd,bhde->bhqe", q * (gamma ** (at + 1))[..., None], state)
        state = state * (gamma**16)[..., None] + jnp.einsum("bhkd,bhke->bhde", k * (gamma ** (15 - at))[..., None], v)
        return state, out

    out = lax.scan(step, jnp.zeros((b, h, d, d)), (q, k, v))[1]
    return out.transpose(1, 0, 3, 2, 4).reshape(b, s, h, d)


add("retention in chunks, heads sharded, gradient", jax.grad(lambda q, k, v, g: jnp.mean(chunked(q, k, v, g) ** 2), (0, 1, 2, 3)), [*(normal(4, 64, 8, 16) / 4 for _ in range(3)), normal(8) + 2], [("data", None, "model")] * 3 + [("model",)], data=2, model=4)
add("retention in chunks, sequence sharded", chunked, [*(normal(4, 128, 4, 8) / 4 for _ in range(3)), normal(4) + 2], [("data", "sequence")] * 3 + [()], data=2, sequence=4)


def long_convolution(p, x):
    """A diagonal state space as a convolution as long as the sequence, by FFT."""
    s = x.shape[1]
    poles = -jnp.exp(p["decay"]) + 1j * p["angle"]
    kernel = 2 * jnp.real(jnp.einsum("cn,cns->cs", p["b"] + 0j, jnp.exp(poles[..., None] * jnp.arange(s) / s)))
    y = jnp.fft.irfft(jnp.fft.rfft(x, 2 * s, 1) * jnp.fft.rfft(kernel.T, 2 * s, 0), 2 * s, 1)[:, :s]
    a, gate = jnp.split((y + x * p["skip"]) @ p["out"], 2, -1)
    return x + a * jax.nn.sigmoid(gate)


LONG = dict(decay=normal(32, 8) / 2, angle=normal(32, 8) * 3, b=normal(32, 8) / 4, skip=normal(32), out=normal(32, 64) / 6)
add("state space by FFT, channels sharded, step", squared(long_convolution), [LONG, normal(8, 64, 32)], [dict(decay=ROWS, angle=ROWS, b=ROWS, skip=ROWS, out=ROWS), ("data", None, "model")], data=4, model=2)


def complex_recurrence(p, x):
    """A linear recurrent unit: complex states, an associative scan, projections around it."""
    decay = jnp.exp(-jnp.exp(p["nu"]) + 1j * p["theta"])
    drive = (x @ (p["b_re"] + 1j * p["b_im"])) * jnp.sqrt(1 - jnp.abs(decay) ** 2)
    combine = lambda l, r: (l[0] * r[0], l[1] * r[0] + r[1])
    state = lax.associative_scan(combine, (jnp.broadcast_to(decay, drive.shape), drive), axis=1)[1]
    return x + jax.nn.gelu(jnp.real(state @ (p["c_re"] + 1j * p["c_im"])))


UNIT = dict(nu=normal(64) / 2, theta=normal(64), b_re=normal(32, 64) / 8, b_im=normal(32, 64) / 8, c_re=normal(64, 32) / 8, c_im=normal(64, 32) / 8)
add("linear recurrent unit, states sharded, step", squared(complex_recurrence), [UNIT, normal(8, 32, 32)], [dict(nu=ROWS, theta=ROWS, b_re=COLUMNS, b_im=COLUMNS, c_re=ROWS, c_im=ROWS), ("data",)], data=2, model=4)


def fourier_mix(p, x):
    for up, down in p:
        x = rms(x + jnp.real(jnp.fft.fft(jnp.fft.fft(x, axis=-1), axis=1)) / 32)
        x = rms(x + jax.nn.gelu(x @ up) @ down)
    return x


add("Fourier mixing of tokens, data, step", squared(fourier_mix), [[(normal(32, 128) / 6, normal(128, 32) / 11)] * 2, normal(16, 32, 32)], [[((), ())] * 2, ("data",)], data=8)


def mixer(p, x):
    for w in p:
        x = x + (jax.nn.gelu(norm(x, w[0]).swapaxes(1, 2) @ w[1]) @ w[2]).swapaxes(1, 2)
        x = x + jax.nn.gelu(norm(x, w[0]) @ w[3]) @ w[4]
    return x


MIXER = [[scale_and_shift(), normal(32, 64) / 6, normal(64, 32) / 8, normal(64, 128) / 8, normal(128, 64) / 11] for _ in range(2)]
add("MLP mixer step, tensor", squared(mixer), [MIXER, normal(8, 32, 64)], [[[[(), ()], COLUMNS, ROWS, COLUMNS, ROWS]] * 2, ("data",)], data=4, model=2)
add("MLP mixer, tokens sharded", mixer, [MIXER, normal(8, 32, 64)], [jax.tree.map(lambda _: (), MIXER), ("data", "space")], data=2, space=4)


def stacked_lstm(p, x):
    """Layers scanned, inside each of them time."""

    def layer(x, w):
        def step(state, x):
            h, c = state
            i, f, g, o = jnp.split(jnp.concatenate([x, h], -1) @ w, 4, -1)
            c = jax.nn.sigmoid(f + 1) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            return (jax.nn.sigmoid(o) * jnp.tanh(c), c), jax.nn.sigmoid(o) * jnp.tanh(c)

        return x + lax.scan(step, (jnp.zeros_like(x[0]),) * 2, x)[1], None

    return lax.scan(layer, x, p)[0]


add("stacked LSTM, fully sharded, step", squared(stacked_lstm), [normal(3, 64, 128) / 8, normal(8, 16, 32)], [(None, "data"), (None, "data")], data=8)


def conformer(p, x):
    """Half feed-forward, attention, gated depthwise convolution over time, half feed-forward."""
    b, s, _ = x.shape
    half = lambda x, w: x + 0.5 * (jax.nn.silu(rms(x) @ w[0]) @ w[1])
    x = half(x, p["first"])
    x = x + attend(*(heads(rms(x), w, 4) for w in p["qkv"])).reshape(b, s, 64) @ p["out"]
    h, gate = jnp.split(rms(x) @ p["point"], 2, -1)
    h = lax.conv_general_dilated(h * jax.nn.sigmoid(gate), p["depth"], (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC"), feature_group_count=64)
    h = (h - h.mean((0, 1))) * lax.rsqrt(h.var((0, 1)) + 1e-5)
    return rms(half(x + jax.nn.silu(h) @ p["point2"], p["second"]))


CONFORMER = dict(qkv=projections()[:3], out=normal(64, 64) / 8, point=normal(64, 128) / 8, depth=normal(7, 1, 64) / 3, point2=normal(64, 64) / 8)
CONFORMER.update({k: [normal(64, 128) / 8, normal(128, 64) / 11] for k in ("first", "second")})
CONFORMER_TP = dict(qkv=[COLUMNS] * 3, out=ROWS, point=COLUMNS, depth=(None, None, "model"), point2=ROWS, first=[COLUMNS, ROWS], second=[COLUMNS, ROWS])
add("Conformer step, tensor", squared(conformer), [CONFORMER, normal(8, 32, 64)], [CONFORMER_TP, ("data",)], data=4, model=2)
add("Conformer, time sharded", conformer, [CONFORMER, normal(4, 64, 64)], [jax.tree.map(lambda _: (), CONFORMER), ("data", "time")], data=2, time=4)


# --- experts ------------------------------------------------------------------------------------
@constrained
def expert_choice(constrain, p, x):
    """Experts choose their tokens."""
    scores = jax.nn.softmax(x @ p["gate"])
    weight, chosen = lax.top_k(scores.T, 32)
    inside = constrain(x[chosen], "expert", None, None)
    y = jnp.einsum("ecm,emh->ech", inside, p["up"])
    y = constrain(jnp.einsum("ech,ehm->ecm", jax.nn.gelu(y), p["down"]), "expert", None, None)
    return jnp.mean(jnp.zeros_like(x).at[chosen].add(y * weight[..., None]) ** 2)


EXPERTS = dict(gate=normal(32, 8), up=normal(8, 32, 64) / 6, down=normal(8, 64, 32) / 8)
EXPERT_SPECS = dict(gate=(), up=("expert",), down=("expert",))
add("experts choose tokens, step", trained(expert_choice), [EXPERTS, normal(128, 32)], [EXPERT_SPECS, (("data", "expert"),)], data=2, expert=4)


def soft_experts(p, x):
    logits = jnp.einsum("bsm,men->bsen", x, p["slots"])
    dispatch = jax.nn.softmax(logits, 1)
    combine = jax.nn.softmax(logits.reshape(*x.shape[:2], -1)).reshape(logits.shape)
    inside = jnp.einsum("bsen,bsm->benm", dispatch, x)
    y = jnp.einsum("benh,ehm->benm", jax.nn.gelu(jnp.einsum("benm,emh->benh", inside, p["up"])), p["down"])
    return jnp.einsum("bsen,benm->bsm", combine, y)


add("soft experts step", squared(soft_experts), [dict(slots=normal(32, 8, 4), up=EXPERTS["up"], down=EXPERTS["down"]), normal(8, 32, 32)], [dict(slots=(None, "expert"), up=("expert",), down=("expert",)), ("data",)], data=2, expert=4)


@constrained
def exchanged_experts(constrain, p, x):
    """Tokens are sent to their expert by all_to_all inside shard_map, and back."""
    mesh = constrain.mesh or alone("expert")
    spec = jax.sharding.PartitionSpec

    def local(gate, up, down, x):
        n = lax.axis_size("expert")
        scores = jax.nn.softmax(x @ gate)
        hot = jax.nn.one_hot(jnp.argmax(scores, -1), 8)
        place = (jnp.cumsum(hot.reshape(-1, 16, 8), 1).reshape(hot.shape) - 1) * hot
        slot = hot[..., None] * jax.nn.one_hot(place.sum(-1), 16)[:, None]
        inside = jnp.einsum("gsec,gsm->gecm", slot.reshape(-1, 16, 8, 16), x.reshape(-1, 16, 32))
        inside = lax.all_to_all(inside, "expert", 1, 0, tiled=True) if n > 1 else inside
        y = jnp.einsum("gech,ehm->gecm", jax.nn.relu(jnp.einsum("gecm,emh->gech", inside, up)), down)
        y = lax.all_to_all(y, "expert", 0, 1, tiled=True) if n > 1 else y
        y = jnp.einsum("gsec,gecm->gsm", slot.reshape(-1, 16, 8, 16), y).reshape(x.shape)
        return y * scores.max(-1, keepdims=True)

    specs = (spec(), spec("expert"), spec("expert"), spec("expert"))
    run = jax.shard_map(local, mesh=mesh, in_specs=specs, out_specs=spec("expert"))
    return jnp.mean(run(p["gate"], p["up"], p["down"], x) ** 2)


add("experts by all_to_all, step", trained(exchanged_experts), [EXPERTS, normal(128, 32)], [EXPERT_SPECS, ("expert",)], expert=8)


# --- generating ---------------------------------------------------------------------------------
def nucleus(p, x, key):
    """Sampling from the most probable tokens that make up nine tenths, vocabulary sharded."""
    logits = rms(x) @ p / 0.7
    order = jnp.argsort(-logits, -1)
    probable = jax.nn.softmax(jnp.take_along_axis(logits, order, -1))
    kept = jnp.cumsum(probable, -1) - probable < 0.9
    noise = jax.random.gumbel(random_key(key), logits.shape)
    pick = jnp.argmax(jnp.where(kept, jnp.log(probable), -jnp.inf) + noise, -1)
    return jnp.take_along_axis(order, pick[:, None], -1)[:, 0]


add("nucleus sampling, vocabulary sharded", nucleus, [normal(64, 1024) / 4, normal(8, 64), KEY], [COLUMNS, ("data",), ()], data=2, model=4)


def generate(p, prompt):
    """Reads a prompt at once and writes eight tokens greedily on a cache."""
    b, s = prompt.shape
    x = p["embed"][prompt]
    q, k, v = (heads(rms(x), p[w], 4) for w in "qkv")
    y = x + attend(q, k, v, np.tril(np.ones((s, s), bool))).reshape(b, s, 64) @ p["out"]
    k, v = (jnp.pad(t, ((0, 0), (0, 8), (0, 0), (0, 0))) for t in (k, v))
    token = jnp.argmax(rms(y[:, -1]) @ p["embed"].T, -1)

    def step(state, at):
        k, v, token = state
        x = p["embed"][token][:, None]
        k = lax.dynamic_update_slice_in_dim(k, heads(rms(x), p["k"], 4), at, 1)
        v = lax.dynamic_update_slice_in_dim(v, heads(rms(x), p["v"], 4), at, 1)
        y = attend(heads(rms(x), p["q"], 4), k, v, jnp.arange(s + 8) <= at)
        new = jnp.argmax(rms(x + y.reshape(b, 1, 64) @ p["out"])[:, 0] @ p["embed"].T, -1)
        return (k, v, new), token

    return lax.scan(step, (k, v, token), s + jnp.arange(8))[1].T


GENERATE = dict(zip(("q", "k", "v", "out"), projections()), embed=normal(256, 64))
add("generation of eight tokens, tensor", generate, [GENERATE, integers(256, 8, 16)], [dict(q=COLUMNS, k=COLUMNS, v=COLUMNS, out=ROWS, embed=ROWS), ("data",)], data=4, model=2)
