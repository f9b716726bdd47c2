#===- gspmd.py - programs with GSPMD shardings -----------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Programs that JAX lowers with Shardy off (constraints, shard_map in full, in part, nested, in
loops) run on 8 devices to the results of XLA, on the mesh that their shardings imply and on a
given one; programs that PyTorch/XLA exported (Inputs/torch_xla/) give what they give without shardings."""

import os
import re
import subprocess
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "oracle"))
import oracle

oracle.require()

import jax
import jax.numpy as jnp
import numpy as np
from jax import shard_map
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

jax.config.update("jax_use_shardy_partitioner", False)
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

# name: function, arguments, their shardings, the result's or None
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
}


def flat(values):
    return [np.asarray(v) for v in jax.tree.leaves(values)]


def run(*command):
    done = subprocess.run([oracle.TOOL, "run", *command], capture_output=True, text=True)
    return done.returncode, done.stderr.strip()


def check_jax(tally, folder):
    for name, (function, values, ins, out) in programs.items():
        jitted = jax.jit(function, in_shardings=ins, **({} if out is None else {"out_shardings": out}))
        paths = {k: os.path.join(folder, f"{name}.{k}") for k in ("mlir", "in.npz", "out.npz")}
        with open(paths["mlir"], "w") as file:
            file.write(jitted.lower(*values).as_text(debug_info=True))
        np.savez(paths["in.npz"], **{f"arg{i}": v for i, v in enumerate(flat(values))})
        np.savez(paths["out.npz"], **{f"out{i}": v for i, v in enumerate(flat(jitted(*values)))})
        for flags in ([], ["--mesh", "x=2,y=4"]):
            code, text = run(paths["mlir"], paths["in.npz"], "--expect", paths["out.npz"], "--rtol", "1e-4", *flags)
            tally.check(f"{name} {' '.join(flags)}", code == 0, text)


def check_torch(tally, folder):
    programs = os.path.join(HERE, "Inputs", "torch_xla")
    for name in sorted(os.listdir(programs)):
        path, plain = os.path.join(programs, name), os.path.join(folder, name)
        with open(path) as file:
            text = file.read()
        stripped = re.sub(r'mhlo\.sharding = "[^"]*"(, )?', "", text)
        stripped = re.sub(r"(\S+ = )stablehlo\.custom_call @Sharding\((\S+)\) \{[^}]*\} : \((.*)\) -> .*",
                          r"\1stablehlo.optimization_barrier \2 : \3", stripped)
        with open(plain, "w") as file:
            file.write(stripped)
        expected = os.path.join(folder, name + ".npz")
        code, message = run(plain, "--random", "1", "--out", expected)
        tally.check(f"{name} without shardings", code == 0, message)
        code, message = run(path, "--random", "1", "--devices", "8", "--expect", expected, "--rtol", "1e-4")
        tally.check(f"{name} on 8 devices", code == 0, message)


def main():
    tally = oracle.Tally("gspmd")
    with tempfile.TemporaryDirectory() as folder:
        check_jax(tally, folder)
        check_torch(tally, folder)
    tally.finish()


main()
