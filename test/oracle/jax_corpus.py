#===- jax_corpus.py - a stream of programs exported from JAX --------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""A seeded stream of programs as JAX exports them, for tests that need many.

    for program in jax_corpus.exported(seed=0, count=300):
        program.name, program.text(), program.text(locations=True), program.module
    for name, text in jax_corpus.programs(seed=0, count=300): ...

Half of them are calls of functions that `jax_functions` enumerates (every function once before any
is repeated), plain, under grad, jvp or vmap, in every element type. The others are written here:
convolutions, gathers, dots, control flow, collectives, symbolic dimensions. The same seed produces
the same programs; with `count=None` the stream does not end.
"""

import os
import random

# Set before JAX is imported: collectives need a mesh of devices.
os.environ["XLA_FLAGS"] = (
    os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"
)
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import numpy as np
from jax import export, lax
from jax.sharding import PartitionSpec as P
from jaxlib.mlir import ir

import jax_functions
from jax_functions import FLOATS, INTS


class Program:
    """A name and a module in its own context."""

    def __init__(self, name, module):
        self.name, self.module = name, module

    def text(self, locations=False, generic=False):
        return self.module.operation.get_asm(
            enable_debug_info=locations, print_generic_op_form=generic
        )


def spec(*shape, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


# --- families: rng -> (function, arguments) -------------------------------------------------


def convolution(rng):
    space = rng.randint(1, 3)
    groups, dtype = rng.choice([(1, 1), (1, 1), (2, 1), (1, 2)]), rng.choice(FLOATS[:3])
    letters = ["NCWHD"[: space + 2], "N" + "WHD"[:space] + "C"]
    kernel = rng.choice(["OI" + "WHD"[:space], "WHD"[:space] + "IO"])
    dims = (rng.choice(letters), kernel, rng.choice(letters))
    lhs = {"N": 2, "C": 4, **{c: rng.randint(5, 8) for c in "WHD"}}
    rhs = {"O": 4, "I": 4 // groups[0], **{c: rng.randint(1, 3) for c in "WHD"}}
    padding = rng.choice(["SAME", "VALID", [(rng.randint(0, 2), rng.randint(-1, 2))] * space])

    stride, dilation = rng.randint(1, 2), rng.randint(1, 2)
    wide = rng.choice([None, jnp.float32])

    def function(x, w):
        return lax.conv_general_dilated(
            x, w, [stride] * space, padding, rhs_dilation=[dilation] * space,
            dimension_numbers=dims, feature_group_count=groups[0], batch_group_count=groups[1],
            preferred_element_type=wide)  # fmt: skip

    return function, (
        spec(*[lhs[c] for c in dims[0]], dtype=dtype),
        spec(*[rhs[c] for c in kernel], dtype=dtype),
    )


def gather(rng):
    shape = (4, 5, 6)[: rng.randint(1, 3)]
    sizes = tuple(rng.randint(1, d) for d in shape)
    collapsed = tuple(i for i, s in enumerate(sizes) if s == 1 and rng.random() < 0.7)
    mapped = tuple(sorted(rng.sample(range(len(shape)), rng.randint(1, len(shape)))))
    batch = rng.choice([(), (3,), (2, 3)])
    offset = tuple(range(len(batch), len(batch) + len(shape) - len(collapsed)))
    numbers = lax.GatherDimensionNumbers(offset, collapsed, mapped)
    mode = rng.choice(["clip", "fill", "promise_in_bounds"])
    index, is_sorted = rng.choice(INTS[:6]), rng.random() < 0.3
    return (
        lambda x, i: lax.gather(x, i, numbers, sizes, mode=mode, indices_are_sorted=is_sorted),
        (spec(*shape, dtype=rng.choice(FLOATS + INTS)), spec(*batch, len(mapped), dtype=index)),
    )


def scatter(rng):
    kind = rng.choice([lax.scatter, lax.scatter_add, lax.scatter_mul, lax.scatter_min, lax.scatter_max])
    shape = (4, 5, 6)[: rng.randint(1, 3)]
    mapped = tuple(sorted(rng.sample(range(len(shape)), rng.randint(1, len(shape)))))
    inserted = tuple(d for d in mapped if rng.random() < 0.7)
    batch = rng.choice([(), (3,), (2, 3)])
    window = tuple(1 if d in mapped else n for d, n in enumerate(shape) if d not in inserted)
    numbers = lax.ScatterDimensionNumbers(
        tuple(range(len(batch), len(batch) + len(window))), inserted, mapped
    )
    flags = dict(indices_are_sorted=rng.random() < 0.3, unique_indices=rng.random() < 0.3)
    dtype = rng.choice(FLOATS + INTS)
    return (
        lambda x, i, u: kind(x, i, u, numbers, **flags),
        (spec(*shape, dtype=dtype), spec(*batch, len(mapped), dtype=jnp.int32),
         spec(*batch, *window, dtype=dtype)),
    )  # fmt: skip


def dot_general(rng):
    batch, contract = rng.randint(0, 2), rng.randint(0, 2)
    sizes = [rng.randint(1, 5) for _ in range(batch + contract)]

    def side():
        shape = sizes + [rng.randint(1, 5) for _ in range(rng.randint(0, 2))]
        order = rng.sample(range(len(shape)), len(shape))
        place = [order.index(i) for i in range(batch + contract)]
        return [shape[i] for i in order], place[:batch], place[batch:]

    (lhs, lb, lc), (rhs, rb, rc) = side(), side()
    dtype = rng.choice(FLOATS + INTS + jax_functions.COMPLEX + jax_functions.SMALL[:6])
    presets = [None, "highest", ("default", "high")]
    if dtype == jnp.float32:
        presets += [lax.DotAlgorithmPreset.BF16_BF16_F32_X3, lax.DotAlgorithmPreset.TF32_TF32_F32]
    precision = rng.choice(presets)
    wide = rng.choice([None, jnp.float32]) if dtype in FLOATS[:3] else None
    return (
        lambda x, y: lax.dot_general(x, y, ((lc, rc), (lb, rb)), precision, wide),
        (spec(*lhs, dtype=dtype), spec(*rhs, dtype=dtype)),
    )


def ragged_dot(rng):
    g, m, k, n = 3, rng.randint(2, 8), rng.randint(1, 5), rng.randint(1, 5)
    return lax.ragged_dot, (spec(m, k), spec(g, k, n), spec(g, dtype=jnp.int32))


def window(rng):
    shape = (2, rng.randint(4, 7), rng.randint(4, 7), 3)
    size = (1, rng.randint(1, 3), rng.randint(1, 3), 1)
    padding = rng.choice(["SAME", "VALID"])
    kind, start = rng.choice([(lax.max, -jnp.inf), (lax.add, 0.0), (lax.min, jnp.inf)])
    dilation = (1, rng.randint(1, 2), 1, 1)

    def function(x):
        return lax.reduce_window(x, start, kind, size, size, padding, window_dilation=dilation)

    if rng.random() < 0.5 and kind is not lax.min:
        return jax.grad(lambda x: lax.reduce_window(x, start, kind, size, size, padding).sum()), (spec(*shape),)
    return function, (spec(*shape, dtype=rng.choice(FLOATS[:3])),)


def reduction(rng):
    dims = tuple(rng.sample(range(3), rng.randint(0, 3)))
    if rng.random() < 0.5:
        kind, start, dtype = rng.choice(
            [(lax.add, 0, jnp.float32), (lax.mul, 1, jnp.int32), (lax.bitwise_or, 0, jnp.uint8),
             (lax.bitwise_xor, 0, jnp.int16), (lax.max, 0, jnp.bfloat16), (lax.min, 0, jnp.int8),
             (lambda a, b: a + b * 2, 0, jnp.float32)])  # fmt: skip
        return lambda x: lax.reduce(x, np.array(start, dtype), kind, dims), (spec(2, 3, 4, dtype=dtype),)

    def pair(a, b):
        keep = a[0] >= b[0]
        return lax.select(keep, a[0], b[0]), lax.select(keep, a[1], b[1])

    return (
        lambda x, i: lax.reduce((x, i), (np.float32(0), np.int32(0)), pair, dims),
        (spec(2, 3, 4), spec(2, 3, 4, dtype=jnp.int32)),
    )


def control(rng):
    n = rng.randint(1, 4)
    body = rng.choice([jnp.sin, lambda x: x * 2, lambda x: jnp.cumsum(x), jnp.tanh])
    cases = [
        (lambda x: lax.fori_loop(0, n, lambda i, c: body(c) + i, x), (spec(4),)),
        (lambda x: lax.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, body(s[1])), (0, x)),
         (spec(4),)),
        (lambda p, x: lax.cond(p, body, jnp.cos, x), (spec(dtype=jnp.bool_), spec(4))),
        (lambda i, x: lax.switch(i, [body, jnp.cos, jnp.exp][:n], x), (spec(dtype=jnp.int32), spec(4))),
        (lambda c, xs: lax.scan(lambda c, x: (body(c + x), c), c, xs), (spec(4), spec(n, 4))),
        (jax.grad(lambda c, xs: lax.scan(lambda c, x: (body(c + x), c), c, xs)[0].sum()),
         (spec(4), spec(n, 4))),
        (lambda xs: lax.associative_scan(jnp.add, xs, reverse=n > 2), (spec(2 * n, 3),)),
        (lambda xs: lax.map(body, xs), (spec(n, 3),)),
        (jax.grad(lambda x: jax.checkpoint(lambda y: body(jnp.sin(y)))(x).sum()), (spec(4),)),
        (lambda x: jax.jit(body, inline=False)(jax.jit(body)(x)), (spec(4),)),
        (lambda x: lax.optimization_barrier((x, body(x))), (spec(4),)),
        (lambda x: lax.custom_root(lambda y: y**2 - x, x, lambda f, y: y, lambda f, y: y), (spec(),)),
        (lambda x: jax.pure_callback(np.asarray, spec(4), x), (spec(4),)),
        (lambda x: (jax.debug.print("{}", x), body(x))[1], (spec(4),)),
        (lambda x: lax.composite(body, name="my.body", version=n)(x), (spec(4),)),
        (lambda k: lax.rng_bit_generator(k, (n, 3), dtype=rng_bits), (spec(4, dtype=jnp.uint32),)),
        (lambda x: lax.rng_uniform(x, x + 1, (n, 2)), (spec(),)),
        (lambda x: lax.custom_linear_solve(lambda v: 2 * v, x, lambda f, b: b / 2, symmetric=True),
         (spec(4),)),
        (jax.hessian(lambda x: body(x).sum()), (spec(3),)),
        (lambda x: [jax.nn.initializers.glorot_normal()(jax.random.key(0), (n, 4)), x], (spec(4),)),
        (lambda x: lax.platform_dependent(x, cpu=body, default=jnp.exp), (spec(4),)),
        (lambda x, y: lax.sort((x, y), num_keys=rng_keys, is_stable=n > 2, dimension=0),
         (spec(4, n), spec(4, n, dtype=jnp.int32))),
    ]  # fmt: skip
    rng_bits = rng.choice([jnp.uint8, jnp.uint16, jnp.uint32])
    rng_keys = rng.randint(1, 2)
    return rng.choice(cases)


def collective(rng):
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
    axes = rng.choice(["x", "y", ("x", "y"), ("y", "x")])
    one = rng.choice(["x", "y"])
    size = {"x": 4, "y": 2}[one]
    tiled = rng.random() < 0.5
    bodies = [
        lambda x: lax.psum(x, axes), lambda x: lax.pmax(x, axes), lambda x: lax.pmean(x, axes),
        lambda x: lax.all_gather(x, axes, tiled=tiled),
        lambda x: lax.psum_scatter(x, one, scatter_dimension=1, tiled=True),
        lambda x: lax.all_to_all(x, one, 1, 0, tiled=True),
        lambda x: lax.ppermute(x, one, [(i, (i + 1) % size) for i in range(size)]),
        lambda x: x * lax.axis_index(axes), lambda x: lax.pshuffle(x, one, list(reversed(range(size)))),
        lambda x: lax.psum(lax.all_gather(x, one, axis=1, tiled=True), "x"),
        lambda x: jax.grad(lambda y: lax.psum(jnp.sin(y), axes).sum())(x),
        lambda x: lax.pmin(x, one) + lax.axis_index(one).astype(x.dtype),
    ]  # fmt: skip
    body = rng.choice(bodies)
    manual = {"x", "y"} if rng.random() < 0.7 else None
    kwargs = {} if manual is None else {"axis_names": manual}

    def function(x):
        mapped = jax.shard_map(body, mesh=mesh, in_specs=P("x"), out_specs=P("x"),
                               check_vma=False, **kwargs)  # fmt: skip
        return mapped(x)

    return function, (spec(8, 8, dtype=rng.choice([jnp.float32, jnp.int32, jnp.bfloat16])),)


def sharded(rng):
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
    at = [jax.NamedSharding(mesh, rng.choice([P("x"), P("y", "x"), P(None, ("x", "y")), P()]))
          for _ in range(3)]  # fmt: skip

    def function(x, w):
        y = lax.with_sharding_constraint(jnp.tanh(x @ w), at[2])
        return y, y.sum()

    return jax.jit(function, in_shardings=at[:2]), (spec(8, 16), spec(16, 8))


def symbolic(rng):
    dims = rng.choice(["n, m", "n, 4", "4, n", "n, n"])
    bounds = [f"{name} >= 4" for name in ("n", "m") if name in dims]
    shape = export.symbolic_shape(dims, constraints=bounds)
    functions = [
        lambda x: x + x.sum(), lambda x: x.reshape(-1), lambda x: jnp.concatenate([x, x], 1),
        lambda x: jnp.pad(x, 1), lambda x: x @ x.T, lambda x: x[1:, ::2], lambda x: jnp.cumsum(x, 0),
        lambda x: jnp.sort(x, 0), lambda x: jnp.broadcast_to(x, (3, *x.shape)), lambda x: jnp.arange(x.shape[0]),
        lambda x: jnp.take(x, jnp.arange(2), axis=0), lambda x: lax.dynamic_slice(x, (1, 0), (2, 1)),
        lambda x: lax.reduce_window(x, 0.0, lax.add, (2, 1), (1, 1), "SAME"),
        lambda x: jax.random.uniform(jax.random.key(0), x.shape), lambda x: jnp.argmax(x, 0),
        lambda x: lax.conv_general_dilated(x[None, None], jnp.ones((1, 1, 2, 2)), (1, 1), "SAME"),
        lambda x: jax.vmap(jnp.sin)(x), lambda x: jnp.linalg.norm(x, axis=1), lambda x: x.at[0].set(1.0),
        lambda x: jax.grad(lambda y: jnp.tanh(y).sum())(x), lambda x: jnp.tile(x, (2, 1)),
        lambda x: jnp.where(x > 0, x, 0), lambda x: jnp.eye(x.shape[0]), lambda x: jax.nn.softmax(x),
        lambda x: lax.fori_loop(0, x.shape[0], lambda i, c: c + x[i], jnp.zeros(x.shape[1])),
        lambda x: jnp.einsum("ij,kj->ik", x, x), lambda x: x[::-1], lambda x: jnp.linalg.qr(x),
    ]  # fmt: skip
    return rng.choice(functions), (spec(*shape),)


def constant(rng):
    """NumPy arrays as constants in the program: in full, as hexadecimal digits, as a splat, without
    elements."""
    shape = rng.choice([(), (0,), (1,), (7,), (9,), (3, 7), (101,), (32, 32), (2, 0, 3), (5, 31)])
    dtype = np.dtype(rng.choice([jnp.bool_, *FLOATS, *INTS, jnp.complex64, jnp.complex128]))
    if dtype == np.bool_:
        values = [rng.random() < 0.5 for _ in range(int(np.prod(shape)))]
    else:
        values = [rng.choice([rng.randint(0, 100), 1]) for _ in range(int(np.prod(shape)))]
    array = np.array(values).astype(dtype).reshape(shape)
    if rng.random() < 0.2:
        array = np.ones_like(array)
    return lambda x: jnp.where(x > 0, array, jnp.ones_like(array)), (spec(*shape),)


FAMILIES = (constant, convolution, gather, scatter, dot_general, ragged_dot, window, reduction, control,
            control, collective, collective, sharded, symbolic, symbolic)  # fmt: skip


# --- transformations ------------------------------------------------------------------------


def _tangent(x):
    if jnp.issubdtype(x.dtype, jnp.inexact):
        return x
    return np.zeros(x.shape, jax.dtypes.float0)


def _scalar(function):
    def total(*arrays):
        return sum(jnp.sum(jnp.real(leaf)) for leaf in jax.tree.leaves(function(*arrays)))

    return total


def transformed(function, arrays, rng):
    """Returns (suffix, function, arrays) under grad, vmap or jvp. JAX may refuse it later."""
    kind = rng.choice(["", "", "grad", "vmap", "jvp", "vmap(grad)"])
    if not arrays:
        kind = ""
    if kind in ("grad", "vmap(grad)"):
        floats = [i for i, a in enumerate(arrays) if jnp.issubdtype(a.dtype, jnp.inexact)]
        holomorphic = any(jnp.issubdtype(arrays[i].dtype, jnp.complexfloating) for i in floats)
        if not floats or holomorphic:
            return "", function, arrays
        function = jax.grad(_scalar(function), tuple(floats))
    if kind == "jvp":
        inner = function

        def function(*xs):
            return jax.jvp(inner, xs, tuple(_tangent(x) for x in xs))

    if kind in ("vmap", "vmap(grad)"):
        function = jax.vmap(function)
        arrays = [spec(3, *a.shape, dtype=a.dtype) for a in arrays]
    return kind and f" {kind}", function, arrays


def lowered(function, arrays, rng=None):
    """Returns the module of a function, from `jax.jit` or, sometimes, `jax.export`."""
    jitted = function if hasattr(function, "lower") else jax.jit(function)
    symbolic_shape = any(not isinstance(d, int) for a in arrays for d in a.shape)
    if symbolic_shape or (rng and rng.random() < 0.1):
        text = export.export(jitted)(*arrays).mlir_module()
        from jax._src.interpreters import mlir as jax_mlir

        with jax_mlir.make_ir_context():
            return ir.Module.parse(text)
    return jitted.lower(*arrays).compiler_ir()


def _enumerated(rng):
    names = jax_functions.functions()
    while True:
        rng.shuffle(names)
        yield from names


def exported(seed=0, count=None):
    """Yields Programs. Programs that JAX cannot lower are skipped."""
    order = random.Random(f"{seed}")
    names = _enumerated(order)
    made = tried = 0
    while count is None or made < count:
        tried += 1
        rng = random.Random(f"{seed}.{tried}")
        with jax.enable_x64(rng.random() < 0.3):
            try:
                if tried % 3:
                    name, function = next(names)
                    call = jax_functions.guess(name, function, rng)
                    if call is None:
                        continue
                    name, function, arrays = call.name, call.function, call.arrays
                else:
                    family = FAMILIES[tried // 3 % len(FAMILIES)]
                    name = family.__name__
                    function, arrays = family(rng)
                suffix, function, arrays = transformed(function, arrays, rng)
                module = lowered(function, arrays, rng)
            except Exception:  # JAX raises any kind of exception
                continue
        made += 1
        yield Program(f"{tried}: {name}{suffix}", module)


def programs(seed=0, count=None):
    """Yields (name, text) of each program."""
    for program in exported(seed, count):
        yield program.name, program.text()


if __name__ == "__main__":
    import sys

    for name, text in programs(int(sys.argv[1]), int(sys.argv[2])):
        print(f"// {name}\n{text}\n// -----")
