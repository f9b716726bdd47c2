#===- collective_counts.py - upper bounds on numbers of collectives -------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""JAX programs with known lower bounds on communication: mirrored arrays, writes into a part of a
sharded array, argmax over all elements, gradients accumulated in loops, scans over sharded rows.
The results must be those of unsharded JAX. `shardwright run --stats=json` must count at most the
collectives in the table, each as often as it is executed, at every effort.

    collective_counts.py [PART OF A NAME...]
"""

import json
import os
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle"))
import oracle

oracle.require()

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

random = np.random.RandomState(0)
programs = {}


def A(*shape):
    return (random.randn(*shape) * 0.3).astype(np.float32)


def add(name, f, args, specs, out=None, mesh=(4, 2), bytes=None, **counts):
    """Adds a program. `counts`: upper bounds on executed collectives. `bytes`: upper bound on the mean
    bytes that a device sends."""
    programs[name] = (f, args, specs, out, mesh, bytes, counts)


X, XY = A(64, 64), P("x", "y")

# Each shard is sent to its mirrored device, along all axes at once.
add("mirror", lambda x: x[::-1, ::-1], [X], [XY], XY, collective_permute=1)
add("mirror_odd", lambda x: x[::-1, ::-1], [A(9, 8)], [XY], XY, (3, 2), collective_permute=1)
add("mirror_three", lambda x: x[::-1, ::-1, ::-1], [A(8, 8, 8)], [P("x", "y", "z")], P("x", "y", "z"), (2, 2, 2),
    collective_permute=1)  # fmt: skip

# Owners write.
add("set_part", lambda x, w: x.at[10:30, 5:35].set(w), [X, A(20, 30)], [XY, P()], XY)
add("set_constant", lambda x: x.at[10:30, 5:35].set(1.0), [X], [XY], XY)
add("set_all_rows", lambda x, w: x.at[:, 5:35].set(w), [X, A(64, 30)], [XY, P("x")], XY)
add("set_row", lambda x, w: x.at[17].set(w), [X, A(64)], [XY, P("y")], XY)
add("set_outside", lambda x, w, i: x.at[i, 60:70].set(w), [X, A(4), np.int32(-70)], [XY, P(), P()], XY)
add("add_part", lambda x, w: x.at[10:30, 5:35].add(w), [X, A(20, 30)], [XY, P()], XY)
add("max_part", lambda x, w: x.at[10:30, 5:35].max(w), [X, A(20, 30)], [XY, P()], XY)
add("set_part_at", lambda x, w, i: lax.dynamic_update_slice(x, w, (i, 2 * i)), [X, A(20, 50), np.int32(30)],
    [XY, P(), P()], XY)  # fmt: skip
add("set_row_part", lambda x, w, i: x.at[i, 5:35].set(w), [X, A(30), np.int32(7)], [XY, P(), P()], XY)
add("set_rows_part", lambda x, w, i: x.at[i, 5:35].set(w), [X, A(3, 30), np.array([3, 40, 90], np.int32)],
    [XY, P(), P()], XY)  # fmt: skip
add("add_uneven", lambda x, w: (x[:61] * 2).at[3:55, 5:35].add(w), [X, A(52, 30)], [P("x"), P()], None, (8,), all_gather=1,
    collective_permute=2)  # fmt: skip
add("min_whole_rows", lambda x, w, i: lax.scatter_min(x, i, w, lax.ScatterDimensionNumbers((0, 1), (), (0, 1))),
    [A(9, 16), A(9, 4, 7), np.array([[0, 3], [0, 13], [0, 2], [1, 2], [-1, 0], [0, 12], [0, 0]], np.int32)],
    [P("x"), P("x"), P()], P("x"), (3, 2))  # fmt: skip
add("set_sharded", lambda x, w: x.at[10:42, 5:37].set(w), [X, A(32, 32)], [XY, XY], XY, bytes=3584, all_gather=1)

# Reductions over merged dimensions send only a few numbers.
add("argmax", lambda x: jnp.argmax(x), [X], [XY], bytes=64, all_gather=1)
add("argmin_minor", lambda x: jnp.argmin(x), [X], [P(None, "y")], bytes=64, all_gather=1)
add("argmax_of", lambda x: jnp.argmax(jnp.abs(x.reshape(-1)) + 1), [A(8, 8, 8)], [P("x", "y", "z")], None, (2, 2, 2),
    bytes=64, all_gather=1)  # fmt: skip
add("argmax_axis", lambda x: jnp.argmax(x.reshape(8, 4096), 1), [A(8, 64, 64)], [P(None, "x", "y")], bytes=512, all_gather=1,
    all_to_all=4)
add("argmax_ties", lambda x: (jnp.argmax(jnp.zeros_like(x) * x), jnp.max(x.ravel())), [X], [XY], bytes=80, all_gather=1,
    all_reduce=1)  # fmt: skip
add("norm", lambda x: jnp.linalg.norm(x.reshape(-1)), [X], [XY], bytes=16, all_reduce=1)


# Gradients accumulated in loops: one reduction of all of them after the outermost loop.
def minibatches(params, batches):
    def loss(p, x):
        return jnp.mean((jnp.tanh(x @ p["w"] + p["b"]) @ p["v"] - 1) ** 2)

    def step(carry, x):
        value, grads = jax.value_and_grad(loss)(params, x)
        return (carry[0] + value, jax.tree.map(jnp.add, carry[1], grads)), None

    return lax.scan(step, (0.0, jax.tree.map(jnp.zeros_like, params)), batches)[0]


def layers(params, x):
    def loss(p):
        return jnp.mean(lax.scan(lambda h, q: (jnp.tanh(h @ q["w"] + q["b"]), None), x, p)[0] ** 2)

    return jax.value_and_grad(loss)(params)


def layers_of_minibatches(params, batches):
    def step(carry, x):
        return jax.tree.map(jnp.add, carry, layers(params, x)), None

    return lax.scan(step, (0.0, jax.tree.map(jnp.zeros_like, params)), batches)[0]


def nested(w, batches):
    def outer(c, xs):
        return lax.scan(lambda c, x: (c + x.T @ (x @ w), None), c, xs)[0], None

    return lax.scan(outer, w, batches)[0]


def several(w, batches):
    def step(c, x):
        c = c + x.T @ (x @ w)
        c = 0.5 * c + 0.1 * w
        return c - (x * x).T @ x, None

    return lax.scan(step, w, batches)[0]


def scalars(w, batches):
    def step(c, x):
        return (c[0] + jnp.sum(x @ w), c[1] - jnp.sum(x * x), c[2] + 1), None

    return lax.scan(step, (1.0, 0.0, 0), batches)[0]


def written(w, batches):
    n = batches.shape[0]
    return lax.fori_loop(0, n, lambda i, c: c.at[i].add(batches[i].T @ (batches[i] @ w)), jnp.ones((n, 16, 16)))


DATA = P(None, "x")
W = A(16, 16)
FFN, FFN_SPECS = dict(w=A(16, 32), b=A(32), v=A(32, 8)), dict(w=P(), b=P(), v=P())
STACK, STACK_SPECS = dict(w=A(6, 16, 16), b=A(6, 16)), dict(w=P(), b=P())
add("minibatches", minibatches, [FFN, A(5, 64, 16)], [FFN_SPECS, DATA], None, (8,), all_reduce=1)
add("layers", layers, [STACK, A(64, 16)], [STACK_SPECS, P("x")], None, (8,), all_reduce=1)
add("layers_of_minibatches", layers_of_minibatches, [STACK, A(4, 64, 16)], [STACK_SPECS, DATA], None, (8,), all_reduce=1)
add("nested", nested, [W, A(3, 4, 64, 16)], [P(), P(None, None, "x")], None, (8,), all_reduce=1)
add("several", several, [W, A(4, 64, 16)], [P(), DATA], None, (8,), all_reduce=1)
add("scalars", scalars, [W, A(4, 64, 16)], [P(), DATA], None, (8,), all_reduce=1)
add("written", written, [W, A(4, 64, 16)], [P(), DATA], None, (8,), all_reduce=1)


# Rows of a sharded array that are read one after another: gathered once.
def rows(w, x):
    return lax.scan(lambda h, w: (jnp.tanh(h @ w), None), x, w)[0]


def sequence(x):
    return lax.scan(lambda c, x: (c * 0.9 + x, c.sum()), jnp.zeros(x.shape[1:]), x)


def some_rows(w, x, n):
    return lax.fori_loop(0, n, lambda i, h: jnp.tanh(h @ w[i]), x)


ROWS = [A(8, 64, 64), A(16, 64)]
add("rows", rows, ROWS, [P("x"), P()], None, (8,), all_gather=1)
add("rows_of_tokens", rows, ROWS, [P("x"), P("x")], None, (8,), all_gather=1)
add("rows_reversed", lambda w, x: rows(w[::-1], x), ROWS, [P("x"), P()], None, (8,), all_gather=1, collective_permute=1)
add("rows_few", lambda w, x: some_rows(w, x, 3), ROWS, [P("x"), P()], None, (8,), all_gather=1)
add("rows_unknown", some_rows, [*ROWS, np.int32(6)], [P("x"), P(), P()], None, (8,), all_gather=1)
add("sequence", sequence, [A(64, 32)], [P("x")], None, (8,), all_gather=1)
add("sequence_of_sharded", sequence, [A(64, 32)], [XY], None, (4, 2), all_gather=1, all_reduce=1)


def specs_of(mesh, specs):
    return jax.tree.map(lambda s: NamedSharding(mesh, s), specs, is_leaf=lambda s: isinstance(s, P))


def check(name, folder, effort):
    f, args, specs, out, sizes, most_bytes, counts = programs[name]
    mesh = jax.make_mesh(sizes, tuple("xyz"[: len(sizes)]), axis_types=(AxisType.Auto,) * len(sizes),
                         devices=jax.devices()[: int(np.prod(sizes))])  # fmt: skip
    kwargs = {"in_shardings": tuple(specs_of(mesh, specs))}
    if out is not None:
        kwargs["out_shardings"] = specs_of(mesh, out)
    module, inputs, expected, stats = (os.path.join(folder, n) for n in ("m.mlir", "in.npz", "out.npz", "stats.json"))
    with open(module, "w") as file:
        file.write(jax.jit(f, **kwargs).lower(*args).as_text(debug_info=True))
    for path, prefix, values in (inputs, "arg", args), (expected, "out", jax.jit(f)(*args)):
        np.savez(path, **{f"{prefix}{i}": np.asarray(v) for i, v in enumerate(jax.tree.leaves(values))})
    done = oracle.process([oracle.TOOL, "run", module, inputs, "--expect", expected, "--rtol", "1e-3", "--atol", "1e-4",
                           f"--partition-effort={effort}", f"--stats=json={stats}"])  # fmt: skip
    if done.returncode != 0:
        return done.stderr
    with open(stats) as file:
        found = {k: v for k, v in json.load(file)["collectives"].items() if v["count"]}
    for kind, what in found.items():
        if what["count"] > counts.get(kind, 0):
            return f"executes {what['count']} {kind}, {counts.get(kind, 0)} would do: {found}"
    if most_bytes is not None and (sent := sum(v["bytes"] for v in found.values())) > most_bytes:
        return f"sends {sent} bytes, {most_bytes} would do: {found}"
    return None


wanted = sys.argv[1:]
tally = oracle.Tally("collective_counts", show=5)
with tempfile.TemporaryDirectory() as folder:
    for name in programs:
        if not wanted or any(part in name for part in wanted):
            for effort in (0, 1, 2):
                message = check(name, folder, effort)
                tally.check(f"{name} effort {effort}", message is None, message)
tally.finish()
