#===- gspmd_programs.py - programs to lower with and without Shardy --------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""JAX programs with constraints and shard_map (over all axes, over some, nested and in loops), on a
mesh x=2, y=4. `programs` maps a name to function, arguments, their shardings, and the shardings of
results or None."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import shard_map
from jax.experimental.shard_alike import shard_alike
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((2, 4), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
random = np.random.default_rng(0)


def A(*shape):
    return random.standard_normal(shape).astype(np.float32)


def S(*entries):
    return NamedSharding(mesh, P(*entries))


def constrain(value, *entries):
    return jax.lax.with_sharding_constraint(value, S(*entries))


def mapped(function, in_specs, out_specs, *axes):
    names = {"axis_names": set(axes)} if axes else {}
    return shard_map(function, mesh=mesh, in_specs=in_specs, out_specs=out_specs, **names)


def inner(a):
    both = shard_map(
        lambda b: jax.lax.psum(b, "y") + 0 * b, in_specs=P(None, "y"), out_specs=P(None, "y"), axis_names={"y"}
    )
    return both(a * 2)


row_by_column = mapped(
    lambda a, b: jax.lax.psum(a @ b, "y"), (P("x", "y"), P("y", None)), P("x", None)
)

programs = {
    "matmul": (lambda a, b: a @ b, (A(8, 16), A(16, 32)), (S("x", "y"), S("y", None)), S("x", None)),
    "mlp": (
        lambda x, v, w: constrain(jnp.tanh(constrain(x @ v, "x", "y")), "x", "y") @ w,
        (A(8, 16), A(16, 32), A(32, 8)), (S("x"), S(None, "y"), S("y", None)), None,
    ),
    "unconstrained": (
        lambda x: jax.lax.with_sharding_constraint(x * 2, NamedSharding(mesh, P(P.UNCONSTRAINED, "y"))) + 1,
        (A(8, 8),), (S("x"),), None,
    ),
    "cond": (
        lambda x: jax.lax.cond(x.sum() > 0, lambda v: constrain(v * 2, "y"), lambda v: v - 1, x),
        (A(8, 8),), (S("x"),), S("x"),
    ),
    "sort": (lambda x: jnp.cumsum(x, 0) + jnp.sort(x, 1), (A(8, 8),), (S("x"),), None),
    "gradient": (
        jax.grad(lambda w, x: jnp.sum(jnp.tanh(constrain(x @ w, "x", "y")) ** 2)),
        (A(16, 8), A(8, 16)), (S(None, "y"), S("x")), S(None, "y"),
    ),
    "softmax": (
        lambda x: jax.nn.softmax(constrain(x, "x", "y"), axis=1), (A(8, 16),), (S("x"),), S("x", "y"),
    ),
    "gather": (
        lambda e, i: constrain(e[i], "x", "y"),
        (A(32, 8), random.integers(0, 32, (8,)).astype(np.int32)), (S("y", None), S("x")), None,
    ),
    "shard_map": (row_by_column, (A(8, 16), A(16, 32)), (S("x", "y"), S("y", None)), None),
    "shard_map_unsharded_argument": (
        mapped(lambda a, b: a * b.sum() + 1, (P("x"), P()), P("x")), (A(8, 4), A(4, 3)), (S("y"), S("x")), None,
    ),
    "shard_map_partial": (
        mapped(
            lambda a: a * jax.lax.axis_index("x").astype(np.float32) + jax.lax.psum(a, "x"), P("x"), P("x"), "x"
        ),
        (A(8, 16),), (S("x", "y"),), None,
    ),
    "shard_map_nested": (mapped(inner, P("x"), P("x"), "x"), (A(8, 16),), (S("x", "y"),), None),
    "shard_map_twice": (
        lambda a, b: row_by_column(jnp.sin(row_by_column(a, b)), b.T), (A(8, 16), A(16, 16)),
        (S("x", "y"), S("y", None)), None,
    ),
    "shard_map_in_scan": (
        lambda x, ws: jax.lax.scan(lambda c, w: (row_by_column(c, w), c.sum()), x, ws),
        (A(4, 8), A(3, 8, 8)), (S("x", "y"), S()), None,
    ),
    "shard_map_gradient": (
        jax.grad(lambda a, b: jnp.sum(row_by_column(a, b) ** 2)), (A(8, 16), A(16, 32)),
        (S("x", "y"), S("y", None)), None,
    ),
    "shard_map_permute": (
        mapped(lambda a: jax.lax.ppermute(a, "y", [(0, 1), (1, 2), (2, 3), (3, 0)]), P("x", "y"), P("x", "y")),
        (A(8, 16),), (S("x", "y"),), None,
    ),
    "shard_map_all_to_all": (
        mapped(
            lambda a: jax.lax.all_to_all(a, "y", split_axis=0, concat_axis=1, tiled=True),
            P(None, "y"), P("y", None),
        ),
        (A(8, 16),), (S("x", "y"),), None,
    ),
    "shard_map_gather_scatter": (
        mapped(
            lambda a: jax.lax.psum_scatter(jax.lax.all_gather(a, "y", tiled=True), "y", tiled=True),
            P(("y", "x")), P(("y", "x")),
        ),
        (A(32, 4),), (S(("y", "x")),), None,
    ),
    "layer_norm": (
        lambda x, g: constrain((x - x.mean(1, keepdims=True)) / jnp.sqrt(x.var(1, keepdims=True) + 1e-5) * g, "x", "y"),
        (A(8, 16), A(16)), (S("x", "y"), S("y")), S("x", "y"),
    ),
    "attention": (
        lambda q, k, v: jnp.einsum(
            "bhqk,bkhd->bqhd", jax.nn.softmax(constrain(jnp.einsum("bqhd,bkhd->bhqk", q, k), "x", "y"), -1), v
        ),
        (A(4, 8, 4, 8), A(4, 8, 4, 8), A(4, 8, 4, 8)), (S("x", None, "y"),) * 3, S("x", None, "y"),
    ),
    "convolution": (
        lambda x, w: constrain(
            jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")), "x", None, None, "y"
        ),
        (A(4, 8, 8, 4), A(3, 3, 4, 8)), (S("x"), S(None, None, None, "y")), None,
    ),
    "scan": (
        lambda x, ws: jax.lax.scan(lambda c, w: (constrain(jnp.tanh(c @ w), "x", "y"), c.sum()), x, ws),
        (A(8, 8), A(3, 8, 8)), (S("x", "y"), S(None, "y")), None,
    ),
    "while": (
        lambda x: jax.lax.while_loop(lambda c: c[0] < 4, lambda c: (c[0] + 1, constrain(c[1] * 1.5, "y", "x")), (0, x)),
        (A(8, 8),), (S("x", "y"),), None,
    ),
    "several_axes": (
        lambda x: constrain(x.reshape(8, 32), ("x", "y")) + 1, (A(16, 16),), (S(("y", "x")),), S(None, ("x", "y")),
    ),
    "replicated": (lambda x, y: (x @ y, x.sum()), (A(8, 8), A(8, 8)), (S(), S()), S()),
    "transpose": (lambda x: constrain(x.T, "x", "y").reshape(-1), (A(8, 16),), (S("x", "y"),), S(("x", "y"))),
    "uneven": (lambda x: constrain(x, "x") * 2 + constrain(x, None, "y"), (A(6, 10),), (S(),), None),
    "top_k": (lambda x: jax.lax.top_k(constrain(x, "x"), 3), (A(8, 16),), (S("x", "y"),), None),
    "scatter": (
        lambda x, i, u: constrain(x.at[i].add(u), "x", "y"),
        (A(16, 8), random.integers(0, 16, (4,)).astype(np.int32), A(4, 8)), (S("x", "y"), S(), S(None, "y")), None,
    ),
    "integers": (
        lambda x, y: constrain((x * 3 + y) % 7, "y", "x"),
        (random.integers(0, 99, (8, 8)).astype(np.int32), random.integers(0, 99, (8, 8)).astype(np.int32)),
        (S("x", "y"), S("y", "x")), None,
    ),
    "shard_alike": (
        lambda x, y: tuple(v * 2 for v in shard_alike(x + 1, y - 1)), (A(8, 16), A(8, 16)), (S("x", "y"), S()), None,
    ),
    "training_step": (
        lambda w, v, x, y: jax.tree.map(
            lambda p, g: p - 0.1 * g,
            (w, v),
            jax.grad(lambda p: jnp.mean((constrain(jax.nn.relu(x @ p[0]), "x", "y") @ p[1] - y) ** 2))((w, v)),
        ),
        (A(16, 32), A(32, 4), A(8, 16), A(8, 4)), (S(None, "y"), S("y"), S("x"), S("x")), (S(None, "y"), S("y")),
    ),
    "shard_map_ring": (
        mapped(
            lambda a: jax.lax.fori_loop(
                0, 4, lambda i, c: (c[0] + c[1], jax.lax.ppermute(c[1], "y", [(j, (j + 1) % 4) for j in range(4)])),
                (a, a),
            )[0],
            P("x", "y"), P("x", "y"),
        ),
        (A(8, 16),), (S("x", "y"),), None,
    ),
    "shard_map_index": (
        mapped(
            lambda a: a + jax.lax.axis_index("x") * 10 + jax.lax.axis_index("y"), P("x", "y"), P("x", "y")
        ),
        (random.integers(0, 9, (8, 16)).astype(np.int32),), (S("x", "y"),), None,
    ),
    "shard_map_several": (
        mapped(
            lambda a, b: (a.sum(keepdims=True), jax.lax.pmax(b, "y"), jax.lax.psum(a @ b.T, ("x", "y"))),
            (P("x", "y"), P(None, "y")), (P("x", "y"), P(), P()),
        ),
        (A(8, 16), A(4, 16)), (S("x", "y"), S()), None,
    ),
    "shard_map_partial_y": (
        lambda a, b: mapped(
            lambda c, d: jax.lax.psum(jnp.tanh(c) @ d, "y"), (P(None, "y"), P("y")), P(), "y"
        )(a, b) * 2,
        (A(8, 16), A(16, 4)), (S("x", "y"), S("y")), S("x"),
    ),
    "shard_map_partial_constraint": (
        mapped(
            lambda a: jax.lax.with_sharding_constraint(a * 2, P(None, "y")) + jax.lax.psum(a, "x"),
            P("x"), P("x"), "x",
        ),
        (A(8, 16),), (S("x", "y"),), None,
    ),
    "shard_map_partial_gradient": (
        jax.grad(lambda a, b: jnp.sum(mapped(
            lambda c, d: jax.lax.psum(c @ d, "y"), (P(None, "y"), P("y")), P(), "y")(a, b) ** 2)),
        (A(8, 16), A(16, 4)), (S("x", "y"), S("y")), None,
    ),
}
