#===- ffi.py - foreign functions of the user ----------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""jax.ffi: handlers (ffi_handlers.cc) compiled against the headers of jax.ffi.include_dir(), with every
kind of attribute, operand, context, state, layout, error and vmap_method, typed and untyped, and batches
that stay sharded."""

import ctypes
import hashlib
import os
import re
import shutil
import subprocess
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
from both import HERE, J11, J12, case, main
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

SOURCE = os.path.join(HERE, "ffi_handlers.cc")
TYPED = (
    "Axpd Attributes Numbers OwnTypes Variadic Optional Described RawBytes FromBytes Tokens Aliased Failing Throwing "
    "FailingLater Later CountedDown Pooled Device RunId Scratch Stream UserData InMemory Softly Moments Counted"
).split()
NEWER = "Options Recorded Collective".split()  # since 0.12
UNTYPED = "Untyped1 Untyped2 Untyped3".split()


def compiled():
    """Returns the path of the handlers' library, which is compiled once for both processes and later
    runs."""
    with open(SOURCE, "rb") as file:
        key = hashlib.sha256(file.read() + jax.__version__.encode()).hexdigest()[:16]
    library = os.path.join(tempfile.gettempdir(), f"shardwright-ffi-handlers-{key}.so")
    if not os.path.exists(library):
        compiler = os.environ.get("CXX") or shutil.which("clang++-22") or "c++"
        partial = f"{library}.{os.getpid()}"
        subprocess.run(
            [compiler, "-std=c++17", "-shared", "-fPIC", "-w", "-O1", "-pthread", "-I" + jax.ffi.include_dir(), SOURCE]
            + ["-o", partial],
            check=True,
        )
        os.replace(partial, library)
    return library


def handlers():
    """Returns the library, with its functions registered."""
    if hasattr(handlers, "library"):
        return handlers.library
    handlers.library = library = ctypes.CDLL(compiled())
    for name in "CounterId CounterInfo SecretId".split():
        getattr(library, name).restype = ctypes.c_void_p
    for name in "CountersAlive CountersMade TakeRows TakeCalls".split():
        getattr(library, name).restype = ctypes.c_int64
    for name in TYPED + (NEWER if J12 else []):
        jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(getattr(library, name)))
    for name in UNTYPED:
        jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(getattr(library, name)), api_version=0)
    jax.devices("cpu")  # jaxlib accepts types before handlers only if its backend exists
    jax.ffi.register_ffi_type(
        "Counter",
        {"type_id": jax.ffi.pycapsule(library.CounterId()), "type_info": jax.ffi.pycapsule(library.CounterInfo())},
    )
    jax.ffi.register_ffi_type("Secret", {"type_id": jax.ffi.pycapsule(library.SecretId())})
    jax.ffi.register_ffi_target(
        "Counter",
        {
            "instantiate": jax.ffi.pycapsule(library.CounterInstantiate),
            "execute": jax.ffi.pycapsule(library.CounterExecute),
        },
    )
    for name in ("Softly", "Moments"):
        jax.ffi.register_ffi_target_as_batch_partitionable(name)
    return library


def shape(*dims, dtype=np.float32):
    return jax.ShapeDtypeStruct(dims, dtype)


def call(name, out, *args, attributes=None, **options):
    handlers()
    return jax.ffi.ffi_call(name, out, **options)(*args, **(attributes or {}))


def like(name, x, **attributes):
    return call(name, shape(*x.shape, dtype=x.dtype), x, attributes=attributes, vmap_method="broadcast_all")


def message(function, *args):
    """Returns the error of a call under jit, without the parts that only one platform adds."""
    try:
        jax.block_until_ready(jax.jit(function)(*args))
    except Exception as error:
        text = re.split(r"\s*\n\s*\nSuspected Python", str(error))[0].strip()
        if jax.default_backend() == "shardwright":
            text = re.sub(r" \((?!canonical)[^()\n]*\)$", "", text)  # removes the position
        return type(error).__name__, text
    return "no error"


X = np.arange(6, dtype=np.float32)
I64 = lambda n: shape(n, dtype=jnp.int64)


def x64(function):
    def run():
        with jax.enable_x64(True):
            return function()

    run.__name__ = function.__name__
    return run


# --- attributes ---------------------------------------------------------------------------


@case
def attribute_and_array():
    return jax.jit(lambda x: like("Axpd", x, k=np.float32(2)) + 1)(X), like("Axpd", jnp.asarray(X), k=np.float32(3))


@case
@x64
def every_kind_of_attribute():
    f = lambda: call("Attributes", (I64(5), shape(1)), attributes=dict(i=7, b=True, s="four", list=np.arange(4), d={"inner": 9}))
    return f(), jax.jit(f)()


@case
@x64
def every_type_of_number():
    scalars = {f"{k}{n}": np.dtype(f"{t}{n}").type(3 * n + 1) for k, t in (("s", "int"), ("u", "uint")) for n in (8, 16, 32, 64)}
    scalars |= {"s8": np.int8(-5), "s64": np.int64(-(2**40)), "u32": np.uint32(2**32 - 1), "f32": np.float32(2.5), "f64": 7.25}
    arrays = {"a" + name: np.array([[value, value]], dtype=np.asarray(value).dtype) for name, value in scalars.items()}
    return call("Numbers", I64(21), attributes={**scalars, **arrays})


@case
@x64
def no_attributes_and_empty_arrays():
    return call("Numbers", I64(1)), call("Numbers", I64(15), attributes={"as64": np.zeros(0, np.int64)})


@case
@x64
def enums_and_structs_of_the_user():
    return call("OwnTypes", I64(2), attributes=dict(color=np.int32(5), range={"low": 2, "high": 9}))


@case
def attributes_that_do_not_fit():
    return [
        message(lambda x: like("Axpd", x, **attributes), X)
        for attributes in (
            dict(k=np.float64(2)),
            dict(k="text"),
            dict(),
            dict(other=np.float32(1)),
            dict(k=np.float32(1), more=np.float32(1)),
            dict(k=np.float16(2)),
            dict(k=(1, 2)),
            dict(k=np.array([True])),
            dict(k=np.array([1j])),
        )
    ]


# --- operands and results -----------------------------------------------------------------


@case
def any_number_of_operands_and_results():
    out = [shape(2), shape(3), shape(1, 2)]
    return [call("Variadic", out[:n], *[X] * m) for n, m in ((1, 0), (2, 1), (3, 4))]


@case
def optional_operands_and_results():
    f = lambda out, *args: call("Optional", out, *args)
    return f([shape(6)], X), f([shape(6)], X, X), f([shape(6), shape(1)], X, X)


@case
def wrong_numbers_types_and_ranks():
    return [
        message(lambda: call("Axpd", shape(6), X, X, attributes=dict(k=np.float32(1)))),
        message(lambda: call("Axpd", (shape(6), shape(6)), X, attributes=dict(k=np.float32(1)))),
        message(lambda: call("Axpd", shape(6), jnp.arange(6), attributes=dict(k=np.float32(1)))),
        message(lambda: call("Optional", shape(6))),
    ]


@case
@x64
def what_operands_look_like():
    import ml_dtypes

    args = [
        jnp.zeros(s, t)
        for s, t in (
            [((), np.float32), ((0,), np.float32), ((3, 0, 2), np.int8), ((2, 2), np.bool_), ((1,), jnp.bfloat16)]
            + [((3,), t) for t in (np.uint8, np.int64, np.float16, np.complex64, np.complex128, jnp.int4, jnp.uint4)]
            + [((3,), t) for t in (ml_dtypes.int2, ml_dtypes.uint2, jnp.float8_e5m2, jnp.float8_e4m3fn, ml_dtypes.float4_e2m1fn)]
        )
    ]
    return jax.jit(lambda *args: call("Described", I64(5 * len(args)), *args))(*args)


@case
@x64
def elements_of_less_than_8_bits():
    import ml_dtypes

    results = []
    for dtype, values, count in (
        (jnp.int4, [1, -2, 3, 7, -8, 0], 3),
        (jnp.uint4, [1, 15, 3, 8], 2),
        (ml_dtypes.int2, [1, -2, 0, -1, 1, 0, -1, -2], 2),
        (ml_dtypes.uint2, [1, 2, 3, 0], 1),
    ):
        x = jnp.asarray(values, dtype)
        packed = call("RawBytes", shape(count, dtype=np.uint8), x, attributes=dict(count=count))
        back = call("FromBytes", shape(len(values), dtype=dtype), packed, attributes=dict(count=count))
        results += [packed, back.astype(np.int32)]
    return results


@case
def tokens_among_operands():
    from jax._src.core import abstract_token as token_type

    def f(x):
        token = jax.lax.create_token(x)
        token, y = call("Tokens", (token_type, shape(1)), token, x)
        token, y = call("Tokens", (token_type, shape(1)), token, y)
        return y

    return jax.jit(f)(np.ones(1, np.float32))


@case
def complex_numbers_and_booleans():
    z = np.array([1 + 2j, -3j], np.complex64)
    return call("RawBytes", shape(16, dtype=np.uint8), z, attributes=dict(count=16)), call(
        "RawBytes", shape(3, dtype=np.uint8), np.array([True, False, True]), attributes=dict(count=3)
    )


@case
@x64
def aliased_operands():
    f = jax.jit(lambda x: call("Aliased", (shape(6), I64(1)), x + 1, input_output_aliases={0: 0}))
    g = jax.jit(lambda x: (call("Aliased", (shape(6), I64(1)), x, input_output_aliases={0: 0}), x))
    x = jnp.asarray(X)
    donated = jax.jit(lambda x: call("Aliased", (shape(6), I64(1)), x, input_output_aliases={0: 0}), donate_argnums=0)
    return f(x), g(x), x, donated(jnp.asarray(X))


@case
@x64
def without_aliases_nothing_overlaps():
    return jax.jit(lambda x: call("Aliased", (shape(6), I64(1)), x + 1))(X)


# --- layouts and vmap ---------------------------------------------------------------------


@case
def layouts():
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    f = lambda **options: jax.jit(lambda x: call("InMemory", shape(2, 3, 4), x + 0, **options))(x)
    return [
        f(),
        f(input_layouts=[(0, 1, 2)], output_layouts=(0, 1, 2)),
        f(input_layouts=[(2, 1, 0)], output_layouts=(0, 1, 2)),
        f(input_layouts=[(0, 1, 2)], output_layouts=(1, 2, 0)),
        f(input_layouts=[(0, 2, 1)], output_layouts=(0, 2, 1)),
        f(input_layouts=[(1, 0, 2)], output_layouts=(2, 0, 1)),
    ]


@case
def layouts_under_vmap():
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    f = lambda x: call("InMemory", shape(3, 4), x, input_layouts=[(1, 0)], output_layouts=(0, 1), vmap_method="broadcast_all")
    return jax.jit(jax.vmap(f))(x), jax.vmap(f, in_axes=2, out_axes=1)(x.transpose(1, 2, 0))


@case
def every_vmap_method():
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    results = []
    for method in ("sequential", "sequential_unrolled", "expand_dims", "broadcast_all", "legacy_vectorized"):
        f = lambda x: call("Axpd", shape(*x.shape), x, attributes=dict(k=np.float32(2)), vmap_method=method)
        results += [jax.vmap(f)(x), jax.jit(jax.vmap(f, in_axes=1))(x)]
    two = lambda method: lambda a, b: call("Variadic", [shape(2)], a, b, vmap_method=method)
    for method in ("sequential", "expand_dims", "broadcast_all"):
        results.append(jax.jit(jax.vmap(two(method), in_axes=(0, None)))(x, X))
    return results


@case(errors="same")
def vmap_without_a_method():
    return jax.vmap(lambda x: call("Axpd", shape(4), x, attributes=dict(k=np.float32(2))))(np.ones((3, 4), np.float32))


@case(errors="same")
def gradient_of_a_call():
    return jax.grad(lambda x: like("Axpd", x, k=np.float32(2)).sum())(X)


# --- errors -------------------------------------------------------------------------------


@case
def errors_of_handlers():
    codes = [message(lambda x: like("Failing", x, code=code), X) for code in (1, 2, 3, 5, 8, 9, 12, 13, 14)]
    return codes, message(lambda x: like("Throwing", x), X), jnp.ones(2) + 1


@case
def error_that_comes_later():
    return message(lambda x: like("FailingLater", x) + 1, X), jnp.ones(2) + 1


@case
def error_on_one_of_eight_devices():
    m = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Auto,))
    f = jax.shard_map(lambda x: jax.lax.psum(like("Failing", x, code=5), "x"), mesh=m, in_specs=P("x"), out_specs=P(), check_vma=False)
    return message(f, np.arange(8, dtype=np.float32))


@case
def targets_that_are_not_there():
    handlers()
    f = lambda name, **options: message(lambda x: jax.ffi.ffi_call(name, shape(6), **options)(x), X)
    return [
        f("no_such_target"),
        f("Untyped1"),
        *(f("no_such_target", custom_call_api_version=v) for v in (0, 1, 2, 3)),
        *(f("Axpd", custom_call_api_version=v) for v in (0, 1, 2, 3)),
    ]


@case
def wrong_registrations():
    library = handlers()
    results = []
    for name, target, options in (
        ("Axpd", jax.ffi.pycapsule(library.Pooled), {}),
        ("new", jax.ffi.pycapsule(library.Pooled), dict(api_version=2)),
        ("new", 7, {}),
    ):
        try:
            jax.ffi.register_ffi_target(name, target, **options)
            results.append("no error")
        except Exception as error:
            results.append(f"{type(error).__name__}: {error}")
    return results


# --- context ------------------------------------------------------------------------------


@case
def asynchronous():
    return jax.jit(lambda x: like("Later", like("Later", x)) * 2)(X), jax.jit(lambda x: like("CountedDown", x))(X)


@case
def on_a_pool_of_threads():
    return jax.jit(lambda x: like("Pooled", x))(X)


@case
def number_of_the_device():
    devices = jax.devices()[:8]
    m = jax.sharding.Mesh(devices[::-1], ("x",), axis_types=(AxisType.Auto,))
    f = jax.jit(jax.shard_map(lambda x: like("Device", x), mesh=m, in_specs=P("x"), out_specs=P("x"), check_vma=False))
    one = jax.jit(lambda x: like("Device", x))(jax.device_put(X, devices[5]))
    return f(np.zeros(16, np.float32)), one


@case
@x64
def number_of_the_run():
    m = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Auto,))
    f = jax.jit(
        jax.shard_map(lambda x: call("RunId", I64(1), x), mesh=m, in_specs=P("x"), out_specs=P("x"), check_vma=False)
    )
    runs = [np.asarray(f(np.zeros(8, np.float32))) for _ in range(4)]
    return len({int(r[0]) for r in runs}), [int(len(set(r.tolist()))) for r in runs]


@case
def no_stream_and_no_user_data():
    return message(lambda x: like("Stream", x), X), message(lambda x: like("UserData", x), X)[0]


@case
@x64
def state_of_a_call():
    library = handlers()
    count = lambda x, start: call("Counter", I64(1), x, attributes=dict(start=start), has_side_effect=True)
    f = jax.jit(lambda x: (count(x, 10), count(x + 1, 20)))
    made = library.CountersMade()
    values = [f(X) for _ in range(3)]
    loop = jax.jit(lambda x: jax.lax.scan(lambda c, _: (c, count(c, 0)), x, None, length=4)[1])(X)
    return values, loop, library.CountersMade() - made


@case
@x64
def state_lives_as_long_as_the_program():
    import gc

    library = handlers()
    jax.clear_caches()
    gc.collect()
    before = library.CountersAlive()
    f = jax.jit(lambda x: call("Counter", I64(1), x, attributes=dict(start=5))).lower(X).compile()
    f(X)
    alive = library.CountersAlive() - before
    del f
    jax.clear_caches()
    gc.collect()
    return alive, library.CountersAlive() - before


@case
@x64
def error_while_a_state_is_made():
    return message(lambda x: call("Counter", I64(1), x, attributes=dict(start=-1)), X)


# --- FFI 0.4 and 0.5 ----------------------------------------------------------------------


@case
def options_and_extensions():
    """No options and no extensions are given; a handler that needs an extension says so."""
    if not J12:
        return "since 0.12"
    return jax.jit(lambda x: call("Options", shape(1), x))(X), [message(lambda x: like(name, x), X) for name in ("Recorded", "Collective")]


@case
def stage_of_other_platforms():
    """Handlers may have a stage `record`, which only GPUs call."""
    if not J11:
        return "since 0.11"
    library = handlers()
    stages = {"execute": jax.ffi.pycapsule(library.Softly), "record": jax.ffi.pycapsule(library.Softly)}
    jax.ffi.register_ffi_target("WithRecord", stages)
    return jax.jit(lambda x: like("WithRecord", x))(X)


# --- untyped functions --------------------------------------------------------------------


@case
def untyped_functions():
    x = np.arange(4, dtype=np.float32)
    return (
        call("Untyped1", shape(4), x, custom_call_api_version=1),
        call("Untyped2", (shape(4), shape(4)), x, x + 1, custom_call_api_version=2),
        call("Untyped3", shape(4), x, custom_call_api_version=3, legacy_backend_config="Aha"),
        call("Untyped3", shape(4), x, custom_call_api_version=3, legacy_backend_config=""),
    )


@case
def lapack_of_jaxlib_through_the_same_door():
    from jaxlib.lapack import _lapack

    _lapack.initialize()
    handlers()
    jax.ffi.register_ffi_target("its_potrf", _lapack.registrations()["lapack_spotrf_ffi"])
    a = np.array([[4, 2, 0], [2, 5, 1], [0, 1, 3]], np.float32)
    a = np.stack([a, 2 * a])
    f = jax.ffi.ffi_call(
        "its_potrf", (shape(2, 3, 3), shape(2, dtype=np.int32)), input_layouts=[(0, 2, 1)],
        output_layouts=[(0, 2, 1), (0,)], input_output_aliases={0: 0},
    )  # fmt: skip
    factor, info = jax.jit(lambda a: f(a, uplo=np.uint8(ord("L"))))(a)
    return jnp.tril(factor), info


# --- programs -----------------------------------------------------------------------------


@case
def in_a_loop_and_under_vmap():
    f = lambda x: like("Axpd", x, k=np.float32(2))
    return jax.jit(lambda x: jax.lax.fori_loop(0, 3, lambda i, x: f(x), x))(X), jax.vmap(f)(X.reshape(2, 3))


@case
def equal_calls_with_effects_stay_apart():
    library = handlers()
    f = lambda effect: jax.jit(lambda x: [like_effect("Counted", x, effect) for _ in range(3)])
    like_effect = lambda name, x, effect: call(name, shape(6), x, has_side_effect=effect)
    library.TakeCalls()
    values = jax.block_until_ready(f(True)(X))
    with_effects = library.TakeCalls()
    unused = jax.jit(lambda x: (call("Counted", shape(6), x, has_side_effect=True), x + 1)[1])
    jax.block_until_ready(unused(X))
    return values, with_effects, library.TakeCalls()


@case
def on_every_device():
    m = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Auto,))
    f = jax.shard_map(lambda x: like("Axpd", x, k=np.float32(2)), mesh=m, in_specs=P("x"), out_specs=P("x"), check_vma=False)
    x = np.arange(16, dtype=np.float32)
    return jax.jit(f)(x), jax.jit(lambda x: like("Axpd", x, k=np.float32(2)))(jax.device_put(x, NamedSharding(m, P("x"))))


# --- batches that stay sharded --------------------------------------------------------------

COLLECTIVES = re.compile(r"\b(all[-_]gather|all[-_]to[-_]all|collective[-_]permute|all[-_]reduce|reduce[-_]scatter)\b")


def mesh():
    return jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)


def batched(name, outs, *args, dims=1, **attributes):
    """Calls with a number of batch dimensions, which `ffi_call` cannot express."""
    from jax._src.interpreters import mlir
    from jax.extend import core

    handlers()
    key = (name, tuple(map(str, outs)), dims)
    primitive = batched.__dict__.setdefault("primitives", {}).get(key)
    if primitive is None:
        primitive = batched.primitives[key] = core.Primitive(name + "_batched")
        primitive.multiple_results = True
        primitive.def_abstract_eval(lambda *_, **__: [jax.core.ShapedArray(o.shape, o.dtype) for o in outs])

        def lower(ctx, *operands, **params):
            marks = {"mhlo.frontend_attributes": mlir.ir_attribute({"num_batch_dims": str(dims)})}
            return jax.ffi.ffi_lowering(name, extra_attributes=marks)(ctx, *operands, **params)

        mlir.register_lowering(primitive, lower)
    return primitive.bind(*args, **attributes)


def per_shard(function, *given):
    """Returns the results, their shardings, the batch size of each call, and the collectives of the
    program."""
    library = handlers()
    args = [jax.device_put(np.abs(np.sin(np.arange(np.prod(s)).reshape(s))).astype(np.float32) + 1, NamedSharding(mesh(), P(*spec))) for s, *spec in given]
    program = jax.jit(function).lower(*args).compile()
    sizes = (ctypes.c_int64 * 64)()
    library.TakeRows(sizes, 64)
    results = jax.block_until_ready(program(*args))
    calls = library.TakeRows(sizes, 64)
    used = sorted({name.replace("_", "-") for name in COLLECTIVES.findall(program.as_text())})
    return results, [str(r.sharding.spec) for r in jax.tree.leaves(results)], sorted(sizes[:calls]), used


def expect(holds, found):
    """Checks our programs only: XLA keeps the results sharded only if a call also has a rule."""
    assert holds or jax.default_backend() == "cpu", found


SOFTLY = lambda x, dims=1: batched("Softly", [x], x, dims=dims)


@case
def batch_on_one_axis():
    found = per_shard(SOFTLY, ((8, 4, 4), "x"))
    expect(not found[3], found)
    return found[0], found[2]


@case
def matrix_dimension_is_gathered():
    found = per_shard(SOFTLY, ((8, 4, 4), "x", "y"))
    expect(found[3] == ["all-gather"] and found[2] == [2] * 8, found)
    return found[0]


@case
def two_batch_dimensions():
    found = per_shard(lambda x: SOFTLY(x, 2), ((8, 6, 4, 4), "x", "y"))
    expect(not found[3] and found[1] == ["P('x', 'y')"] and found[2] == [2] * 8, found)
    return found[0]


@case
def batch_on_both_axes():
    found = per_shard(SOFTLY, ((16, 4, 4), ("x", "y")))
    expect(not found[3] and found[2] == [2] * 8, found)
    return found[0]


@case
def no_batch_dimension():
    return per_shard(lambda x: SOFTLY(x, 0), ((4, 4), "x", "y"))[::2]


@case
def other_operand_is_whole():
    f = lambda x, s: batched("Moments", [shape(8), shape(8, 2)], x, s)
    found = per_shard(f, ((8, 4), "x"), ((8,),))
    expect(not found[3] and found[1] == ["P('x',)"] * 2, found)
    return found[0]


@case
def operands_that_lie_apart():
    f = lambda x, s: batched("Moments", [shape(8), shape(8, 2)], x, s)
    return per_shard(f, ((8, 4), "x"), ((8,), "y"))[0]


@case
def batch_that_does_not_divide():
    f = lambda x: SOFTLY(jnp.concatenate([x[:3], x[3:6]]) * 2)[0] + 1
    return per_shard(f, ((8, 4, 4), "x"))[0]


@case
def target_that_is_not_marked():
    f = lambda x: batched("Axpd", [x], x, k=np.float32(2))
    found = per_shard(f, ((8, 4, 4), "x"))
    expect("all-gather" in found[3], found)
    return found[0]


@case
def only_the_result_is_sharded():
    s = NamedSharding(mesh(), P("x", "y"))
    f = lambda x: jax.lax.with_sharding_constraint(SOFTLY(x * 2)[0], s)
    found = per_shard(f, ((8, 4, 4),))
    expect(found[2] == [2] * 8, found)
    return found[0]


@case
def batch_inside_a_shard_map():
    f = lambda axes: jax.shard_map(lambda x: SOFTLY(x)[0], mesh=mesh(), in_specs=P("x"), out_specs=P("x"), check_vma=False, axis_names=axes)
    return per_shard(f({"x", "y"}), ((8, 4, 4), "x"))[::2], per_shard(f({"x"}), ((8, 4, 4), "x", "y"))[0]


@case(rtol=1e-4, atol=1e-4)
def linear_algebra_needs_no_collective():
    a = np.eye(4, dtype=np.float32) * 5 + np.sin(np.arange(128, dtype=np.float32)).reshape(8, 4, 4)
    x = jax.device_put(a + a.swapaxes(1, 2), NamedSharding(mesh(), P("x")))
    results = []
    for f in (jnp.linalg.cholesky, jnp.linalg.det, jnp.linalg.inv, jnp.linalg.eigvalsh, lambda a: jnp.linalg.svd(a)[1],
              lambda a: jnp.abs(jnp.linalg.qr(a)[1]), lambda a: jnp.linalg.solve(a, a[..., 0:2])):  # fmt: skip
        program = jax.jit(f).lower(x).compile()
        assert not COLLECTIVES.findall(program.as_text()), program.as_text()
        results.append(program(x))
    return results


if __name__ == "__main__":
    main(__doc__)
