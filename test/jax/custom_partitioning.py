#===- custom_partitioning.py - calls that Python functions partition ------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""jax.experimental.custom_partitioning and jax.debug.inspect_array_sharding: the arguments and results
of the Python functions, the resulting programs, and errors."""

import re

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from both import case, main
from jax.experimental.custom_partitioning import BATCHING, SdyShardingRule, custom_partitioning
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P
from placing import mesh, on, placed, text


class Asked(list):
    """The arguments of `partition`: shapes and shardings of operands and results."""

    def note(self, args, result):
        show = lambda tree: [f"{x.shape} {text(x.sharding)}" for x in jax.tree.leaves(tree)]
        self.append(f"{show(args)} -> {show(result)}")


def elementwise(function=jnp.sin, rule="i j -> i j", **options):
    asked = Asked()

    @custom_partitioning
    def f(a):
        return function(a)

    def partition(mesh, args, result):
        asked.note(args, result)
        return mesh, function, result.sharding, (result.sharding,)

    f.def_partition(partition, sharding_rule=rule, **options)
    return f, asked


def ran(function, *args, asked=None):
    y = jax.jit(function)(*args)
    return y, [text(leaf.sharding) for leaf in jax.tree.leaves(y)], list(asked or ())


@case
def shards_of_an_elementwise_function():
    f, asked = elementwise()
    return ran(f, placed((8, 4), "x", "y"), asked=asked)


@case
def result_wanted_elsewhere():
    f, asked = elementwise()
    y = jax.jit(f, out_shardings=on("y", "x"))(placed((8, 4), "x", "y"))
    return y, text(y.sharding), list(asked)


@case
def operand_from_a_program_around_it():
    f, asked = elementwise()
    g = lambda x: jax.lax.with_sharding_constraint(f(x * 2 + 1), on("x")) - x.sum()
    return ran(g, placed((8, 4), "y"), asked=asked)


@case
def without_a_rule_nothing_propagates():
    f, asked = elementwise(rule=None)
    return ran(f, placed((8, 4), "x", "y"), asked=asked)


@case
def shardings_as_gspmd_says_them():
    f, asked = elementwise(decode_shardings=False)
    return ran(f, placed((8, 4), "x", "y"), asked=asked)


def last_dimension_whole(asked, whole):
    """A function of rows: the last dimension is gathered."""

    @custom_partitioning
    def f(a):
        return whole(a)

    def keep(sharding, rank):
        spec = tuple(sharding.spec)[: rank - 1]
        return NamedSharding(sharding.mesh, P(*spec, *(None,) * (rank - len(spec))))

    def partition(mesh, args, result):
        asked.note(args, result)
        s = keep(args[0].sharding, len(args[0].shape))
        return mesh, whole, s, (s,)

    f.def_partition(partition, sharding_rule="... i -> ... i")
    return f


@case(rtol=1e-4, atol=1e-4)
def rows_that_must_be_whole():
    asked = Asked()
    f = last_dimension_whole(asked, lambda a: jnp.fft.fft(a).real)
    x = placed((8, 4), "x", "y")
    return ran(f, x, asked=asked), jax.jit(f)(placed((16,), "x")), jax.jit(f)(placed((2, 4, 4), "y", "x"))


@case
def rows_are_gathered_and_nothing_else():
    f = last_dimension_whole(Asked(), lambda a: jnp.sort(a))
    programs = [jax.jit(f).lower(placed((8, 4), *spec)).compile().as_text() for spec in (("x",), ("x", "y"))]
    return ["all-gather" in p.replace("all_gather", "all-gather") for p in programs]


@case(rtol=1e-5, atol=1e-5)
def contraction_that_adds_up_itself():
    asked = Asked()

    @custom_partitioning
    def matmul(a, b):
        return a @ b, (a @ b).sum()

    def partition(mesh, args, result):
        asked.note(args, result)
        a, b = P("x", "y"), P("y", None)

        def local(a, b):
            c = jax.lax.psum(a @ b, "y")
            return c, jax.lax.psum(c.sum(), "x")

        s = lambda spec: NamedSharding(mesh, spec)
        return mesh, local, (s(P("x", None)), s(P())), (s(a), s(b))

    matmul.def_partition(partition, sharding_rule="i j, j k -> i k, ", reduction_factors=("j",))
    a, b = placed((8, 4), "x", "y"), placed((4, 8), "y")
    return ran(matmul, a, b, asked=asked), jax.jit(lambda a, b: matmul(a + 1, b)[0] * 2)(placed((8, 4), "y"), placed((4, 8), None, "x"))


@case
def every_collective_inside():
    @custom_partitioning
    def f(a):
        return a

    def partition(mesh, args, result):
        def local(a):
            up = jax.lax.ppermute(a, "x", [(i, (i + 1) % 4) for i in range(4)])
            whole = jax.lax.all_gather(a, "x", axis=0, tiled=True)
            place = jax.lax.axis_index("x") * 10 + jax.lax.axis_index("y")
            split = jax.lax.all_to_all(a, "y", split_axis=1, concat_axis=1, tiled=True)
            part = jax.lax.psum_scatter(whole, "x", scatter_dimension=0, tiled=True)
            return up + whole.sum() + place + split * 3 + part + jax.lax.pmax(a, "y")

        return mesh, local, result.sharding, (result.sharding,)

    f.def_partition(partition, sharding_rule="i j -> i j")
    return ran(f, placed((8, 4), "x", "y")), ran(lambda a: f(f(a)) + f(a * 2), placed((8, 4), "x", "y"))


@case
def several_operands_in_trees():
    asked = Asked()

    @custom_partitioning
    def f(tree, c):
        return {"sum": tree["a"] + tree["b"] + c, "a": tree["a"]}

    def partition(mesh, args, result):
        asked.note(args, result)
        s = NamedSharding(mesh, P("x", None))
        return mesh, f.fun, {"sum": s, "a": s}, ({"a": s, "b": s}, s)

    f.def_partition(partition, sharding_rule="i j, i j, i j -> i j, i j")
    return ran(f, {"a": placed((8, 4), "x"), "b": placed((8, 4), None, "y")}, placed((8, 4)), asked=asked)


@case
def static_arguments():
    asked = Asked()

    def power(a, n):
        return a**n

    f = custom_partitioning(power, static_argnums=(1,))

    def partition(n, mesh, args, result):
        asked.note(args, result)
        return mesh, lambda a: a**n, result.sharding, (args[0].sharding,)

    f.def_partition(partition, sharding_rule="i j -> i j")
    return ran(lambda a: f(a, 3) + f(a, 2), placed((8, 4), "x"), asked=asked)


@case
def rule_as_an_object_or_a_function():
    results = []
    rule = SdyShardingRule(operand_mappings=((BATCHING, "i"),), result_mappings=((BATCHING, "i"),))
    for given in (rule, lambda mesh, args, results: rule, lambda mesh, args, results: "i j -> i j"):
        f, asked = elementwise(rule=given)
        results.append(ran(f, placed((8, 4), "x", "y"), asked=asked))
    return results


@case
def factors_of_every_kind():
    results = []
    for options in (dict(need_replication_factors=("j",)), dict(permutation_factors=("j",)), dict()):
        f, asked = elementwise(**options)
        g = lambda x: f(x) + 1
        results.append(ran(g, placed((8, 4), "x", "y"), asked=asked)[0])
    return results


@case
def compound_factors():
    @custom_partitioning
    def flat(a):
        return a.reshape(32)

    asked = Asked()

    def partition(mesh, args, result):
        asked.note(args, result)
        s = NamedSharding(mesh, P("x"))
        return mesh, lambda a: a.reshape(-1), s, (s,)

    flat.def_partition(partition, sharding_rule="i j -> (i j)")
    y, shardings, _ = ran(flat, placed((8, 4), "x"), asked=asked)
    return y, shardings, len(asked)


@case
def dimension_that_does_not_divide():
    f, asked = elementwise()
    return ran(lambda a: f(jnp.concatenate([a[:3], a[:3]])) + 1, placed((8, 4), "x", "y"), asked=asked)[0]


@case
def in_loops_branches_and_calls():
    f, asked = elementwise(lambda a: a * 2)
    x = placed((8, 4), "x", "y")
    scan = lambda a: jax.lax.scan(lambda c, _: (f(c) + 1, c.sum()), a, None, length=3)
    branch = lambda a: jax.lax.cond(a.sum() > 0, f, lambda a: a, a)
    inner = jax.jit(lambda a: f(a) + 1)
    return ran(scan, x, asked=asked), ran(branch, x), ran(lambda a: inner(a) * inner(a + 1), x)


@case
def with_a_gradient_of_its_own():
    double, _ = elementwise(lambda a: a * a)
    slope, _ = elementwise(lambda a: 2 * a)
    f = jax.custom_vjp(double)
    f.defvjp(lambda a: (double(a), a), lambda a, g: (slope(a) * g,))
    return ran(jax.grad(lambda a: f(a).sum()), placed((8, 4), "x", "y"))


@case(errors="same")
def no_rule_for_vmap():
    return jax.jit(jax.vmap(elementwise()[0]))(placed((8, 4), "x"))


@case(errors="same")
def no_rule_for_gradients():
    return jax.jit(jax.grad(lambda a: elementwise()[0](a).sum()))(placed((8, 4), "x"))


@case
def inside_a_shard_map():
    f, asked = elementwise(lambda a: a + 1)
    whole = jax.shard_map(f, mesh=mesh(), in_specs=P("x"), out_specs=P("x"), check_vma=False)
    part = jax.shard_map(f, mesh=mesh(), in_specs=P("x"), out_specs=P("x"), check_vma=False, axis_names={"x"})
    return ran(whole, placed((8, 4), "x")), ran(part, placed((8, 4), "x", "y"), asked=asked)


def collectives_over(axis, mesh_of_shards):
    """For shards inside a shard_map over the other axis: `partition` gets no mesh, and returns one."""

    @custom_partitioning
    def f(a):
        return a

    def partition(_, args, result):
        def local(a):
            n = mesh_of_shards.shape[axis]
            up = jax.lax.ppermute(a, axis, [(i, (i + 1) % n) for i in range(n)])
            return up + jax.lax.psum(a, axis) * 10 + jax.lax.axis_index(axis)

        return mesh_of_shards, local, result.sharding, (args[0].sharding,)

    f.def_partition(partition, sharding_rule="i j -> i j")
    other = {"x": "y", "y": "x"}[axis]
    spec = P("x") if other == "x" else P(None, "y")
    mapped = jax.shard_map(f, mesh=mesh(), in_specs=spec, out_specs=spec, check_vma=False, axis_names={other})
    return ran(lambda x: mapped(x * 2) + 1, placed((8, 4), "x", "y"))


@case
def collectives_in_partly_manual_regions():
    return collectives_over("x", mesh()), collectives_over("y", mesh())


@case(errors="type")
def collectives_of_another_mesh():
    return collectives_over("y", jax.sharding.Mesh(np.array(jax.devices()[:2]), ("y",)))


@case
def constants_of_every_small_type():
    """The result of `partition` is bytecode of jaxlib's MLIR."""
    results = {}
    names = [n for n in dir(ml_dtypes) if re.match(r"float[48]_|bfloat|u?int[24]$", n)] + ["float16", "int8", "bool"]
    for name in names:
        small = np.dtype(getattr(ml_dtypes, name, name))
        some = np.array([1, 0, 1, 1] if small.kind in "iub" else [1, 0.5, 2, 1]).astype(small)

        def shard(a):
            edge = jax.lax.pad(a.astype(small), some[0], [(1, -1, 0), (0, 0, 0)]).astype(a.dtype)
            return a + edge + jnp.asarray(some).astype(a.dtype) + jnp.full(a.shape, some[1], small).astype(a.dtype)

        f = custom_partitioning(lambda a: a)
        f.def_partition(lambda mesh, args, result: (mesh, shard, result.sharding, (result.sharding,)), sharding_rule="i j -> i j")
        results[name] = jax.jit(f)(placed((8, 4), "x"))
    return results


@case
def one_device_and_no_jit():
    f, asked = elementwise()
    return jax.jit(f)(np.ones((8, 4), np.float32)), f(placed((8, 4), "x", "y")), list(asked)


@case
def other_order_of_devices():
    devices = np.array(jax.devices()[:8])[[3, 1, 0, 2, 7, 5, 4, 6]].reshape(2, 4)
    m = jax.sharding.Mesh(devices, ("a", "b"), axis_types=(AxisType.Auto,) * 2)

    @custom_partitioning
    def f(a):
        return a

    def partition(mesh, args, result):
        local = lambda a: jax.lax.psum(a, "b") * 100 + jax.lax.axis_index("a") * 10 + jax.lax.axis_index("b")
        return mesh, local, result.sharding, (result.sharding,)

    f.def_partition(partition, sharding_rule="i j -> i j")
    x = jax.device_put(np.arange(32, dtype=np.float32).reshape(8, 4), NamedSharding(m, P("a", "b")))
    return ran(f, x)


@case
def explicit_axes():
    f, _ = elementwise()
    m = mesh(AxisType.Explicit)
    x = jax.device_put(np.ones((8, 4), np.float32), NamedSharding(m, P("x", "y")))
    with jax.set_mesh(m):
        return jax.jit(lambda a: jax.sharding.auto_axes(f, out_sharding=P("x", "y"))(a))(x)


# --- errors -------------------------------------------------------------------------------


def reported(partition, rule="i j -> i j", **options):
    @custom_partitioning
    def f(a):
        return jnp.sin(a)

    f.def_partition(partition, sharding_rule=rule, **options)
    try:
        jax.jit(f)(placed((8, 4), "x", "y"))
    except Exception as error:
        lines = str(error).split("\tSuspected Python")[0].strip().splitlines()
        return type(error).__name__, lines[0], [line.split(" (")[0] for line in lines if "Error: " in line]
    return "no error"


def raising(mesh, args, result):
    raise ValueError("raised in partition")


@case
def errors_of_partition():
    return [
        reported(raising),
        reported(lambda m, args, result: (m, jnp.sin, P("x"), (args[0].sharding,))),
        reported(lambda m, args, result: (m, lambda a: a.sum(), result.sharding, (args[0].sharding,))),
        reported(lambda m, args, result: (m, lambda a: a.astype(np.int32), result.sharding, (args[0].sharding,))),
    ]


@case(errors="same")
def propagation_by_callbacks_alone():
    f = custom_partitioning(lambda a: a)
    f.def_partition(raising, infer_sharding_from_operands=lambda *args: None)
    return jax.jit(f)(placed((8, 4), "x"))


# --- inspect_array_sharding ---------------------------------------------------------------


def inspected(function, *args):
    seen = []

    def look(x):
        jax.debug.inspect_array_sharding(x, callback=lambda s: seen.append(text(s)))
        return x

    y = jax.block_until_ready(jax.jit(lambda *args: function(look, *args))(*args))
    return y, list(seen)


@case
def inspected_values():
    x = placed((8, 4), "x", "y")
    return [
        inspected(lambda look, x: look(x @ x.T), x),
        inspected(lambda look, x: look(x) + look(x.T).T, x),
        inspected(lambda look, x: look(x.sum(0)), x),
        inspected(lambda look, x: look(jax.lax.with_sharding_constraint(x, on("y"))), x),
        inspected(lambda look, x: look({"a": x, "b": x[0]} and x), placed((8, 4))),
    ]


@case
def inspected_inside_of_things():
    x = placed((8, 4), "x", "y")
    mapped = lambda axes: lambda look, x: jax.shard_map(look, mesh=mesh(), in_specs=P("x"), out_specs=P("x"), axis_names=axes)(x)
    return [
        inspected(lambda look, x: jax.lax.scan(lambda c, _: (look(c) * 2, None), x, None, length=3)[0], x),
        inspected(lambda look, x: jax.grad(lambda x: look(x).sum())(x), x),
        inspected(lambda look, x: jax.vmap(look)(x), x),
        inspected(mapped({"x", "y"}), x),
        inspected(mapped({"x"}), x),
        inspected(lambda look, x: look(x), np.ones((8, 4), np.float32)),
    ]


@case
def error_in_an_inspection():
    def raising(sharding):
        raise ValueError("raised while looking")

    try:
        jax.jit(lambda x: (jax.debug.inspect_array_sharding(x, callback=raising), x)[1])(placed((8, 4), "x"))
    except Exception as error:
        return type(error).__name__, str(error).splitlines()[0], "raised while looking" in str(error)


@case
def eager_inspection():
    seen = []
    jax.debug.inspect_array_sharding(placed((8, 4), "x"), callback=lambda s: seen.append(text(s)))
    return list(seen)


@case
def drawn_sharding():
    import contextlib
    import io

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        jax.jit(lambda x: (jax.debug.visualize_array_sharding(x), x)[1])(placed((8, 4), "x", "y"))
        jax.jit(lambda x: (jax.debug.visualize_array_sharding(x * 2), x)[1])(placed((8,), "y"))
    # The width of the boxes depends on the platform's name.
    return re.findall(r"(?:SHARDWRIGHT|CPU) ([\d,]+)", out.getvalue())


if __name__ == "__main__":
    main(__doc__)
