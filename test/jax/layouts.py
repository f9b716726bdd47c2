#===- layouts.py - layouts that programs ask for -------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Layouts in `in_shardings`, `out_shardings` and constraints are reported back as asked, by arrays, compiled
programs and their shapes, on sharded arrays too; layouts that do not fit give JAX's errors."""

import itertools
import os
import re
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
from both import J12, case, main
from jax import lax
from jax.experimental.layout import Format, Layout, with_layout_constraint
from jax.sharding import AxisType, NamedSharding, SingleDeviceSharding
from jax.sharding import PartitionSpec as P
from layout_helpers import CUBE, A, constrained, mesh, named, said, text


@case
def in_and_out():
    rows, columns = Format(Layout((0, 1)), named("x", "y")), Format(Layout((1, 0)), named("x", "y"))
    out = []
    for into in (rows, columns):
        for outof in (rows, columns):
            f = jax.jit(lambda v: v * 2 + 1, in_shardings=into, out_shardings=outof)
            x = jax.device_put(A, into)
            compiled = f.lower(jax.ShapeDtypeStruct(A.shape, A.dtype)).compile()
            out.append([text(x, f(x), compiled(x)), text(compiled.input_formats, compiled.output_formats), f(x), compiled(x)])
    return out


@case
def of_several_arguments():
    major = Format(Layout((2, 0, 1)), named("x", None, "y"))
    f = jax.jit(
        lambda a, b: {"sum": a.sum(0) + b, "cube": a - 1, "none": b.T},
        in_shardings=(major, Format(Layout((1, 0)), named(None, "y"))),
        out_shardings={"sum": Format(Layout((1, 0)), named()), "cube": major, "none": None},
    )
    a, b = jax.device_put(CUBE, major), jax.device_put(CUBE[0], Format(Layout((1, 0)), named(None, "y")))
    compiled = f.lower(a, b).compile()
    return f(a, b), text(f(a, b)["cube"], f(a, b)["sum"]), text(compiled.input_formats[0], compiled.output_formats["cube"], compiled.output_formats["sum"])


@case
def with_unused_arguments():
    columns = Format(Layout((1, 0)), named("x"))
    f = jax.jit(lambda a, unused, c: a + c, in_shardings=(columns, columns, columns), out_shardings=columns)
    x = jax.device_put(A, columns)
    compiled = f.lower(x, x, x).compile()
    return compiled(x, x, x), text(compiled.output_formats, compiled(x, x, x)), str(len(jax.tree.leaves(compiled.input_formats)))


@case
def automatic():
    f = jax.jit(lambda v: (v.T, v @ v.T), in_shardings=Format(Layout.AUTO, named("x", "y")), out_shardings=Format(Layout.AUTO))
    compiled = f.lower(jax.ShapeDtypeStruct(A.shape, A.dtype)).compile()
    (into,), outof = compiled.input_formats[0], compiled.output_formats
    x = jax.device_put(A, into)
    made = jax.jit(lambda: jnp.ones(A.shape), out_shardings=into)()
    return compiled(x), str(x.format == into), str([r.format == o for r, o in zip(compiled(x), outof)]), str(made.format == into)


@case
def on_shapes():
    columns = Format(Layout((1, 0)), named("x", "y"))
    shape = jax.ShapeDtypeStruct(A.shape, A.dtype, sharding=columns)
    compiled = jax.jit(lambda v: v + 1).lower(shape).compile()
    return compiled(jax.device_put(A, columns)), text(shape, compiled.input_formats[0]), str(shape)


@case
def of_narrow_types():
    found = []
    for dtype in (jnp.bfloat16, jnp.int8, jnp.bool_, jnp.complex64):
        columns = Format(Layout((1, 0)), named("x", "y"))
        x = jax.device_put((A > 60).astype(dtype), columns)
        y = jax.jit(lambda v: jnp.logical_not(v), out_shardings=columns)(x)
        found.append([np.asarray(x).astype(np.complex64), np.asarray(y), text(x, y)])
    return found


@case
def of_packed_types():
    """The layouts of elements of 2 and 4 bits name their size."""
    found = []
    for dtype in (jnp.int4, jnp.uint2, jnp.float4_e2m1fn):
        columns = Format(Layout((1, 0)), named("x", "y"))
        x = jax.device_put((A > 60).astype(dtype), columns)
        f = jax.jit(lambda v: v[::-1], in_shardings=x.format, out_shardings=columns)
        compiled = f.lower(x).compile()
        found.append([np.asarray(f(x)).astype(np.float32), text(x, f(x), jnp.zeros(4, dtype)), str(f(x).on_device_size_in_bytes())])
        found.append(text(compiled.input_formats, compiled.output_formats))
    return found


@case
def constraints():
    x = jax.device_put(A, named("x", "y"))
    f = jax.jit(lambda v: with_layout_constraint(v * 2, Layout((1, 0))), out_shardings=Format(Layout((1, 0)), named("x", "y")))
    g = jax.jit(lambda v: jax.lax.with_sharding_constraint(v * 2, Format(Layout((1, 0)), named("x"))) + 1)
    mapped = jax.jit(jax.vmap(lambda v: with_layout_constraint(v, Layout((0,)))))
    return f(x), g(x), mapped(x), text(g(x), mapped(x))


@case
def donated():
    columns = Format(Layout((1, 0)), named("x", "y"))
    x = jax.device_put(A, columns)
    y = jax.jit(lambda v: v + 1, in_shardings=columns, out_shardings=columns, donate_argnums=0)(x)
    return y, text(y), str(x.is_deleted())


@case
def texts_of_errors():
    x = jax.device_put(A, named("x", "y"))
    columns = Format(Layout((1, 0)), named("x", "y"))
    compiled = jax.jit(lambda v: v * 2, in_shardings=columns).lower(jax.ShapeDtypeStruct(A.shape, A.dtype)).compile()
    return [
        said(jax.jit(lambda v: v, in_shardings=columns), x),
        said(compiled, x),
        said(jax.device_put, A, Format(Layout((0, 1, 2)), named("x"))),
        said(jax.device_put, A, Format(Layout.AUTO, named("x"))),
        said(lambda: Format(Layout((0, 1)))),
        said(jax.jit(lambda v: v, out_shardings=Format(Layout((0,)), named())), x),
        said(jax.jit(lambda v: with_layout_constraint(v, Layout((2, 0, 1)))), x),
        said(jax.jit(lambda v: v + 1, out_shardings=Format(Layout.AUTO)), x),
    ]


@case
def pinned_host_memory():
    host = Format(Layout((1, 0)), named("x", "y").with_memory_kind("pinned_host"))
    x = jax.device_put(A, host)
    back = jax.device_put(x, Format(Layout((1, 0)), named("x", "y")))
    y = jax.jit(lambda v: v, in_shardings=host, out_shardings=Format(Layout((0, 1)), named("x", "y")))(x)
    return x, back, y, text(x, back, y)


# --- layouts in programs -----------------------------------------------------------------------


@case
def of_arguments_without_formats():
    """A program without formats compiles for the layouts of its arguments."""
    columns = jax.device_put(A, Format(Layout((1, 0)), named("x", "y")))
    rows = jax.device_put(A, named("x", "y"))
    f = jax.jit(lambda v: v.T @ v)
    found = [f(rows), f(columns), f(A), str(f._cache_size())]
    compiled = f.lower(columns).compile()
    return found, text(compiled.input_formats, compiled.output_formats, *found[:3]), compiled(columns), said(compiled, rows), said(f.lower(rows).compile(), columns)


@case
def outputs_alone():
    where = Format(Layout((1, 2, 0)), named("y", "x"))
    f = jax.jit(lambda k: jax.random.normal(k, (4, 8, 16)), out_shardings=where)
    g = jax.jit(lambda: (jnp.zeros((4, 8, 16)), jnp.arange(32.0).reshape(4, 8, 1)), out_shardings=where)
    x, (y, z) = f(jax.random.key(0)), g()
    return x, y, z, text(x, y, z)


@case
def trees_of_formats():
    columns, rows = Format(Layout((1, 0)), named("x")), Format(Layout((0, 1)), named(None, "y"))
    f = jax.jit(lambda d, l: {"a": d["a"] + l[0], "b": (l[1].T, d["a"].sum())}, in_shardings=({"a": columns}, [rows, None]), out_shardings={"a": rows, "b": None})
    one = jax.jit(lambda d: d, in_shardings=columns, out_shardings=rows)
    d = {"a": jax.device_put(A, columns)}
    y = f(d, [A, jax.device_put(A, columns)])
    z = one([A, {"k": A}])
    compiled = f.lower(d, [jax.ShapeDtypeStruct(A.shape, A.dtype), A]).compile()
    return y, z, text(y, z, compiled.input_formats, compiled.output_formats)


@case
def chained_programs():
    """The layout of one program's result is the next one's argument."""
    x = jax.device_put(CUBE, named("x", "y"))
    expected = CUBE
    found = []
    for order in itertools.permutations(range(3)):
        where = Format(Layout(order), named("x", "y") if order[0] else named(None, "x", "y"))
        x = jax.jit(lambda v: v * 0.5 + 1, out_shardings=where)(x)
        expected = expected * 0.5 + 1
        found.append(text(x))
    return x, found, str(np.array_equal(x, expected))


@case
def control_flow():
    columns = Format(Layout((1, 0)), named("x", "y"))

    def body(c, row):
        c = with_layout_constraint(c * 2 + row, Layout((1, 0)))
        return c, lax.cond(row.sum() > 20, lambda v: v.T, lambda v: v.T + 1, c)

    f = jax.jit(lambda v: lax.scan(body, v, v[:4]), in_shardings=columns, out_shardings=(columns, Format(Layout((2, 0, 1)), named("x"))))
    g = jax.jit(lambda v: lax.fori_loop(0, 3, lambda i, c: c * 2, lax.while_loop(lambda c: c.sum() < 1e6, lambda c: c * 3, v)), in_shardings=columns, out_shardings=columns)
    x = jax.device_put(A, columns)
    return f(x), g(x), text(f(x), g(x))


@case
def gradients():
    columns = Format(Layout((1, 0)), named("x", "y"))
    f = jax.jit(lambda v: (jnp.sin(v) ** 2).sum(), in_shardings=columns)
    g = jax.jit(jax.value_and_grad(lambda v: (with_layout_constraint(v, Layout((1, 0))) ** 2).sum()), in_shardings=columns, out_shardings=(None, columns))
    x = jax.device_put(A / 50, columns)
    y, slope = g(x)
    tangents = jax.jit(lambda v: jax.jvp(lambda w: with_layout_constraint(w * w, Layout((1, 0))), (v,), (v,)))(x)
    return f(x), jax.grad(f)(x), y, slope, tangents, constrained(slope), said(jax.hessian(f), x)


@case
def maps_and_vmap():
    columns = Format(Layout((1, 0)), named("x", "y"))
    x = jax.device_put(A, columns)
    cube = jax.device_put(CUBE, Format(Layout((2, 1, 0)), named("x")))
    inner = lambda v: with_layout_constraint(v * 2, Layout((1, 0)))
    vmapped = [jax.jit(jax.vmap(inner, in_axes=d, out_axes=o))(cube) for d in range(3) for o in range(3)]
    mapped = jax.jit(lambda v: lax.map(lambda r: r * 3, v), out_shardings=columns)(x)
    return vmapped, mapped, text(mapped), constrained(*vmapped)


@case
def in_a_shard_map():
    columns, rows = Format(Layout((1, 0)), named("x", "y")), Format(Layout((0, 1)), named("y", "x"))

    def local(v):
        return with_layout_constraint(lax.psum(v, "x") + lax.axis_index("y"), Layout((1, 0))), lax.all_gather(v, "y", axis=1, tiled=True)

    f = jax.shard_map(local, mesh=mesh(), in_specs=P("x", "y"), out_specs=(P(None, "y"), P("x")), check_vma=False)
    jitted = jax.jit(f, in_shardings=columns, out_shardings=(rows, Format(Layout((1, 0)), named("x"))))
    x = jax.device_put(A, columns)
    compiled = jitted.lower(x).compile()
    partly = jax.jit(jax.shard_map(lambda v: v * lax.axis_size("x"), mesh=mesh(), in_specs=P("x"), out_specs=P("x"), axis_names={"x"}), out_shardings=columns)
    return f(x), jitted(x), partly(x), text(jitted(x), compiled.input_formats, compiled.output_formats, partly(x))


@case
def with_explicit_axes():
    where = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
    with jax.set_mesh(where):
        columns = Format(Layout((1, 0)), NamedSharding(where, P("x", "y")))
        x = jax.device_put(A, columns)
        f = jax.jit(lambda v: v * 2, out_shardings=columns)
        g = jax.jit(lambda v: with_layout_constraint(v.T, Layout((1, 0))))
        y = jax.jit(lambda v: jax.sharding.reshard(v, P("y")))(x)
        return x, f(x), g(x), y, text(x, f(x), y), constrained(g(x)), str(jax.typeof(x)), text(jax.device_put(A, columns).T)


@case
def constraints_by_hand():
    x = jax.device_put(A, named("x", "y"))
    where = Format(Layout((1, 0)), named("y", "x"))
    constrain = lambda v: lax.with_sharding_constraint(v, where)
    f = jax.jit(lambda v: constrain(v + 1))
    eager = constrain(x)
    pair = jax.jit(lambda v: with_layout_constraint((v, {"k": CUBE}), (Layout((1, 0)), Layout((2, 1, 0)))))(x)
    wide = [jax.jit(lambda v: constrain(v * 1) * 2)(x.astype(d)) for d in ("bfloat16", "int8", "float16", "bool")]
    alone = with_layout_constraint(x, Layout((1, 0)))
    again = with_layout_constraint(alone, Layout((1, 0)))
    tree = jax.jit(lambda v: with_layout_constraint({"a": v, "b": [v.T]}, Layout((1, 0))))(x)
    auto = jax.jit(lambda v: lax.with_sharding_constraint(v, Format(None, named("y"))))
    return [f(x), eager, alone, tree, auto(x), wide, pair, text(eager, alone, again, auto(x), *wide), constrained(f(x), tree), str(again is alone)]


@case
def errors_of_constraints():
    x = jax.device_put(A, named("x", "y"))
    return [
        said(with_layout_constraint, x, Layout((0, 1, 2))), said(with_layout_constraint, x, None), said(with_layout_constraint, A, Layout((1, 0))),
        said(with_layout_constraint, x, Layout.AUTO), said(jax.jit(lambda v: with_layout_constraint(v, (Layout((1, 0)),) * 2)), x),
        said(jax.jit(lambda v: lax.with_sharding_constraint(v, Format(Layout.AUTO, named("x")))), x),
        said(jax.jit(lambda v: lax.with_sharding_constraint(v, Format(Layout((0,)), named("x")))), x),
        said(lax.with_sharding_constraint, x, Format(Layout((0, 2, 1)), named("x"))),
    ]  # fmt: skip


# --- automatic layouts and compiled programs ---------------------------------------------------


@case
def automatic_of_several():
    f = jax.jit(lambda a, b, c: (a @ b, c.T, a.sum()), in_shardings=(Format(Layout.AUTO, named("x")), Format(Layout.AUTO, named(None, "y")), Format(Layout.AUTO)), out_shardings=Format(Layout.AUTO))
    shapes = [jax.ShapeDtypeStruct(s, np.float32) for s in ((16, 8), (8, 16), (4, 4))]
    compiled = f.lower(*shapes).compile()
    args = [jax.device_put(v, w) for v, w in zip((A, A.T, A[:4, :4]), compiled.input_formats[0])]
    out = compiled(*args)
    return out, str([v.format == w for v, w in zip(out, compiled.output_formats)]), str(jax.tree.structure(compiled.input_formats)), str(len(jax.tree.leaves(compiled.output_formats)))


@case
def automatic_beside_fixed():
    columns = Format(Layout((1, 0)), named("x", "y"))
    f = jax.jit(lambda a, b: (a + b, a - b), in_shardings=(columns, Format(Layout.AUTO, named("x", "y"))), out_shardings=columns)
    compiled = f.lower(jax.ShapeDtypeStruct(A.shape, A.dtype), jax.ShapeDtypeStruct(A.shape, A.dtype)).compile()
    first, second = compiled.input_formats[0]
    out = compiled(jax.device_put(A, first), jax.device_put(A, second))
    return out, text(first, compiled.output_formats, out), said(f, A, A)


@case
def errors_of_automatic_layouts():
    auto = Format(Layout.AUTO, named("x"))
    x = jax.device_put(A, named("x"))
    columns = jax.device_put(A, Format(Layout((1, 0)), named("x")))
    compiled = jax.jit(lambda v: v, in_shardings=auto).lower(jax.ShapeDtypeStruct(A.shape, A.dtype)).compile()
    return [
        said(jax.jit(lambda v: v, in_shardings=auto), A), said(jax.jit(lambda v: v, in_shardings=auto), x), said(jax.jit(lambda v: v, out_shardings=auto), x),
        said(jax.jit(lambda v: v, in_shardings=auto).lower, x), said(jax.jit(lambda v: v, in_shardings=auto).lower, columns),
        said(lambda: compiled(jax.device_put(A, named("y")))), compiled(A), said(jax.eval_shape, jax.jit(lambda v: v, in_shardings=auto), x),
        said(jax.grad(jax.jit(lambda v: v.sum(), in_shardings=auto)), x), said(jax.vmap(jax.jit(lambda v: v, in_shardings=auto)), CUBE),
    ]  # fmt: skip


@case
def unused_arguments():
    columns = Format(Layout((1, 0)), named("x"))
    found = []
    for keep in (False, True):
        f = jax.jit(lambda a, b, c, d, e: (a * 2, e.T), in_shardings=Format(Layout.AUTO, named("x")), out_shardings=Format(Layout.AUTO), keep_unused=keep)
        compiled = f.lower(*[jax.ShapeDtypeStruct(A.shape, A.dtype)] * 5).compile()
        formats = compiled.input_formats[0]
        out = compiled(*[jax.device_put(A, w) if w is not None else A for w in formats])
        found.append([out, str([w is None for w in formats]), str(len(compiled.input_formats[0]))])
        g = jax.jit(lambda a, b, c: a + c, in_shardings=columns, keep_unused=keep).lower(*[jax.ShapeDtypeStruct(A.shape, A.dtype)] * 3).compile()
        rows, right = jax.device_put(A, named("x")), jax.device_put(A, columns)
        found.append([g(right, right, right), said(g, right, rows, right), said(g, rows, right, right), text(*g.input_formats[0])])
    return found


@case
def compiled_programs():
    columns = Format(Layout((1, 0)), named("x", "y"))
    lowered = jax.jit(lambda v: (v * 2, v.sum(0)), in_shardings=columns, out_shardings=(columns, None)).lower(jax.ShapeDtypeStruct(A.shape, A.dtype))
    compiled = lowered.compile()
    x = jax.device_put(A, columns)
    modes = re.findall(r'layout_mode = "([^"]*)"', lowered.as_text())
    return [
        compiled(x), compiled(A), text(compiled(A)), text(compiled.input_formats, compiled.output_formats), str(compiled.input_shardings), str(compiled.output_shardings),
        str(modes), said(compiled, jax.device_put(A, named("x", "y"))), said(compiled, jax.device_put(A, named("x"))), str(jax.tree.map(str, lowered.out_info)).count("Format"), said(compiled, x, x),
    ]  # fmt: skip


@case
def saved_programs():
    from jax.experimental import serialize_executable

    columns = Format(Layout((1, 0)), named("x", "y"))
    compiled = jax.jit(lambda v: v.T, in_shardings=columns, out_shardings=Format(Layout((1, 0)), named("y", "x"))).lower(jax.ShapeDtypeStruct(A.shape, A.dtype)).compile()
    loaded = serialize_executable.deserialize_and_load(*serialize_executable.serialize(compiled))
    x = jax.device_put(A, columns)
    return loaded(x), text(loaded(x), loaded.input_formats, loaded.output_formats), said(loaded, jax.device_put(A, named("x", "y")))


@case
def cached_on_disk():
    """Programs that differ in layouts alone are other programs."""
    from jax.experimental.compilation_cache import compilation_cache

    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name, value in ("jax_compilation_cache_dir", folder), ("jax_persistent_cache_min_entry_size_bytes", -1), ("jax_persistent_cache_min_compile_time_secs", 0):
            jax.config.update(name, value)
        compilation_cache.reset_cache()
        for _ in range(2):
            jax.clear_caches()
            for order in (0, 1), (1, 0):
                where = Format(Layout(order), named("x", "y"))
                y = jax.jit(lambda v: v * 7, out_shardings=where)(jax.device_put(A, named("x", "y")))
                found.append([y, text(y)])
        entries = len([n for n in os.listdir(folder) if "lambda" in n and not n.endswith("-atime")])
        jax.config.update("jax_compilation_cache_dir", None)
        compilation_cache.reset_cache()
    return found, entries


@case
def exported_programs():
    columns = Format(Layout((1, 0)), named("x", "y"))
    f = jax.jit(lambda v: v * 2, in_shardings=columns, out_shardings=columns)
    program = jax.export.export(f)(jax.ShapeDtypeStruct(A.shape, A.dtype))
    loaded = jax.export.deserialize(program.serialize())
    x, rows = jax.device_put(A, columns), jax.device_put(A, named("x", "y"))
    inner = jax.jit(lambda v: with_layout_constraint(v.T, Layout((1, 0))))
    found = [jax.jit(loaded.call)(v) for v in (x, rows)]
    checks = [jax.export.DisabledSafetyCheck.custom_call("LayoutConstraint")]
    return found, text(*found), said(jax.export.export(inner), A).split("Examples")[0], jax.export.export(inner, disabled_checks=checks)(A).call(A)


@case
def shapes_with_formats():
    columns, auto = Format(Layout((1, 0)), named("x", "y")), Format(Layout.AUTO, named("x", "y"))
    shape = jax.ShapeDtypeStruct(A.shape, A.dtype, sharding=columns)
    f = jax.jit(lambda v: v.T)
    a, b = f.lower(shape).compile(), jax.jit(lambda v: v, in_shardings=columns).lower(shape).compile()
    x = jax.device_put(A, columns)
    return [
        a(x), b(x), text(a.input_formats, b.input_formats, a.output_formats), str(shape.format), str(shape.sharding), said(a, jax.device_put(A, named("x", "y"))),
        said(jax.jit(lambda v: v, in_shardings=Format(Layout((0, 1)), named("x", "y"))).lower, shape), said(lambda: jax.ShapeDtypeStruct(A.shape, A.dtype, sharding=auto)),
        said(lambda: jax.ShapeDtypeStruct(A.shape, A.dtype, sharding=Format(Layout((0,)), named()))), str(shape == jax.ShapeDtypeStruct(A.shape, A.dtype, sharding=columns)),
        str(jax.ShapeDtypeStruct.like(x)), str(jax.eval_shape(f, shape)), str(shape.update(shape=(8, 8)).format) if hasattr(shape, "update") else "",
    ]  # fmt: skip


# --- donation ----------------------------------------------------------------------------------


@case
def donated_with_other_layouts():
    found = []
    for into in (0, 1), (1, 0):
        for outof in (0, 1), (1, 0), None:
            before = Format(Layout(into), named("x", "y"))
            after = None if outof is None else Format(Layout(outof), named("x", "y"))
            x = jax.device_put(A, before)
            y = jax.jit(lambda v: v * 2, in_shardings=before, out_shardings=after, donate_argnums=0)(x)
            found.append([y, text(y), str(x.is_deleted())])
    return found


@case
def donated_automatic():
    auto = Format(Layout.AUTO, named("x", "y"))
    f = jax.jit(lambda v, w: (v * 2, w + 1), in_shardings=auto, out_shardings=Format(Layout.AUTO), donate_argnums=(0, 1))
    compiled = f.lower(*[jax.ShapeDtypeStruct(A.shape, A.dtype)] * 2).compile()
    args = [jax.device_put(A, w) for w in compiled.input_formats[0]]
    out = compiled(*args)
    columns = Format(Layout((1, 0)), named("x", "y"))
    x = jax.device_put(A, columns)
    y = jax.jit(lambda v: v + 1, donate_argnums=0)(x)
    step = jax.jit(lambda v, g: v - g, in_shardings=columns, out_shardings=columns, donate_argnums=0)
    state = jax.device_put(A, columns)
    for _ in range(3):
        state = step(state, jax.device_put(A / 8, columns))
    return out, str([a.is_deleted() for a in args]), y, text(y, state), str(x.is_deleted()), state


# --- narrow types ------------------------------------------------------------------------------


@case
def narrow_types_between_programs():
    found = []
    for dtype in (jnp.int4, jnp.uint4, jnp.int2, jnp.uint2, jnp.float4_e2m1fn, jnp.float8_e4m3fn):
        for size in ((16, 8), (6, 4), (8, 6, 4)):
            v = (np.arange(np.prod(size)) % 2).reshape(size).astype(dtype)
            where = Format(Layout(tuple(range(len(size)))[::-1]), SingleDeviceSharding(jax.devices()[1]))
            x = jax.device_put(v, where)
            y = jax.jit(lambda v: jnp.flip(v, 0), out_shardings=where)(x)
            z = jax.jit(lambda v: v.T, out_shardings=where)(y)
            found += [np.asarray(a).astype(np.float32) for a in (x, y, z, x[1:], jax.device_put(y, jax.devices()[4]))]
            found.append(text(x, y, z))
    return found


@case
def narrow_types_named_by_bits():
    bits = Layout((1, 0), tiling=(), sub_byte_element_size_in_bits=4)
    x = jax.device_put((A > 60).astype(jnp.int4), Format(bits, named("x", "y")))
    y = jax.jit(lambda v: v + v, in_shardings=x.format, out_shardings=x.format)(x)
    wide = jax.device_put(A, Format(Layout((1, 0), tiling=()), named("x", "y")))
    return np.asarray(y).astype(np.int8), text(x, y, wide), str(x.format.layout == bits)


# --- calls of the host and of handlers ---------------------------------------------------------


@case
def callbacks():
    columns = Format(Layout((1, 0)), named("x", "y"))
    seen = []
    out = jax.ShapeDtypeStruct(A.shape, A.dtype)

    def f(v):
        jax.debug.callback(lambda a: seen.append(np.asarray(a)), v)
        return jax.pure_callback(lambda a: np.asfortranarray(np.asarray(a) * 2 + np.arange(8)), out, v)

    x = jax.device_put(A, columns)
    y = jax.block_until_ready(jax.jit(f, in_shardings=columns, out_shardings=columns)(x))
    jax.effects_barrier()
    return y, text(y), list(seen)


@case
def linear_algebra():
    """LAPACK wants column-major operands."""
    columns = Format(Layout((1, 0)), named())
    a = (A.T @ A / 1000 + 4 * np.eye(8)).astype(np.float32)
    x = jax.device_put(a, columns)
    f = jax.jit(lambda v: (jnp.linalg.cholesky(v), jnp.linalg.solve(v, v[0]), jnp.abs(jnp.linalg.qr(v)[1])), in_shardings=columns, out_shardings=(columns, None, columns))
    return f(x), text(f(x)), jnp.linalg.inv(x)


@case
def of_other_meshes():
    submesh = jax.sharding.Mesh(np.array(jax.devices())[::-1].reshape(2, 2, 2), ("a", "b", "c"))
    found = []
    for spec in (P("a", "b"), P(("c", "a")), P(None, ("b", "c")), P(("a", "b", "c")), P()):
        where = Format(Layout((1, 0)), NamedSharding(submesh, spec))
        y = jax.jit(lambda v: v + 1, in_shardings=where, out_shardings=where)(jax.device_put(A, where))
        found.append([y, text(y)])
    return found


# --- layouts as types (0.12) -------------------------------------------------------------------


@case
def explicit_layouts():
    if J12:
        from jax.experimental.layout import explicit_layout
    else:
        return "since 0.12"
    row = lambda v: explicit_layout(lambda w: w * 2 + 1, in_layouts=Layout((0, 1)))(v)
    column = explicit_layout(lambda v, w: (v + w, jnp.sin(v)), in_layouts=Layout((1, 0)))
    x = jax.device_put(A, named("x", "y"))
    return [
        said(jax.jit(row), x), said(jax.jit(column), x, x), said(lambda: jax.jit(column)(x, x)[0]), said(row, x), said(explicit_layout(lambda v: v), x),
        said(jax.jit(jax.grad(lambda v: row(v).sum())), x), said(lambda: jax.jit(row)(x)), said(lambda: jax.jit(row).lower(x).compile().input_formats),
    ]  # fmt: skip


@case
def layouts_of_types():
    if not hasattr(Layout, "for_array"):
        return "since 0.12"
    x = jax.device_put(A, named("x", "y"))
    where = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
    with jax.set_mesh(where):
        y = jax.device_put(A, P("x", "y"))
        return [said(Layout.for_array, x), str(Layout.for_array(y)), str(jax.jit(lambda v: (str(Layout.for_array(v)), v)[1])(y).shape), str(Layout((1, 0)).update(tiling=()))]


if __name__ == "__main__":
    main(__doc__)
