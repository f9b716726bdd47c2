#===- shard_map.py - manual computations ----------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""shard_map with every collective, nested in jit, scan, grad and vmap; pmap."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from both import case, main
from jax import lax
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

A = np.arange(128, dtype=np.float32).reshape(16, 8) / 50


def mesh():
    return jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)


def mapped(f, ins=P("x", "y"), outs=P("x", "y"), **options):
    return jax.jit(jax.shard_map(f, mesh=mesh(), in_specs=ins, out_specs=outs, check_vma=False, **options))


@case
def reductions():
    return [
        mapped(lambda x: op(x, axes))(A)
        for op in (lax.psum, lax.pmax, lax.pmin, lax.pmean)
        for axes in ("x", "y", ("x", "y"))
    ]


@case
def gathers_and_scatters():
    return [
        mapped(lambda x: lax.all_gather(x, "x"), outs=P(None, "x", "y"))(A),
        mapped(lambda x: lax.all_gather(x, "y", axis=1, tiled=True), outs=P("x"))(A),
        mapped(lambda x: lax.psum_scatter(x, "x", tiled=True))(A),
        mapped(lambda x: lax.psum_scatter(x, "y", scatter_dimension=1, tiled=True))(A),
        mapped(lambda x: lax.all_to_all(x, "x", 0, 1, tiled=True))(A),
        mapped(lambda x: lax.all_to_all(x, "y", 1, 0, tiled=True))(A),
    ]


@case
def permutes():
    shift = [(i, (i + 1) % 4) for i in range(4)]
    return [
        mapped(lambda x: lax.ppermute(x, "x", shift))(A),
        mapped(lambda x: lax.ppermute(x, "x", [(0, 1)]))(A),
        mapped(lambda x: lax.pshuffle(x, "x", [2, 0, 3, 1]))(A),
    ]


@case
def indices_and_sizes():
    f = lambda x: x * 0 + lax.axis_index("x") * 10 + lax.axis_index("y") + lax.axis_size("x") * 100
    return mapped(f)(A), mapped(lambda x: x * 0 + lax.axis_index(("y", "x")))(A)


@case
def groups():
    f = lambda x: lax.psum(x, "x", axis_index_groups=[[0, 3], [1, 2]])
    return mapped(f)(A), mapped(lambda x: lax.all_gather(x, "x", axis_index_groups=[[0, 1], [2, 3]], tiled=True), outs=P("x", "y"))(A)


@case
def in_a_scan():
    def ring(x):
        def step(carry, _):
            acc, x = carry
            return (acc + x, lax.ppermute(x, "x", [(i, (i + 1) % 4) for i in range(4)])), acc.sum()

        (acc, _), sums = lax.scan(step, (x * 0, x), None, length=4)
        return acc, sums[None]

    return mapped(ring, outs=(P("x", "y"), P("x", "y")))(A)


@case
def in_a_gradient():
    def loss(w, x):
        f = jax.shard_map(lambda w, x: lax.psum((x @ w) ** 2, "x"), mesh=mesh(), in_specs=(P(), P("x")), out_specs=P())
        return f(w, x).sum()

    return jax.jit(jax.value_and_grad(loss, (0, 1)))(np.ones((8, 3), np.float32), A)


@case
def gradient_inside():
    f = lambda w, x: lax.pmean(jax.grad(lambda w: jnp.tanh(x @ w).sum())(w), ("x", "y"))
    return mapped(f, ins=(P(), P(("x", "y"))), outs=P())(np.ones((8, 3), np.float32) / 9, A)


@case
def within_a_jit():
    m = mesh()

    @jax.jit
    def f(x):
        y = jnp.sin(x) + 1
        z = jax.shard_map(lambda y: lax.psum(y, "y"), mesh=m, in_specs=P("x", "y"), out_specs=P("x"))(y)
        return jnp.cos(z) @ y[:4, :4]

    return f(jax.device_put(A, NamedSharding(m, P("x"))))


@case
def along_some_axes():
    f = jax.shard_map(lambda x: lax.psum(x * 2, "x"), mesh=mesh(), in_specs=P("x"), out_specs=P(), axis_names={"x"})
    return jax.jit(lambda x: f(jnp.sin(x)) + 1)(jax.device_put(A, NamedSharding(mesh(), P("x", "y"))))


@case
def nested():
    m = mesh()

    def outer(x):
        inner = jax.shard_map(lambda x: lax.psum(x, "y"), in_specs=P(None, "y"), out_specs=P(), axis_names={"y"})
        return inner(x) + lax.psum(x[:, :4], "x")

    with jax.set_mesh(m):
        return jax.jit(jax.shard_map(outer, in_specs=P("x"), out_specs=P("x"), axis_names={"x"}))(A)


@case
def with_branches():
    f = lambda x: lax.cond(lax.axis_index("x") % 2 == 0, lambda x: x * 2, lambda x: x - 1, x)
    g = lambda x: lax.while_loop(lambda s: s[0] < lax.axis_index("x"), lambda s: (s[0] + 1, s[1] * 2), (0, x))[1]
    return mapped(f)(A), mapped(g)(A)


@case
def checked_replication():
    f = jax.jit(jax.shard_map(lambda x: lax.psum(x, "x"), mesh=mesh(), in_specs=P("x"), out_specs=P()))
    return f(A), jax.grad(lambda x: f(x).sum())(A)


@case(errors="type")
def wrong_specs():
    return mapped(lambda x: x, ins=P("z"))(A)


@case
def with_vmap():
    f = jax.shard_map(lambda x: lax.psum(x, "x"), mesh=mesh(), in_specs=P("x"), out_specs=P(), check_vma=False)
    return jax.jit(jax.vmap(f, in_axes=1, out_axes=1))(A)


@case(exact=True)
def random_keys_per_device():
    f = lambda k: jax.random.bits(jax.random.fold_in(k, lax.axis_index("x")), (2,))
    return mapped(f, ins=P(), outs=P("x"))(jax.random.key(3))


@case
def pmapped():
    x = np.arange(16, dtype=np.float32).reshape(8, 2)
    f = jax.pmap(lambda x, c: lax.psum(x, "i") * c + lax.axis_index("i"), axis_name="i", in_axes=(0, None))
    g = jax.pmap(functools.partial(lax.all_gather, axis_name="i"), axis_name="i")
    return f(x, 3.0), g(x), jax.pmap(lambda x: x.sum())(x), jax.pmap(jnp.sin, devices=jax.devices()[:4])(x[:4])


@case
def pmapped_training():
    w = jnp.stack([jnp.ones((3,))] * 8)
    x = np.random.RandomState(0).randn(8, 4, 3).astype(np.float32)

    @functools.partial(jax.pmap, axis_name="batch")
    def step(w, x):
        loss, g = jax.value_and_grad(lambda w: ((x @ w - 1) ** 2).mean())(w)
        return lax.pmean(loss, "batch"), w - 0.1 * lax.pmean(g, "batch")

    losses = []
    for _ in range(5):
        loss, w = step(w, x)
        losses.append(loss)
    return losses, w


if __name__ == "__main__":
    main(__doc__)
