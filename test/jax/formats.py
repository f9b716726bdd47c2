#===- formats.py - layouts that programs ask for -------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Layouts in `in_shardings`, `out_shardings`, `device_put` and constraints are reported back as asked, by
arrays, compiled programs and their shapes, on sharded arrays too; layouts that do not fit give JAX's
errors."""

import jax
import jax.numpy as jnp
import numpy as np
from both import case, main
from jax.experimental.layout import Format, Layout, with_layout_constraint
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

A = np.arange(128, dtype=np.float32).reshape(16, 8)
CUBE = np.arange(4 * 8 * 16, dtype=np.float32).reshape(4, 8, 16)


def mesh():
    return jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)


def named(*spec):
    return NamedSharding(mesh(), P(*spec))


def text(*values):
    """The layouts and shardings of arrays and formats."""
    formats = [v if isinstance(v, Format) else v.format for v in jax.tree.leaves(values, is_leaf=lambda v: isinstance(v, Format))]
    return str([(str(f.layout), str(f.sharding)) for f in formats]).replace("Shardwright", "Cpu").replace("shardwright", "cpu")


def said(function, *args):
    try:
        function(*args)
    except Exception as error:
        return f"{type(error).__name__}: {error}".replace("shardwright", "cpu")
    return "nothing"


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
def moved_between_formats():
    x = jax.device_put(A, named("x"))
    found = [x]
    for layout in (1, 0), (0, 1):
        for sharding in (named("y"), named("x", "y"), named(), NamedSharding(mesh(), P("y", "x"))):
            found.append(jax.device_put(found[-1], Format(Layout(layout), sharding)))
    return found, text(*found)


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
def made_from_parts():
    columns = Format(Layout((1, 0)), named("x", "y"))
    x = jax.make_array_from_callback(A.shape, columns, lambda index: A[index])
    return x, text(x)


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


if __name__ == "__main__":
    main(__doc__)
