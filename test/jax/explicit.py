#===- explicit.py - shardings as types: unreduced and reduced values -----===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Programs on Explicit axes whose values are partial sums (`unreduced`) or have such gradients
(`reduced`): values, types, shardings of results, printed text, and the number of collectives.
explicit_programs.py has random programs."""

import re

import jax
import jax.numpy as jnp
import numpy as np
from both import case, main
from jax import lax
from jax.sharding import AxisType, NamedSharding, reshard
from jax.sharding import PartitionSpec as P

COLLECTIVE = re.compile(r" (all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute)(?:-start)?\(")

A = np.arange(128, dtype=np.float32).reshape(16, 8) % 7 - 3
W = np.arange(64, dtype=np.float32).reshape(8, 8) % 5 - 2


def mesh(shape=(4, 2), names=("x", "y"), types=AxisType.Explicit):
    return jax.make_mesh(shape, names, axis_types=(types,) * len(names))


def put(x, *spec, **sets):
    return jax.device_put(x, P(*spec, **sets))


def said(f, *args):
    """Returns the text of an error."""
    try:
        f(*args)
        return "no error"
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def messages(f, *args):
    """Returns the collectives of the compiled program, by kind."""
    found = COLLECTIVE.findall(jax.jit(f).lower(*args).compile().as_text())
    return str(sorted((kind, found.count(kind)) for kind in set(found)))


def whole(v):
    """Returns the reduced value; the sharding of its dimensions stays the same."""
    return reshard(v, NamedSharding(v.sharding.mesh, P(*v.sharding.spec.partitions)))


def seen(*values):
    """Returns types, specs and values; of partial sums their sum."""
    return [(str(jax.typeof(v)), str(v.sharding.spec), whole(v)) for v in values]


@case
def unreduced_scalars():
    out = []
    for shape, names in (((4, 2), "xy"), ((2, 2, 2), "xyz"), ((1, 4), "xy"), ((8,), "x")):
        with jax.set_mesh(mesh(shape, tuple(names))):
            for axes in ({"x"}, {"y"}, {"x", "y"}, {"x", "y", "z"}):
                for more in [set(), *({n} for n in names if n not in axes)]:
                    if axes <= set(names):
                        f = jax.jit(lambda v: reshard(v * 2, P(unreduced=axes, reduced=more)))
                        out.append((str(f.lower(jnp.float32(3)).compile().output_shardings.spec), seen(f(jnp.float32(3)))))
    return out


@case
def sums_that_stay_partial():
    with jax.set_mesh(mesh()):
        x = put(A, "x", "y")
        kept = lambda axes, *spec, **sets: jax.jit(lambda x: lax.reduce_sum(x, axes, out_sharding=P(*spec, **sets)))(x)
        return seen(
            kept((0,), "y", unreduced={"x"}), kept((1,), "x", unreduced={"y"}), kept((0, 1), unreduced={"x", "y"}),
            kept((0, 1), unreduced={"x"}), kept((0, 1), unreduced={"y"}), kept((0, 1)),
        ), [messages(lambda x: lax.reduce_sum(x, (0, 1), out_sharding=P(unreduced=u)), x) for u in ({"x", "y"}, {"x"})]  # fmt: skip


@case
def sums_of_partial_sums():
    out = []
    with jax.set_mesh(mesh((2, 2, 2), ("x", "y", "z"))):
        for u in ({"x"}, {"x", "y"}, {"x", "y", "z"}):
            for dims in ((None, None), ("z", None), (None, ("z", "y"))):
                if not u & {a for d in dims if d for a in d}:
                    v = jax.jit(lambda a: reshard(a + 1, P(*dims, unreduced=u)))(put(A))
                    out += seen(v, jax.jit(lambda v: jnp.sum(v, 1))(v), jax.jit(lambda v: lax.reduce_sum(v, (0, 1), out_sharding=P()))(v))
                    out += seen(jax.jit(lambda v: lax.reduce_sum(v, (0,), out_sharding=P(dims[1], unreduced=u)))(v))
    return out


@case
def sums_of_reduced_values():
    out = []
    with jax.set_mesh(mesh((2, 2, 2), ("x", "y", "z"))):
        for r in ({"x"}, {"x", "y"}, {"x", "y", "z"}):
            v = put(A, reduced=r)
            f = lambda v: jnp.sum(v, 0)
            g = jax.jit(jax.grad(lambda v: reshard(jnp.sum(v * v), P())))
            out += [seen(jax.jit(f)(v)), seen(jax.jit(jnp.sum)(v)), seen(g(v)), messages(f, v), str(jax.jit(f).lower(v).compile().input_shardings[0][0].spec)]
        v = put(A, "x", reduced={"y", "z"})
        out += [seen(jax.jit(lambda v: jnp.sum(v, 1))(v)), seen(jax.grad(lambda v: reshard(jnp.sum(v, 1), P("x")).sum())(v))]
    return out


@case
def products_that_stay_partial():
    with jax.set_mesh(mesh()):
        x, w = put(A, None, "x"), put(W, "x", "y")
        f = jax.jit(lambda x, w: jnp.matmul(x, w, out_sharding=P(None, "y", unreduced={"x"})))
        both = jax.jit(lambda x, w: jnp.einsum("ij,ij->", x, w, out_sharding=P(unreduced={"x", "y"})))
        x2, w2 = put(W, "x", "y"), put(W.T, "x", "y")
        grads = jax.jit(jax.grad(lambda x, w: (reshard(f(x, w), P(None, "y")) ** 2).sum(), (0, 1)))
        return [
            seen(f(x, w), both(x2, w2)), messages(f, x, w), messages(both, x2, w2), messages(lambda x, w: reshard(f(x, w), P(None, "y")), x, w),
            seen(*grads(x, w)), seen(jax.jit(jnp.add)(f(x, w), f(x, w))),
        ]  # fmt: skip


@case
def reduced_through_reshapes_and_remat():
    with jax.set_mesh(mesh()):
        w = put(W, None, None, reduced={"x"})
        x = put(A, "x")
        flat = lambda w, *spec: jnp.reshape(w, (64,), out_sharding=P(*spec, reduced={"x"}))
        back = lambda w: jnp.reshape(w, (8, 8), out_sharding=P(None, None, reduced={"x"}))
        shaped = jax.jit(lambda w: [flat(w), flat(w, "y"), back(flat(w, "y")), w.T, lax.expand_dims(w, (1,)), w * 2])
        loss = lambda w, x: (x @ back(flat(w))).sum()
        remat = lambda w, x: jax.checkpoint(lambda w: jnp.sin(x @ back(flat(w, "y")) / 16).sum())(w)
        grads = [jax.jit(jax.grad(f))(w, x) for f in (loss, remat)]
        return seen(*shaped(w)), seen(*grads), [messages(jax.grad(f), w, x) for f in (loss, remat)]


@case
def reshards_between_partial_sums():
    out = []
    with jax.set_mesh(mesh((2, 2, 2), ("x", "y", "z"))):
        x = put(A, None, "y")
        p = jax.jit(lambda x: jnp.einsum("ij,kj->ik", x, x, out_sharding=P(None, None, unreduced={"y"})))(x)
        for to in (P("x", None, unreduced={"y"}), P(None, ("z", "x"), unreduced={"y"}), P("z", "x", unreduced={"y"})):
            q = jax.jit(lambda p: reshard(p, to))(p)
            for end in (P("y"), P(None, "x"), P()):
                out += seen(q, jax.jit(lambda q: reshard(q, end))(q), jax.jit(lambda p: reshard(reshard(p, to), end))(p))
    return out


@case
def printed():
    with jax.set_mesh(mesh()):
        p = jax.jit(lambda x: jnp.einsum("ij,kj->ik", x, x, out_sharding=P("x", unreduced={"y"})))(put(A, "x", "y"))
        s = jax.jit(lambda x: lax.reduce_sum(x, (0, 1), out_sharding=P(unreduced={"x"})))(put(A, "x"))
        r = put(A, reduced={"y"})
        return [f(v) for f in (str, repr, lambda v: str(v.sharding), lambda v: f"{v}", lambda v: str(jax.typeof(v))) for v in (p, s, r)]


@case
def gathered_by_the_host():
    with jax.set_mesh(mesh()):
        p = jax.jit(lambda x: jnp.einsum("ij,kj->ik", x, x, out_sharding=P("x", unreduced={"y"})))(put(A, "x", "y"))
        s = jax.jit(lambda x: lax.reduce_sum(x, (0, 1), out_sharding=P(unreduced={"x"})))(put(A, "x"))
        return [said(np.asarray, p), said(float, s), said(lambda: p + 1), said(jnp.sin, s), said(jax.device_put, p, P()), said(lambda: p[0]), said(lambda: p.addressable_shards)]


@case
def gradient_under_vmap():
    """The batch is sharded along an axis. The weights are reduced along it, or batched too."""
    with jax.set_mesh(mesh()):
        x, w = put(A, "x"), put(W, None, None)
        f = lambda w, r: jnp.tanh(r @ w / 16).sum()
        each = jax.jit(jax.vmap(jax.grad(f), in_axes=(None, 0), spmd_axis_name="x"))
        total = jax.jit(jax.grad(lambda w, x: jax.vmap(f, in_axes=(None, 0), spmd_axis_name="x")(w, x).sum()))
        many = put(np.stack([W] * 4), "x")
        return seen(each(w, x), total(w, x), jax.jit(jax.vmap(jax.grad(f), spmd_axis_name="x"))(many, put(A[:4], "x"))), messages(total, put(W, reduced={"x"}), x)


def layers(reduce):
    """Gradients of a scan over layers inside a scan over minibatches: the weights are reduced along x."""
    with jax.set_mesh(mesh()):
        ws = put(np.stack([W, W.T, W]), None, None, "y") / 8
        batches = put(np.stack([A] * 2), None, "x")

        def loss(ws, x):
            def layer(h, w):
                h = jnp.einsum("bi,ij->bj", h, w, out_sharding=P("x", "y"))
                return reshard(jnp.tanh(h), P("x")), None

            return (lax.scan(layer, x, ws)[0] ** 2).sum()

        def step(ws, batches):
            start = jax.tree.map(lambda w: jnp.zeros_like(w, out_sharding=P(None, None, "y", unreduced={"x"} if reduce else set())), ws)

            def minibatch(total, x):
                grads = jax.grad(loss)(reshard(ws, P(None, None, "y", reduced={"x"})) if reduce else ws, x)
                return jax.tree.map(jnp.add, total, grads), None

            total = lax.scan(minibatch, start, batches)[0]
            return reshard(total, P(None, None, "y"))

        return jax.jit(step)(ws, batches), messages(step, ws, batches)


@case
def scans_over_layers_and_minibatches():
    values = [layers(reduce)[0] for reduce in (True, False)]
    return seen(*values), np.asarray(values[0])


@case
def custom_rules_and_branches():
    with jax.set_mesh(mesh()):
        x, w = put(A, "x"), put(W, reduced={"x"})

        @jax.custom_vjp
        def twice(w):
            return w * 2

        twice.defvjp(lambda w: (twice(w), None), lambda _, ct: (ct + ct,))

        def loss(w, n):
            h = lax.cond(n % 2 == 0, lambda w: x @ twice(w), lambda w: jnp.sin(x @ w / 16), w)
            return lax.fori_loop(0, 3, lambda i, h: jnp.tanh(h @ w / 16), h).sum()

        g = jax.jit(jax.grad(loss))
        return seen(g(w, 0), g(w, 1)), messages(jax.grad(loss), w, 1)


if __name__ == "__main__":
    main(__doc__)
