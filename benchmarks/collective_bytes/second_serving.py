#===- second_serving.py - experts, decoding and retrieval: second list -----===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Mixtures of experts, decoding with caches, recommendation and retrieval, optimisers."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from second_language import gated, projections, rms, rotate, trained
from suite import constrained, integers, normal, second as add


# --- experts ----------------------------------------------------------------------------------
@constrained
def capacity(constrain, p, x):
    """Two experts of each token by einsum, with a capacity and a loss that balances them."""
    gate = jax.nn.softmax(x @ p["gate"])
    weight, chosen = lax.top_k(gate, 2)
    mask = jax.nn.one_hot(chosen, 8).transpose(0, 2, 1, 3).reshape(x.shape[0], -1, 8)
    place = (jnp.cumsum(mask, 1) - 1) * mask
    keep = mask * (place < 16)
    slot = (keep[..., None] * jax.nn.one_hot(place.sum(-1), 16)[:, :, None]).reshape(x.shape[0], 2, -1, 8, 16)
    combine = jnp.einsum("gskm,gksec->gsec", weight[..., None], slot)
    inside = constrain(jnp.einsum("gsec,gsm->egcm", (combine > 0).astype(x.dtype), x), "expert", "data", None, None)
    h = jax.nn.silu(jnp.einsum("egcm,emh->egch", inside, p["up"]))
    y = constrain(jnp.einsum("egch,ehm->egcm", h, p["down"]), "expert", "data", None, None)
    y = constrain(jnp.einsum("gsec,egcm->gsm", combine, y), ("data", "expert"), None, None)
    balance = jnp.mean(gate.mean((0, 1)) * mask.mean((0, 1))) * 64
    return jnp.mean((x + y) ** 2) + 0.01 * balance


MOE = dict(gate=normal(32, 8), up=normal(8, 32, 64) / 6, down=normal(8, 64, 32) / 8)
MOE_SPECS = dict(gate=(), up=("expert",), down=("expert",))
add("two experts each, capacity, step", trained(capacity), [MOE, normal(8, 32, 32)], [MOE_SPECS, (("data", "expert"),)], data=2, expert=4)


def by_sorting(p, x):
    """Tokens sorted by expert into a buffer, as dropless layers without ragged products do."""
    scores = jax.nn.softmax(x @ p["gate"])
    chosen = jnp.argmax(scores, -1)
    order = jnp.argsort(chosen, stable=True)
    sizes = jnp.bincount(chosen, length=8)
    start = jnp.cumsum(sizes) - sizes
    place = jnp.arange(x.shape[0]) - start[chosen[order]]
    buffer = jnp.zeros((8, 64, x.shape[1])).at[chosen[order], place].set(x[order], mode="drop")
    y = jnp.einsum("ech,ehm->ecm", jax.nn.relu(jnp.einsum("ecm,emh->ech", buffer, p["up"])), p["down"])
    out = jnp.zeros_like(x).at[order].set(y[chosen[order], place])
    return out * scores.max(-1, keepdims=True)


add("experts by sorting", by_sorting, [MOE, normal(256, 32)], [MOE_SPECS, (("data", "expert"),)], data=2, expert=4)
add("experts by ragged products", lambda p, x: (lambda c: (lambda o: jnp.zeros_like(x).at[o].set(lax.ragged_dot(jax.nn.relu(lax.ragged_dot(x[o], p["up"], jnp.bincount(c, length=8))), p["down"], jnp.bincount(c, length=8))))(jnp.argsort(c)))(jnp.argmax(x @ p["gate"], -1)), [MOE, normal(128, 32)], [dict(gate=(), up=(None, None, "model"), down=(None, "model")), ("data",)], data=4, model=2)


# --- decoding ---------------------------------------------------------------------------------
def paged(w, pages_k, pages_v, table, lengths, x):
    """One token against keys and values in pages of 8, found by a table of pages."""
    q = (x @ w[0]).reshape(8, 4, 16)
    k, v = (pages[table].reshape(8, 32, 4, 16) for pages in (pages_k, pages_v))
    scores = jnp.einsum("bhd,bkhd->bhk", q, k) / 4
    scores = jnp.where(jnp.arange(32) < lengths[:, None, None], scores, -1e9)
    return jnp.einsum("bhk,bkhd->bhd", jax.nn.softmax(scores), v).reshape(8, 64) @ w[1]


PAGED = [[normal(64, 64) / 8, normal(64, 64) / 8], normal(64, 8, 4, 16), normal(64, 8, 4, 16), integers(64, 8, 4), integers(31, 8) + 1, normal(8, 64)]
add("paged decoding, heads sharded", paged, PAGED, [[(None, "model"), ("model",)], (None, None, "model"), (None, None, "model"), ("data",), ("data",), ("data",)], data=2, model=4)
add("paged decoding, pages sharded", paged, PAGED, [[(), ()], ("data",), ("data",), (), (), ()], data=8)


def grouped_decode(p, cache_k, cache_v, token, at, key):
    """Rotary grouped-query attention on a cache, and sampling among the 8 best of the vocabulary."""
    x = p["embed"][token]
    position = jnp.full((8, 1), at)
    q = rotate((x @ p["q"]).reshape(8, 1, 8, 16), position)
    k = rotate((x @ p["k"]).reshape(8, 1, 4, 16), position)
    cache_k = lax.dynamic_update_slice(cache_k, k, (0, at, 0, 0))
    cache_v = lax.dynamic_update_slice(cache_v, (x @ p["v"]).reshape(8, 1, 4, 16), (0, at, 0, 0))
    scores = jnp.einsum("bgrd,bkgd->bgrk", q.reshape(8, 4, 2, 16), cache_k) / 4
    scores = jnp.where(jnp.arange(64) <= at, scores, -1e9)
    y = jnp.einsum("bgrk,bkgd->bgrd", jax.nn.softmax(scores), cache_v).reshape(8, 128)
    best, which = lax.top_k(rms(x + y @ p["out"]) @ p["embed"].T, 8)
    noise = jax.random.gumbel(jax.random.wrap_key_data(key), best.shape)
    pick = jnp.argmax(best + noise, -1)
    return jnp.take_along_axis(which, pick[:, None], 1)[:, 0], cache_k, cache_v


GROUPED = dict(embed=normal(512, 64) / 8, q=normal(64, 128) / 8, k=normal(64, 64) / 8, v=normal(64, 64) / 8, out=normal(128, 64) / 11)
add(
    "grouped-query decoding and sampling", grouped_decode,
    [GROUPED, normal(8, 64, 4, 16), normal(8, 64, 4, 16), integers(512, 8), np.int32(9), np.array([1, 2], np.uint32)],
    [dict(embed=("model",), q=(None, "model"), k=(None, "model"), v=(None, "model"), out=("model",)), ("data", None, "model"), ("data", None, "model"), ("data",), (), ()],
    data=2, model=4,
)  # fmt: skip


def verify(p, prefix, draft):
    """Speculative decoding: the longest draft that the large model would have chosen."""
    tokens = jnp.concatenate([prefix, draft], 1)
    x = p[0][tokens]
    x = x + jnp.cumsum(x @ p[1], 1) / jnp.arange(1, 17)[:, None]
    best = jnp.argmax(x @ p[0].T, -1)
    right = best[:, 11:15] == draft
    accepted = jnp.cumprod(right, 1).sum(1)
    return accepted, jnp.take_along_axis(best, 11 + accepted[:, None], 1)


add("speculative decoding, vocabulary sharded", verify, [[normal(512, 64), normal(64, 64) / 8], integers(512, 16, 12), integers(512, 16, 4)], [[("model",), (None, "model")], ("data",), ("data",)], data=2, model=4)


def beams(p, first):
    """Beam search: the best of all continuations, caches follow their beam."""

    def step(state, t):
        tokens, score, cache = state
        x = p[0][tokens]
        cache = lax.dynamic_update_slice(cache, x[:, :, None], (0, 0, t, 0))
        h = jnp.tanh((cache.sum(2) / (t + 1)) @ p[1])
        total = score[..., None] + jax.nn.log_softmax(h @ p[2])
        score, flat = lax.top_k(total.reshape(16, -1), 4)
        beam = flat // 128
        cache = jnp.take_along_axis(cache, beam[:, :, None, None], 1)
        return (flat % 128, score, cache), (flat % 128, beam)

    start = (first, jnp.zeros((16, 4)), jnp.zeros((16, 4, 6, 32)))
    (_, score, _), (tokens, beam) = lax.scan(step, start, jnp.arange(6))
    return score, tokens, beam


add("beam search", beams, [[normal(128, 32), normal(32, 32) / 6, normal(32, 128)], integers(128, 16, 4)], [[("model",), (), (None, "model")], ("data",)], data=4, model=2)


def int8(x, w, scale, w2, scale2):
    def product(x, w, scale):
        top = jnp.max(jnp.abs(x), -1, keepdims=True) / 127
        q = jnp.round(x / top).astype(jnp.int8)
        return lax.dot_general(q, w, (((1,), (0,)), ((), ())), preferred_element_type=jnp.int32) * top * scale

    return product(jax.nn.relu(product(x, w, scale)), w2, scale2)


add("int8 products, tensor", int8, [normal(64, 128), integers(255, 128, 256).astype(np.int8), np.abs(normal(256)) / 100, integers(255, 256, 128).astype(np.int8), np.abs(normal(128)) / 100], [("data",), (None, "model"), ("model",), ("model",), ()], data=2, model=4)


def masked_words(p, tokens, where, labels):
    x = p["embed"][tokens]
    h = rms(x)
    q, k, v = (h @ w for w in p["attention"][:3])
    x = x + jax.nn.softmax(q @ k.swapaxes(1, 2) / 8) @ v @ p["attention"][3]
    f = p["feed"]
    x = x + (jax.nn.gelu(x @ f[0]) * (x @ f[1])) @ f[2]
    picked = jnp.take_along_axis(x, where[..., None], 1)
    logits = rms(picked) @ p["embed"].T
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], -1))


BERT = dict(embed=normal(256, 64) / 8, attention=projections(), feed=gated())
add("masked words step, fully sharded", trained(masked_words), [BERT, integers(256, 16, 32), integers(32, 16, 4), integers(256, 16, 4)], [dict(embed=("data",), attention=[("data",)] * 4, feed=[("data",)] * 3), ("data",), ("data",), ("data",)], data=8)


# --- recommendation and retrieval -------------------------------------------------------------
def dlrm(p, dense, sparse, clicks):
    bottom = jax.nn.relu(dense @ p["bottom"])
    rows = jnp.stack([table[ids].sum(1) for table, ids in zip(p["tables"], sparse)] + [bottom], 1)
    pairs = jnp.einsum("bif,bjf->bij", rows, rows)[:, np.triu_indices(5, 1)[0], np.triu_indices(5, 1)[1]]
    logit = jax.nn.relu(jnp.concatenate([bottom, pairs], 1) @ p["top"]) @ p["last"]
    return jnp.mean(jax.nn.softplus(logit) - clicks * logit)


DLRM = dict(bottom=normal(16, 16) / 4, tables=[normal(256, 16) for _ in range(4)], top=normal(26, 32) / 5, last=normal(32) / 6)
add("DLRM step, tables by rows", trained(dlrm), [DLRM, normal(64, 16), [integers(256, 64, 3) for _ in range(4)], (normal(64) > 0).astype(np.float32)], [dict(bottom=(), tables=[("data",)] * 4, top=(), last=()), ("data",), [("data",)] * 4, ("data",)], [dict(bottom=(), tables=[("data",)] * 4, top=(), last=()), ()], data=8)
add("DLRM step, tables by features", trained(dlrm), [DLRM, normal(64, 16), [integers(256, 64, 3) for _ in range(4)], (normal(64) > 0).astype(np.float32)], [dict(bottom=(), tables=[(None, "model")] * 4, top=(), last=()), ("data",), [("data",)] * 4, ("data",)], data=2, model=4)


def word2vec(p, centre, context, negative):
    c, o, n = p[0][centre], p[1][context], p[1][negative]
    return -jnp.mean(jax.nn.log_sigmoid(jnp.sum(c * o, -1)) + jax.nn.log_sigmoid(-jnp.einsum("bd,bkd->bk", c, n)).sum(-1))


add("word2vec step", trained(word2vec), [[normal(512, 32) / 6, normal(512, 32) / 6], integers(512, 64), integers(512, 64), integers(512, 64, 5)], [[("model",), ("model",)], ("data",), ("data",), ("data",)], [[("model",), ("model",)], ()], data=4, model=2)
add("retrieval among sharded documents", lambda q, d: (lambda s, i: (s, i, d[i].mean(1)))(*lax.top_k(q @ d.T, 8)), [normal(16, 64), normal(1024, 64)], [(), ("data",)], data=8)


# --- optimisers -------------------------------------------------------------------------------
def adafactor(p, rows, columns, x, y):
    loss, g = jax.value_and_grad(lambda p: jnp.mean((jax.nn.relu(x @ p[0]) @ p[1] - y) ** 2))(p)
    rows = [0.9 * r + 0.1 * jnp.mean(g * g, 1) for r, g in zip(rows, g)]
    columns = [0.9 * c + 0.1 * jnp.mean(g * g, 0) for c, g in zip(columns, g)]
    updates = [g * lax.rsqrt(r / r.mean() + 1e-8)[:, None] * lax.rsqrt(c + 1e-8) for g, r, c in zip(g, rows, columns)]
    updates = [u / jnp.maximum(1.0, jnp.sqrt(jnp.mean(u * u))) for u in updates]
    scale = [0.01 * jnp.maximum(1e-3, jnp.sqrt(jnp.mean(p * p))) for p in p]
    return [p - s * u for p, s, u in zip(p, scale, updates)], rows, columns, loss


ADAFACTOR = [[normal(64, 256) / 8, normal(256, 32) / 16], [np.ones(64, np.float32), np.ones(256, np.float32)], [np.ones(256, np.float32), np.ones(32, np.float32)], normal(128, 64), normal(128, 32)]
add("Adafactor, two axes", adafactor, ADAFACTOR, [[("fsdp", "tensor"), ("tensor", "fsdp")], [("fsdp",), ("tensor",)], [("tensor",), ("fsdp",)], ("fsdp",), ("fsdp",)], fsdp=4, tensor=2)


def muon(p, momentum, x, y):
    """Momentum made orthogonal by five steps of Newton-Schulz."""
    loss, g = jax.value_and_grad(lambda p: jnp.mean((jax.nn.gelu(x @ p[0]) @ p[1] - y) ** 2))(p)
    momentum = [0.95 * m + g for m, g in zip(momentum, g)]

    def orthogonal(m):
        z = m / (jnp.linalg.norm(m) + 1e-7)
        for _ in range(5):
            gram = z @ z.T
            z = 3.4445 * z + (-4.775 * gram + 2.0315 * gram @ gram) @ z
        return z

    return [p - 0.02 * orthogonal(m) for p, m in zip(p, momentum)], momentum, loss


MUON = [[normal(64, 128) / 8, normal(128, 64) / 11], [normal(64, 128) / 50, normal(128, 64) / 50], normal(64, 64), normal(64, 64)]
add("Muon, fully sharded", muon, MUON, [[("data",)] * 2, [("data",)] * 2, ("data",), ("data",)], [[("data",)] * 2, [("data",)] * 2, ()], data=8)
add("Muon, tensor", muon, MUON, [[(None, "model"), ("model",)], [(None, "model"), ("model",)], ("data",), ("data",)], data=2, model=4)


def shampoo(w, left, right, x, y):
    loss, g = jax.value_and_grad(lambda w: jnp.mean((x @ w - y) ** 2))(w)
    left, right = 0.9 * left + g @ g.T, 0.9 * right + g.T @ g

    def root(a):
        """Inverse square root by coupled Newton iterations."""
        scale = jnp.linalg.norm(a)
        y, z = a / scale, jnp.eye(a.shape[0])
        for _ in range(8):
            t = 1.5 * jnp.eye(a.shape[0]) - 0.5 * z @ y
            y, z = y @ t, t @ z
        return z / jnp.sqrt(scale)

    return w - 0.1 * root(left) @ g @ root(right), left, right, loss


add("Shampoo, preconditioners sharded", shampoo, [normal(64, 64), np.eye(64, dtype=np.float32), np.eye(64, dtype=np.float32), normal(128, 64), normal(128, 64)], [("data",), ("data",), ("data",), ("data",), ("data",)], data=8)


def adamw(p, m, v, average, x, y):
    """Clipped by the norm of all gradients, with an average of the weights."""
    loss, g = jax.value_and_grad(lambda p: jnp.mean((jnp.tanh(jax.nn.silu(x @ p[0] + p[1]) @ p[2]) - y) ** 2))(p)
    norm = jnp.sqrt(sum(jnp.sum(g * g) for g in g))
    g = [g * jnp.minimum(1.0, 0.1 / norm) for g in g]
    m = [0.9 * m + 0.1 * g for m, g in zip(m, g)]
    v = [0.99 * v + 0.01 * g * g for v, g in zip(v, g)]
    p = [p - 0.01 * (m / (jnp.sqrt(v) + 1e-8) + 0.1 * p) for p, m, v in zip(p, m, v)]
    return p, m, v, [0.99 * a + 0.01 * p for a, p in zip(average, p)], loss, norm


ADAMW = [normal(64, 256) / 8, normal(256), normal(256, 64) / 16]
ADAMW_SPECS = [("fsdp", "tensor"), ("tensor",), ("tensor", "fsdp")]
add("clipped AdamW, fully sharded and tensor", adamw, [ADAMW, [np.zeros_like(p) for p in ADAMW], [np.ones_like(p) for p in ADAMW], ADAMW, normal(128, 64), normal(128, 64)], [ADAMW_SPECS] * 4 + [(("fsdp",)), (("fsdp",))], fsdp=4, tensor=2)
