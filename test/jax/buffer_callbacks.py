#===- buffer_callbacks.py - Python functions on the runtime's memory -------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""jax.experimental.buffer_callback: what the function gets, the number of its calls, and the values and
errors of programs are the same on both platforms."""

import re

import jax
import jax.numpy as jnp
import numpy as np
from both import case, main
from jax import lax
from jax.experimental.buffer_callback import buffer_callback
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

F32 = jax.ShapeDtypeStruct((), np.float32)
X84 = np.arange(32, dtype=np.float32).reshape(8, 4)


def mesh():
    return jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)


def sharded(x, *spec):
    return jax.device_put(x, NamedSharding(mesh(), P(*spec)))


def like(x):
    return jax.ShapeDtypeStruct(x.shape, x.dtype)


def twice(ctx, out, x):
    np.asarray(out)[...] = np.asarray(x) * 2


def in_place(function, x, **options):
    return buffer_callback(function, like(x), **options)(x)


def raising(*_):
    raise ValueError("this is what was raised")


def said(function, *args):
    """The error without the position and the trace of the callback."""
    try:
        jax.block_until_ready(function(*args))
    except Exception as error:
        return f"{type(error).__name__}: {error}".split("\n")[0].split(": Traceback")[0].replace("shardwright", "cpu")
    return "nothing"


# --- types and shapes --------------------------------------------------------------------------


def reverse(ctx, out, x):
    np.asarray(out)[...] = np.asarray(x)[::-1]


@case
def every_type():
    results = []
    names = (
        "bool int8 int16 int32 uint8 uint16 uint32 float16 bfloat16 float32 complex64 float8_e4m3fn float8_e5m2 float8_e4m3 "
        "float8_e3m4 float8_e4m3b11fnuz float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu"
    ).split()
    for name in names:
        seen = []

        def noted(ctx, out, x):
            seen.append(f"{x.dtype} {np.asarray(x).dtype} {out.dtype} {x.shape} {np.asarray(x).itemsize}")
            reverse(ctx, out, x)

        x = jnp.asarray([1, 2, 1, 1], jnp.dtype(name))
        results += [np.asarray(jax.block_until_ready(jax.jit(lambda x: in_place(noted, x))(x))).astype(np.complex64), list(seen)]
    return results


@case
def types_of_64_bits():
    with jax.enable_x64(True):
        return [jax.jit(lambda x: in_place(reverse, x))(jnp.asarray([1, 2, 3], name)) for name in ("int64", "uint64", "float64", "complex128")]


@case
def packed_types():
    """Elements of 2 and 4 bits take a byte each, as in numpy. XLA's CPU backend packs them, and reads what the
    function wrote as other numbers."""
    results = []
    for name in ("int4", "uint4", "int2", "uint2"):
        x = jnp.asarray([1, 0, 1, 1], jnp.dtype(name))
        y = jax.jit(lambda x: in_place(reverse, x))(x)
        results.append(np.asarray(x[::-1] if jax.default_backend() == "cpu" else y).astype(np.int8))
    return results


@case
def nothing_in_arrays():
    seen = []

    def noted(ctx, out, x):
        seen.append(f"{x.shape} {out.shape} {np.asarray(x).size}")
        np.asarray(out)[...] = 7

    empty, some = jax.ShapeDtypeStruct((0, 3), np.float32), jax.ShapeDtypeStruct((2,), np.float32)
    both = [jax.jit(buffer_callback(noted, out))(x) for out in (empty, some) for x in (jnp.zeros((0, 3)), jnp.ones((2, 0, 4)), jnp.ones(2))]
    return jax.block_until_ready(both), list(seen)


@case
def trees_of_results():
    def fill(ctx, out, x, rest, *, scale, more=None):
        np.asarray(out["a"][0])[...] = np.asarray(x) * np.asarray(scale)
        np.asarray(out["a"][1])[...] = np.asarray(rest["k"]).sum()
        np.asarray(out["b"])[...] = np.asarray(rest["l"][0]).astype(np.int32) + (more is not None)

    out = {"a": (jax.ShapeDtypeStruct((3,), np.float32), F32), "b": jax.ShapeDtypeStruct((2, 2), np.int32), "none": None}
    f = buffer_callback(fill, out)
    x, rest = jnp.arange(3.0), {"k": jnp.ones((4, 2)), "l": [jnp.ones((2, 2), jnp.int8)]}
    return jax.jit(f)(x, rest, scale=np.float32(2)), f(x, rest, scale=jnp.float32(3), more=jnp.zeros(())), jax.jit(lambda: f(x, rest, scale=jnp.float32(1)))()


@case
def many_operands_and_results():
    def swap(ctx, out, *xs):
        for o, x in zip(out, reversed(xs)):
            np.asarray(o)[...] = np.asarray(x)

    xs = [jnp.full((i % 4 + 1, 2), i, ("float32", "int32", "bfloat16")[i % 3]) for i in range(12)]
    return [np.asarray(y).astype(np.float32) for y in jax.jit(buffer_callback(swap, tuple(like(x) for x in reversed(xs))))(*xs)]


@case
def large_arrays():
    x = jnp.arange(2_000_000, dtype=jnp.float32)
    y = jax.jit(lambda x: in_place(twice, x + 1) - 2)(x)
    return y[:5], y[-5:], y.sum() / 1e9


# --- aliases -----------------------------------------------------------------------------------


@case
def results_in_place_of_operands():
    """The result holds its operand's values when the function is called."""
    seen = []

    def add_one(ctx, out, x):
        seen.append(str(np.asarray(out).ctypes.data == np.asarray(x).ctypes.data))
        np.asarray(out)[...] += 1

    f = lambda x: in_place(add_one, x, input_output_aliases={0: 0})
    x = jnp.arange(5.0)
    y = jax.block_until_ready([jax.jit(lambda x: f(x * 2))(x), jax.jit(f)(x), f(x), jax.jit(lambda x: (f(x), x))(x), jax.jit(lambda x: f(f(f(x + 1))))(x)])
    return y, x, list(seen)


@case
def several_aliases():
    def rotate(ctx, out, a, b, c):
        first, second, third = (np.asarray(o) for o in out)
        first[...], second[...], third[...] = first + second, second * 2, 5

    f = lambda a, b, c: buffer_callback(rotate, (like(b), like(a), like(c)), input_output_aliases={0: 1, 1: 0})(a, b, c)
    a, b, c = jnp.arange(4.0), jnp.ones(4), jnp.zeros(2)
    same = jax.jit(lambda a: f(a, a, a[:2]))
    return jax.jit(f)(a, b, c), jax.jit(lambda *v: f(*(w + 1 for w in v)))(a, b, c), same(a), a, b


@case
def donated_aliases():
    def add_one(ctx, out, x):
        np.asarray(out)[...] += 1

    f = jax.jit(lambda x: in_place(add_one, x, input_output_aliases={0: 0}), donate_argnums=0)
    x = jnp.arange(4.0) + 0
    y = f(f(f(x)))
    step = jax.jit(lambda c: lax.fori_loop(0, 4, lambda i, c: in_place(add_one, c, input_output_aliases={0: 0}), c), donate_argnums=0)
    read, z = np.array(y), step(y)
    return read, z, str(x.is_deleted()), str(y.is_deleted())


@case
def errors_of_aliases():
    x, y = jnp.ones(3), jnp.ones(4)
    call = lambda aliases: lambda *args: buffer_callback(twice, like(x), input_output_aliases=aliases)(*args)
    return [said(call(aliases), x) for aliases in ({1: 0}, {0: 1}, {5: 5})] + [said(call({0: 0}), y), said(jax.jit(call({0: 0})), x.astype(jnp.int32))]


# --- transformations ---------------------------------------------------------------------------


def sizes(log):
    def function(ctx, out, x, w):
        log.append(f"{x.shape} {w.shape} {out.shape}")
        np.asarray(out)[...] = np.asarray(x) * np.asarray(w)

    return function


@case
def mapped_by_each_method():
    x, w, found = jnp.arange(24.0).reshape(2, 3, 4), jnp.arange(4.0), []
    for method in ("sequential", "sequential_unrolled", "expand_dims", "broadcast_all", "legacy_vectorized", None, "other"):
        for axes in ((0, None), (1, None), (0, 0)):
            log = []
            f = lambda x, w: buffer_callback(sizes(log), jax.ShapeDtypeStruct((4,), np.float32), vmap_method=method)(x, w)
            args = (x[:, 0] if axes[0] == 0 else x[:, 0].T, jnp.stack([w, w + 1]) if axes[1] == 0 else w)
            try:
                y = jax.block_until_ready(jax.jit(jax.vmap(f, in_axes=axes))(*args))
            except Exception as error:
                y = f"{type(error).__name__}: {error}".split("\n")[0]
            found.append([y, sorted(log)])
    return found


@case
def mapped_twice():
    found = []
    for method in ("sequential", "expand_dims", "broadcast_all"):
        log = []
        f = lambda x, w: buffer_callback(sizes(log), jax.ShapeDtypeStruct((4,), np.float32), vmap_method=method)(x, w)
        y = jax.block_until_ready(jax.jit(jax.vmap(jax.vmap(f, in_axes=(0, None)), in_axes=(0, 0)))(jnp.arange(24.0).reshape(2, 3, 4), jnp.ones((2, 4))))
        found.append([y, sorted(log)])
    return found


@case
def mapped_with_aliases():
    def add_one(ctx, out, x):
        np.asarray(out)[...] += 1

    x = jnp.arange(6.0).reshape(2, 3)
    return [jax.jit(jax.vmap(lambda x: in_place(add_one, x, vmap_method=m, input_output_aliases={0: 0})))(x + 1) for m in ("sequential", "expand_dims", "broadcast_all")]


@case
def differentiated():
    f = lambda x: in_place(twice, x)
    x = jnp.arange(3.0)

    @jax.custom_vjp
    def known(x):
        return f(x)

    known.defvjp(lambda x: (f(x), None), lambda _, g: (f(g),))
    return [
        said(jax.grad(lambda x: f(x).sum()), x), said(jax.jvp, f, (x,), (x,)), said(jax.linearize, f, x), jax.jit(jax.grad(lambda x: known(x).sum()))(x),
        jax.grad(jax.checkpoint(lambda x: (known(x) ** 2).sum()))(x), str(jax.eval_shape(f, x)), str(jax.make_jaxpr(f)(x)).count("buffer_callback"),
    ]  # fmt: skip


# --- the number of calls -----------------------------------------------------------------------


def counting(log):
    def function(ctx, out, x):
        log.append(float(np.asarray(x).sum()))
        np.asarray(out)[...] = np.asarray(x) + 1

    return function


@case
def calls_without_effects():
    """Calls whose results are not used are not made, equal calls may be one."""
    log = []
    f = lambda x: in_place(counting(log), x)
    y = jax.block_until_ready(jax.jit(lambda x: (f(x), x * 3)[1])(jnp.ones(2)))
    return y, list(log)


@case
def calls_with_effects():
    log = []
    f = lambda x: in_place(counting(log), x, has_side_effect=True)
    programs = [
        lambda x: (f(x), f(x + 1), x)[2],
        lambda x: lax.scan(lambda c, _: (f(c), None), x, None, length=3)[0],
        lambda x: lax.cond(x.sum() > 1, f, lambda v: v, x),
        lambda x: lax.cond(x.sum() > 100, f, lambda v: v, x),
        lambda x: lax.while_loop(lambda c: c.sum() < 8, f, x),
        lambda x: jax.jit(f)(jax.jit(f)(x)),
    ]
    found = []
    for program in programs:
        log.clear()
        y = jax.block_until_ready(jax.jit(program)(jnp.ones(2)))
        jax.effects_barrier()
        found.append([y, list(log)])
    return found


@case
def command_buffers():
    """The option has a meaning on the GPU only: the function is called in each run."""
    log = []
    f = jax.jit(lambda x: in_place(counting(log), x, command_buffer_compatible=True))
    y = jax.block_until_ready([f(jnp.ones(2)), f(jnp.ones(2)), f(jnp.zeros(2))])
    return y, list(log)


@case
def without_jit():
    log = []
    f = lambda x: in_place(counting(log), x)
    with jax.disable_jit():
        y = jax.block_until_ready(lax.scan(lambda c, _: (f(c), c), jnp.ones(2), None, length=2))
    return y, f(np.ones(3, np.float32)), f(jnp.float32(2)), list(log)[:2]


@case
def compiled_ahead():
    log = []
    lowered = jax.jit(lambda x: in_place(counting(log), x)).lower(jax.ShapeDtypeStruct((3,), np.float32))
    compiled = lowered.compile()
    export = jax.export.export(jax.jit(lambda x: in_place(twice, x)), platforms=[jax.default_backend()])
    several = jax.export.export(jax.jit(lambda x: in_place(twice, x)), platforms=["tpu", "cuda", jax.default_backend()])
    return jax.block_until_ready([compiled(jnp.ones(3)), compiled(jnp.zeros(3))]), list(log), said(export, np.ones(2, np.float32)).split(".")[0][:60], said(several, np.ones(2, np.float32))


# --- several devices ---------------------------------------------------------------------------


@case
def of_sharded_values():
    log = []

    def noted(ctx, out, x):
        log.append(str(x.shape))
        twice(ctx, out, x)

    f = jax.jit(lambda x: in_place(noted, x * 1) + 1)
    y = jax.block_until_ready([f(sharded(X84, "x", "y")), f(sharded(X84)), jax.jit(lambda x: in_place(twice, x), out_shardings=NamedSharding(mesh(), P("y")))(sharded(X84, "x"))])
    return y, str(set(log))


@case
def in_shard_maps():
    log = []

    def local(x):
        y = in_place(counting(log), x)
        return lax.psum(y, "x"), in_place(twice, lax.all_gather(y, "y", axis=1, tiled=True), input_output_aliases={0: 0})

    f = jax.shard_map(local, mesh=mesh(), in_specs=P("x", "y"), out_specs=(P(None, "y"), P("x")), check_vma=False)
    y = jax.block_until_ready(jax.jit(f)(X84))
    return y, sorted(log)


@case
def effects_in_shard_maps():
    log = []

    def local(x):
        in_place(counting(log), x, has_side_effect=True)
        return lax.scan(lambda c, _: (in_place(counting(log), c, has_side_effect=True), None), x, None, length=2)[0]

    f = jax.shard_map(local, mesh=mesh(), in_specs=P(("x", "y")), out_specs=P(("x", "y")), check_vma=False)
    y = jax.block_until_ready(jax.jit(f)(X84))
    jax.effects_barrier()
    return y, sorted(log)


@case
def on_another_device():
    x = jax.device_put(jnp.arange(4.0), jax.devices()[5])
    y = jax.jit(lambda x: in_place(twice, x))(x)
    return y, str([d.id for d in y.devices()])


@case
def at_the_same_time():
    from concurrent.futures import ThreadPoolExecutor

    f = jax.jit(lambda x: in_place(twice, x).sum())
    xs = [jax.device_put(jnp.full(50, i, jnp.float32), jax.devices()[i % 8]) for i in range(40)]
    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(lambda x: float(f(x)), xs))


# --- errors ------------------------------------------------------------------------------------


@case
def raised_errors():
    """The type and the text of an exception are in the error; later programs run."""

    class Own(RuntimeError):
        pass

    def raising(error):
        def function(ctx, out, *xs):
            raise error

        return function

    found = []
    for error in (ValueError("one"), KeyError("two"), Own("three"), ZeroDivisionError(), AssertionError("four\nlines")):
        try:
            jax.block_until_ready(jax.jit(lambda x: in_place(raising(error), x))(jnp.ones(2)))
        except Exception as raised:
            text = str(raised)
            found.append(f"{type(raised).__name__} {type(error).__name__ in text} {str(error).splitlines()[-1] in text if str(error) else ''} {text.split(':')[0]}")
    return found, jax.jit(lambda x: in_place(twice, x))(jnp.ones(2))


@case
def misused_buffers():
    def wrong_shape(ctx, out, x):
        np.asarray(out)[...] = np.ones(7)

    def returns(ctx, out, x):
        return out

    def wrong_arguments(ctx, out):
        pass

    found = []
    for function in (wrong_shape, returns, wrong_arguments):
        text = ""
        try:
            jax.block_until_ready(jax.jit(lambda x: in_place(function, x))(jnp.ones(2)))
        except Exception as raised:
            text = f"{type(raised).__name__} {str(raised)}"
        found.append([text.split(":")[0], re.findall(r"(ValueError|TypeError|RuntimeError): ([^\n]*)", text)[-1:]])
    return [str(f) for f in found]


@case
def errors_on_eight_devices():
    def raising(ctx, out, x):
        raise ValueError("this is what was raised")

    f = jax.shard_map(lambda x: in_place(raising, x), mesh=mesh(), in_specs=P("x"), out_specs=P("x"), check_vma=False)
    try:
        jax.block_until_ready(jax.jit(f)(X84))
        found = "nothing"
    except Exception as error:
        found = f"{type(error).__name__} {'this is what was raised' in str(error)}"
    return found, jax.jit(jax.shard_map(lambda x: in_place(twice, x), mesh=mesh(), in_specs=P("x"), out_specs=P("x"), check_vma=False))(X84)


# --- layouts -----------------------------------------------------------------------------------


@case
def arrays_in_other_layouts():
    from jax.experimental.layout import Format, Layout

    columns = Format(Layout((1, 0)), NamedSharding(mesh(), P()))
    x = jax.device_put(X84, columns)
    strides = []

    def noted(ctx, out, x):
        strides.append(str((np.asarray(x).strides, np.asarray(out).strides)))
        twice(ctx, out, x)

    f = jax.jit(lambda x: in_place(noted, x), in_shardings=columns, out_shardings=columns)
    return jax.block_until_ready(f(x)), str(f(x).format.layout), str(set(strides))


# --- the interface of contexts and buffers ---------------------------------------------------


@case
def what_buffers_are():
    seen = []

    def look(ctx, out, x):
        seen.append(f"{ctx.stage} {x.shape} {x.dtype} {x.ndim} {x.writeable} {out.writeable} {x.__dlpack_device__()}")
        seen.append(str([np.asarray(b).flags.writeable for b in (x, out)] + [np.from_dlpack(b).flags.writeable for b in (x, out)]))
        try:
            ctx.stream
        except Exception as error:
            seen.append(f"{type(error).__name__}: {error}")
        np.from_dlpack(out)[...] = np.from_dlpack(x)

    return jax.block_until_ready(in_place(look, jnp.ones((2, 3)))), list(seen)


@case
def interface_of_buffers():
    from jax.experimental.buffer_callback import Buffer, ExecutionContext

    seen = []

    def look(ctx, out, x):
        seen.append(str([isinstance(b, kind) for b, kind in ((x, Buffer), (out, Buffer), (ctx, ExecutionContext), (x, ExecutionContext))]))
        capsules = [x.__dlpack__(), x.__dlpack__(max_version=(0, 8)), x.__dlpack__(max_version=(1, 0)), x.__dlpack__(copy=False)]
        capsules += [out.__dlpack__(stream=None), x.__dlpack__(stream=1, dl_device=(1, 0))]
        seen.append(str([re.search(r'"(\w+)"', repr(capsule)).group(1) for capsule in capsules]))
        seen.append(str([np.asarray(x).__array_interface__["data"][0] == np.from_dlpack(x).__array_interface__["data"][0]]))
        seen.append(str([np.from_dlpack(b).flags.writeable for b in (x, out)]))
        np.asarray(out)[...] = np.asarray(jnp.from_dlpack(x)) + x.__array__(copy=False)

    return jax.block_until_ready(in_place(look, jnp.arange(5.0))), list(seen)


@case
def without_operands_or_results():
    seen = []
    fill = lambda ctx, out: np.asarray(out).fill(3)
    made = jax.jit(lambda: buffer_callback(fill, jax.ShapeDtypeStruct((2,), np.float32))())()
    noted = buffer_callback(lambda ctx, out, x: seen.append(str((out, np.asarray(x).sum()))), (), has_side_effect=True)
    after = jax.jit(lambda x: (noted(x), x + 1)[1])
    return made, jax.block_until_ready(after(jnp.arange(3.0))), list(seen)


@case
def kinds_of_errors():
    def failure(function):
        try:
            jax.block_until_ready(jax.jit(lambda x: in_place(function, x))(np.ones(3, np.float32)))
        except Exception as error:
            return type(error).__name__, str(error).split(": Traceback")[0], "this is what was raised" in str(error), "must not return" in str(error)
        return "no error"

    return [[*map(str, failure(f))] for f in (raising, lambda ctx, out, x: 1, lambda ctx, out, x: ctx.stream)], jnp.ones(2) + 1


if __name__ == "__main__":
    main(__doc__)
