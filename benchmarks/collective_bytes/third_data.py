#===- third_data.py - graphs, tables and searching of the third list -------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Graphs, recommendation, statistics of tables, sorting and searching."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from second_language import trained
from suite import integers, normal, third as add
from third_sequences import KEY, random_key


# --- graphs -------------------------------------------------------------------------------------
def messages(p, nodes, edges, senders, receivers):
    """Messages of edges by a network, their mean and largest at each node, edges that remember."""
    n = nodes.shape[0]
    for w in p:
        edges = edges + jax.nn.relu(jnp.concatenate([edges, nodes[senders], nodes[receivers]], -1) @ w[0])
        count = jax.ops.segment_sum(jnp.ones(len(senders)), receivers, n)
        mean = jax.ops.segment_sum(edges, receivers, n) / (count[:, None] + 1)
        top = jnp.maximum(jax.ops.segment_max(edges, receivers, n), -1.0)
        nodes = nodes + jax.nn.relu(jnp.concatenate([nodes, mean, top], -1) @ w[1])
    return nodes


MESSAGES = [[normal(96, 32) / 10, normal(96, 32) / 10] for _ in range(2)]
GRAPH = [normal(128, 32), normal(512, 32), integers(128, 512), integers(128, 512)]
EDGES = [jax.tree.map(lambda _: (), MESSAGES), (), ("data",), ("data",), ("data",)]
add("messages of edges, edges sharded, step", trained(lambda p, *g: jnp.mean(messages(p, *g) ** 2)), [MESSAGES, *GRAPH], EDGES, data=8)


def dense_graph(p, adjacency, x, labels):
    """Graph convolutions with a dense, normalised adjacency matrix."""
    degree = lax.rsqrt(adjacency.sum(1) + 1)
    a = degree[:, None] * (adjacency + jnp.eye(len(x))) * degree
    h = jax.nn.relu(a @ (x @ p[0]))
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(a @ (h @ p[1])), labels[:, None], 1))


ADJACENCY = (normal(128, 128) > 1.5).astype(np.float32)
add("dense graph, nodes sharded, step", trained(dense_graph), [[normal(32, 64) / 6, normal(64, 8) / 8], ADJACENCY, normal(128, 32), integers(8, 128)], [[(), ()], ("data",), ("data",), ("data",)], data=8)
add("dense graph, blocks, step", trained(dense_graph), [[normal(32, 64) / 6, normal(64, 8) / 8], ADJACENCY, normal(128, 32), integers(8, 128)], [[(), ()], ("x", "y"), ("x",), ("x",)], x=4, y=2)


def components(senders, receivers):
    """Connected components: each node takes the least label of its neighbours, then the label of the
    node with that label."""

    def step(name, _):
        least = jax.ops.segment_min(name[senders], receivers, 256)
        name = jnp.minimum(name, least)
        return jnp.minimum(name, name[name]), None

    name = lax.scan(step, jnp.arange(256), None, length=6)[0]
    return name, jnp.zeros(256, int).at[name].add(1)


add("connected components, edges sharded", components, [integers(256, 512), integers(256, 512)], [("data",), ("data",)], data=8)


# --- recommendation -----------------------------------------------------------------------------
def towers(p, user, bag, weight, item):
    """Two towers, a bag of what a user saw, negatives from the whole batch."""
    seen = jnp.einsum("bk,bkd->bd", weight, p["items"][bag])
    u = jax.nn.relu(jnp.concatenate([p["users"][user], seen], -1) @ p["u1"]) @ p["u2"]
    v = jax.nn.relu(p["items"][item] @ p["v1"]) @ p["v2"]
    scores = u @ v.T * 0.2
    return jnp.mean(jax.nn.logsumexp(scores, 1) - jnp.diag(scores))


TOWERS = dict(users=normal(512, 16), items=normal(256, 16), u1=normal(32, 64) / 6, u2=normal(64, 16) / 8, v1=normal(16, 64) / 4, v2=normal(64, 16) / 8)
BAGS = [integers(512, 64), integers(256, 64, 6), np.abs(normal(64, 6)), integers(256, 64)]
add("two towers, tables by rows, step", trained(towers), [TOWERS, *BAGS], [dict({k: () for k in TOWERS}, users=("model",), items=("model",)), *[("data",)] * 4], data=2, model=4)
add("two towers, tables over all devices, step", trained(towers), [TOWERS, *BAGS], [dict({k: () for k in TOWERS}, users=(("data", "model"),), items=(("data", "model"),)), *[(("data", "model"),)] * 4], data=2, model=4)


def crossed(p, which, x, clicks):
    """Factorisation machine, crosses of features and a deep network, one table for all fields."""
    e = p["table"][which + 64 * jnp.arange(8)]
    pairs = 0.5 * jnp.sum(e.sum(1) ** 2 - jnp.sum(e * e, 1), -1)
    first = start = jnp.concatenate([e.reshape(len(x), -1), x], -1)
    for w in p["cross"]:
        first = start * (first @ w) + first
    deep = jax.nn.relu(start @ p["up"])
    out = pairs + p["linear"][which + 64 * jnp.arange(8)].sum((1, 2)) + jnp.concatenate([first, deep], -1) @ p["head"]
    return jnp.mean(jax.nn.softplus(out) - clicks * out)


CROSSED = dict(table=normal(512, 8) / 4, linear=normal(512, 1) / 4, cross=[normal(72, 72) / 72] * 2, up=normal(72, 128) / 9, head=normal(200) / 14)
CLICKS = [integers(64, 64, 8), normal(64, 8), (normal(64) > 0).astype(np.float32)]
add("factorisation machine and crosses, table by rows, step", trained(crossed), [CROSSED, *CLICKS], [dict(table=("model",), linear=("model",), cross=[(), ()], up=(), head=()), *[("data",)] * 3], data=4, model=2)
add("factorisation machine and crosses, table by columns, step", trained(crossed), [CROSSED, *CLICKS], [dict(table=(None, "model"), linear=(), cross=[(None, "model")] * 2, up=(None, "model"), head=()), *[("data",)] * 3], data=4, model=2)


def alternate(ratings, seen, v):
    """Alternating least squares: a small system for each user, then for each item."""

    def solve(r, s, v):
        a = jnp.einsum("us,sd,se->ude", s, v, v) + 0.5 * jnp.eye(8)
        return jax.scipy.linalg.cho_solve((jnp.linalg.cholesky(a), True), ((r * s) @ v)[..., None])[..., 0]

    u = solve(ratings, seen, v)
    return u, solve(ratings.T, seen.T, u)


add("alternating least squares, blocks", alternate, [normal(64, 128), (normal(64, 128) > 0).astype(np.float32), normal(128, 8)], [("x", "y"), ("x", "y"), ("y",)], x=4, y=2)


# --- tables -------------------------------------------------------------------------------------
def boosted(bins, gradient, curvature, node):
    """Histograms of a boosted tree for each node, feature and bin, and the best cut of each node."""
    flat = node[:, None] * 256 + jnp.arange(16) * 16 + bins
    g, h = (jnp.zeros(4 * 256).at[flat].add(t[:, None]).reshape(4, 16, 16).cumsum(-1) for t in (gradient, curvature))
    left = g**2 / (h + 1)
    right = (g[..., -1:] - g) ** 2 / (h[..., -1:] - h + 1)
    gain = (left + right).reshape(4, -1)
    best = jnp.argmax(gain, -1)
    goes = jnp.take_along_axis(bins, (best // 16)[node][:, None], 1)[:, 0] > (best % 16)[node]
    return best, 2 * node + goes


BOOSTED = [integers(16, 512, 16), normal(512), np.abs(normal(512)), integers(4, 512)]
add("boosted trees, rows sharded", boosted, BOOSTED, [("x",)] * 4, x=8)
add("boosted trees, features sharded", boosted, BOOSTED, [(None, "x"), (), (), ()], x=8)


def forest(features, cuts, leaves, x):
    """Trees of depth five by gathers: rows sharded or trees sharded."""
    node = jnp.zeros((len(x), len(features)), int)
    tree = jnp.arange(len(features))
    for _ in range(5):
        value = jnp.take_along_axis(x, features[tree, node], 1)
        node = 2 * node + 1 + (value > cuts[tree, node])
    return leaves[tree, node - 31].mean(1)


FOREST = [integers(16, 32, 31), normal(32, 31), normal(32, 32), normal(256, 16)]
add("forest, rows and trees sharded", forest, FOREST, [("trees",), ("trees",), ("trees",), ("rows",)], rows=4, trees=2)


def ranked(scores, labels):
    """The area under a curve and an average precision from one sort."""
    order = jnp.argsort(-scores)
    hits = labels[order]
    above = jnp.cumsum(hits)
    precision = jnp.sum(above / jnp.arange(1, len(hits) + 1) * hits) / jnp.sum(hits)
    area = jnp.sum(above * (1 - hits)) / (jnp.sum(hits) * jnp.sum(1 - hits))
    return area, precision


add("ranking metrics, examples sharded", ranked, [normal(1024), (normal(1024) > 0.5).astype(np.float32)], [("x",), ("x",)], x=8)


def joined(left, keys, values):
    """A join: keys of a sorted table looked up for each row, sums by key of what was found."""
    at = jnp.minimum(jnp.searchsorted(keys, left), len(keys) - 1)
    found = keys[at] == left
    return jnp.where(found[:, None], values[at], 0), jnp.sum(found), jax.ops.segment_sum(values[at] * found[:, None], left % 16, 16)


add("join with a sorted table, both sharded", joined, [integers(1024, 512), np.sort(np.random.RandomState(2).permutation(1024)[:256]).astype(np.int32), normal(256, 8)], [("x",), ("x",), ("x",)], x=8)
add("distinct values and their counts", lambda x: (lambda s: (lambda new: (jnp.sum(new), jax.ops.segment_sum(jnp.ones(len(s)), jnp.cumsum(new) - 1, 128)))(jnp.concatenate([jnp.ones(1, bool), s[1:] != s[:-1]])))(jnp.sort(x)), [integers(100, 2048)], [("x",)], x=8)
add("shuffled epochs of a sharded table", lambda x, key: (lambda order: x[order].reshape(16, 16, 32).sum(0))(jax.random.permutation(random_key(key), 256)), [normal(256, 32), KEY], [("x",), ()], x=8)


def searched(lists, centres, queries):
    """Vectors in lists by their centre: the three nearest lists of a query, then its five best vectors."""
    nearest = lax.top_k(queries @ centres.T, 3)[1]
    score = jnp.einsum("qd,qlnd->qln", queries, lists[nearest]).reshape(len(queries), -1)
    best, at = lax.top_k(score, 5)
    return best, jnp.take_along_axis(nearest, at // lists.shape[1], 1), at % lists.shape[1]


add("inverted lists, lists sharded", searched, [normal(64, 16, 32), normal(64, 32), normal(32, 32)], [("model",), (), ("data",)], data=2, model=4)


def hashed(x, planes):
    """Min-sketches and signs of random projections: buckets by sorting, then neighbours in order."""
    bits = (x @ planes > 0).astype(jnp.int32)
    code = jnp.sum(bits * 2 ** jnp.arange(planes.shape[1]), -1)
    order = jnp.argsort(code, stable=True)
    near = x[order].reshape(-1, 8, x.shape[1])
    similar = jnp.einsum("bid,bjd->bij", near, near)
    return jnp.zeros(len(x)).at[order].set(similar.sum(-1).reshape(-1)), jnp.bincount(code, length=64)


add("buckets of hashes, rows sharded", hashed, [normal(256, 32), normal(32, 6)], [("x",), ()], x=8)


def bootstrap(x, key):
    """Means of a sharded sample drawn again and again, draws sharded, and their quantiles."""
    draws = jax.random.randint(random_key(key), (64, len(x)), 0, len(x))
    means = x[draws].mean(1)
    return jnp.sort(means)[jnp.array([1, 62])], jnp.std(means)


add("bootstrap, sample sharded", bootstrap, [normal(256), KEY], [("x",), ()], x=8)


def pulled(y, p):
    """A step of t-SNE: pulls of a table of affinities, pushes between all pairs."""
    away = y[:, None] - y[None]
    near = 1 / (1 + jnp.sum(away**2, -1)) * (1 - jnp.eye(len(y)))
    q = near / jnp.sum(near)
    return y - 0.1 * 4 * jnp.einsum("ij,ijd->id", (p - q) * near, away), jnp.sum(p * jnp.log((p + 1e-9) / (q + 1e-9)))


add("t-SNE step, rows sharded", pulled, [normal(128, 2), np.full((128, 128), 1 / 128**2, np.float32)], [("x",), ("x",)], x=8)
add("median filter, rows sharded", lambda x: jnp.median(jnp.stack([jnp.pad(x, 1, mode="reflect")[i : i + 64, j : j + 64] for i in range(3) for j in range(3)]), 0), [normal(64, 64)], [("x",)], x=8)


def wavelets(x):
    """Four levels of Haar's transform along time, and back after small ones are dropped."""
    parts = []
    for _ in range(4):
        even, odd = x[:, ::2], x[:, 1::2]
        parts.append((even - odd) / np.sqrt(2))
        x = (even + odd) / np.sqrt(2)
    for part in parts[::-1]:
        part = jnp.where(jnp.abs(part) > 0.5, part, 0)
        x = jnp.stack([x + part, x - part], -1).reshape(len(x), -1) / np.sqrt(2)
    return x


add("wavelets, time sharded", wavelets, [normal(8, 512)], [(None, "x")], x=8)
