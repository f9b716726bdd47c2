#===- elsewhere_api.py - stages, effects, options and errors -------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Cases of elsewhere.py: what one does with a function of jit besides calling it. Those with `alone` only
run with ours, and check what jax.jit does not have."""

import os
import re
import subprocess
import sys
import tempfile
import threading
import warnings

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import io_callback
from jax.experimental import layout as layouts
from jax.sharding import PartitionSpec as P

import shardwright
import shardwright.jax
from elsewhere_cases import MESH, W, X, A, make_mesh, mlp, on, put

CASES = {}


def case(function=None, **options):
    """As in elsewhere_cases.py. alone=True: the case gets (tally, jit) and runs with our jit alone."""
    if function is None:
        return lambda f: case(f, **options)
    CASES[function.__name__] = (function, options)
    return function


# --- arguments ----------------------------------------------------------------------------------
@case
def static_arguments(jit):
    f = jit(lambda n, x, m=1: x * n + m, static_argnums=0, static_argnames="m")
    return f(3, put(X, "x")), f(4, put(X, "x"), m=2), f(3, put(X, "x"), m=2)


@case
def keyword_arguments(jit):
    f = jit(lambda x, *, scale, shift=None: x * scale if shift is None else x * scale + shift)
    return f(put(X, "x"), scale=2.0), f(put(X, "x"), scale=2.0, shift=put(X, "y"))


@case
def trees(jit):
    f = jit(lambda t: {"sum": t["a"].sum(0), "rest": [t["b"], None, (t["a"] * 2,)]})
    return f({"a": put(X, "x"), "b": None, "unused": put(W, "y")})


@case
def donation(jit):
    f, x = jit(lambda x: x + 1, donate_argnums=0), put(X, "x")
    places = sorted(shard.data.unsafe_buffer_pointer() for shard in x.addressable_shards)
    out = f(x)
    same = places == sorted(shard.data.unsafe_buffer_pointer() for shard in out.addressable_shards)
    return out, str(x.is_deleted()), str(same)


@case
def captured_arrays(jit):
    w, big = put(W, None, "y"), np.arange(3000, dtype=np.float32)
    return jit(lambda x: (x @ w, x.sum() + big))(put(X, "x"))


@case
def unused_and_forwarded(jit):
    f = jit(lambda x, unused, w: (w, x * 2, x, 1.0))
    return f(put(X, "x"), put(X, "y"), put(W, "y")), jit(lambda a, b: b * 2, keep_unused=True)(put(X, "y"), put(X, "x"))


@case
def references(jit):
    def f(x):
        r = jax.new_ref(x)
        r[0] = r[1] * 2
        return r[...]

    return jit(f)(put(X, None, "x"))


@case
def memory_kinds(jit):
    host = on("x").with_memory_kind("pinned_host")
    f = jit(lambda x: x * 2, out_shardings=host)
    return f(put(X, "x")), str(jax.device_put(X, host).sharding)


@case
def layouts_of_arguments(jit):
    column = layouts.Format(layouts.Layout((1, 0)), on("x"))
    f = jit(lambda x: x * 2 + 1, in_shardings=column, out_shardings=column)
    out = f(jax.device_put(X, column))
    return out, str(out.format.layout)


@case
def automatic_layouts(jit):
    auto = layouts.Format(layouts.Layout.AUTO, on("x"))
    compiled = jit(lambda x: x @ x.T, in_shardings=auto, out_shardings=auto).lower(jax.ShapeDtypeStruct(X.shape, X.dtype)).compile()
    return str(compiled.input_formats), compiled(jax.device_put(X, compiled.input_formats[0][0]))


@case
def compiler_options(jit):
    return jit(mlp, compiler_options={"xla_cpu_enable_fast_math": True})(put(X, "x"), W)


# --- stages ---------------------------------------------------------------------------------------
@case
def ahead_of_time(jit):
    lowered = jit(lambda x, w: mlp(x, w) + 1).lower(put(X, "x"), put(W, None, "y"))
    compiled = lowered.compile()
    texts = [str(bool(compiled.as_text())), str(compiled.input_shardings), str(compiled.output_shardings), str(lowered.out_info)]
    costs = [str(sorted(compiled.cost_analysis())[:1]), str(compiled.memory_analysis().argument_size_in_bytes)]
    return compiled(put(X, "x"), put(W, None, "y")), texts, costs


@case
def traced(jit):
    return jit(mlp).trace(put(X, "x"), W).lower().compile()(put(X, "x"), W), str(jit(mlp).eval_shape(X, W))


@case
def one_program_for_many_calls(jit):
    calls = []
    f = jit(lambda x: (calls.append(1), x.sum(0))[1])
    outs = [f(put(A(16, 8, seed=i), "x")) for i in range(5)]
    f(put(A(8, 8), "x"))
    return outs, str(len(calls))


@case
def serialized(jit):
    from jax.experimental import serialize_executable

    compiled = jit(lambda x, w: mlp(x, w) + 2).lower(put(X, "x"), put(W, None, "y")).compile()
    again = serialize_executable.deserialize_and_load(*serialize_executable.serialize(compiled))
    return again(put(X, "x"), put(W, None, "y"))


@case
def polymorphic_exports_inside(jit):
    (n,) = jax.export.symbolic_shape("n")
    exported = jax.export.export(jax.jit(lambda x: x.sum(0) * 2))(jax.ShapeDtypeStruct((n, 8), jnp.float32))
    return jit(lambda x: exported.call(x) + x)(put(A(16, 8), "x"))


@case(programs=False)
def inside_of_jit(jit):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return jax.jit(lambda x, w, f=jit(mlp): f(x, w) * 2)(put(X, "x"), put(W, None, "y"))


# --- effects --------------------------------------------------------------------------------------
def collected(function, *args):
    """Returns the result, and what the function's callbacks appended, as text."""
    seen = []
    out = function(seen)(*args)
    jax.effects_barrier()
    return out, str(seen)


@case
def ordered_callbacks(jit):
    def make(seen):
        def body(c, r):
            io_callback(lambda v: seen.append(float(v)), None, r.sum().round(), ordered=True)
            return c + r, None

        return jit(lambda x: lax.scan(body, jnp.zeros(x.shape[1]), x)[0])

    return collected(make, put(A(8, 4, dtype=np.int32).astype(np.float32), None, "y"))


@case
def several_ordered_callbacks(jit):
    def make(seen):
        def f(x):
            io_callback(lambda v: seen.append(("a", float(v))), None, x.max(), ordered=True)
            n = io_callback(lambda v: seen.append(("b", float(v))) or np.int32(3), jax.ShapeDtypeStruct((), np.int32), x.min(), ordered=True)
            io_callback(lambda v: seen.append(("c", v.shape)), None, x, ordered=True)
            return x * n

        return jit(f)

    return collected(lambda seen: lambda x: [make(seen)(x) for _ in range(3)], put(X, "x"))


@case
def unordered_callbacks(jit):
    def make(seen):
        def f(x):
            jax.debug.callback(lambda v: seen.append(v.shape), x)
            return x * 2

        return jit(f)

    return collected(make, put(X, "x"))


@case
def unordered_callbacks_in_loops(jit):
    def make(seen):
        def f(x):
            def body(i, v):
                jax.debug.callback(lambda n: seen.append(int(n)), i)
                return v + v.sum(0)

            return lax.fori_loop(0, 3, body, x)

        return jit(f)

    out, seen = collected(make, put(X * 0.01, "x"))
    return out, str(sorted(eval(seen)))


@case
def results_of_callbacks(jit):
    shape = jax.ShapeDtypeStruct((32,), np.float32)
    f = jit(lambda x: jax.pure_callback(lambda v: np.asarray(v).sum(0), shape, x) * 2)
    g = jit(lambda x: io_callback(lambda v: np.asarray(v).sum(0), shape, x), out_shardings=on())
    return f(put(X, "x")), g(put(X, "x"))


@case
def callbacks_in_shard_map(jit):
    def make(seen):
        body = jax.shard_map(lambda x: (jax.debug.callback(lambda v: seen.append(v.shape), x), x * 2)[1], mesh=MESH, in_specs=P("x"), out_specs=P("x"))
        return jit(body)

    return collected(make, put(X, "x"))


@case
def inspected_shardings(jit):
    def make(seen):
        def f(x, w):
            y = x @ w
            jax.debug.inspect_array_sharding(y, callback=lambda s: seen.append(str(s)))
            return y

        return jit(f)

    return collected(make, put(X, "x"), put(W, None, "y"))[0]


@case
def custom_partitioned(jit):
    from jax.experimental.custom_partitioning import custom_partitioning

    @custom_partitioning
    def product(a, b):
        return a @ b

    def partition(mesh, args, result):
        return mesh, lambda a, b: lax.psum(a @ b, "y"), on("x"), (on("x", "y"), on("y"))

    product.def_partition(partition, sharding_rule="i j, j k -> i k", reduction_factors=("j",))
    return jit(lambda a, b: jnp.tanh(product(a, b)))(put(X, "x", "y"), put(W, "y"))


# --- ours alone -----------------------------------------------------------------------------------
def raises(kind, function):
    """Returns the text of the error that the function must raise, or what happened instead."""
    try:
        return f"no error, but {function()!r}"
    except kind as error:
        return str(error)


@case(alone=True)
def questions(tally, jit):
    f, args = jit(mlp, effort=0), (put(X, "x", "y"), put(W, "y"))
    plan = f.partition(*args)
    tally.check("partition", plan.devices == 8 and "all_reduce" in plan.collectives, repr(plan))
    tally.check("stats", f.stats(*args)["bytes_sent_per_device"] == plan.bytes_sent, "")
    tally.check("report", "all_reduce" in f.report(*args), f.report(*args))
    tally.check("explain", "sharding" in str(f.explain(*args, result=0)), "")
    found = f.communication(*args)
    tally.check("communication", found.planned_bytes == plan.bytes_sent == found.compiled_bytes, str(found))
    tally.check("its text", "all_reduce" in str(found), str(found))
    tally.check("a function of jax.jit", isinstance(f, type(jax.jit(mlp))), type(f))
    tally.check("its name", f.__name__.startswith("mlp"), f.__name__)


@case(alone=True)
def search_of_inner_values(tally, jit):
    """Effort 3: arguments and results are whole on each device, the products are not, because computing is slow."""
    machine = os.path.join(os.path.dirname(os.path.abspath(__file__)), "slow_machine.json")
    rng = np.random.default_rng(5)
    x, first, second = (rng.standard_normal(shape, np.float32) / 16 for shape in ((256, 64), (64, 512), (512, 64)))
    layer = lambda x, first, second: jnp.tanh(x @ first) @ second  # noqa: E731
    whole = jax.sharding.NamedSharding(MESH, P())
    plans = {}
    for effort in (2, 3):
        f = jit(layer, effort=effort, machine=machine, in_shardings=whole, out_shardings=whole)
        plans[effort] = f.partition(x, first, second)
        tally.check(f"effort {effort}: results", np.allclose(f(x, first, second), layer(x, first, second), 1e-4, 1e-4), "")
        found = f.communication(x, first, second)
        tally.check(f"effort {effort}: the bytes", found.planned_bytes == plans[effort].bytes_sent == found.compiled_bytes, str(found))
    times = [plans[effort].predicted_seconds for effort in (2, 3)]
    tally.check("effort 3 is faster", times[1] < 0.5 * times[0], times)


@case(alone=True)
def options(tally, jit):
    for text, call in (
        ("effort is 4, expected one of 0, 1, 2, 3", lambda: jit(mlp, effort=4)),
        ("overlap is 'on', expected one of None, 'off', 'rings'", lambda: jit(mlp, overlap="on")),
        ("fallback is 'no', expected one of 'error', 'xla'", lambda: jit(mlp, fallback="no")),
        ("target is 'npu', expected one of None, 'cpu', 'gpu', 'tpu'", lambda: jit(mlp, target="npu")),
        ("machine: cannot read 'nowhere.json'", lambda: jit(mlp, machine="nowhere.json")),
    ):
        told = raises(ValueError, call)
        tally.check(text, text in told, told)
    told = raises(TypeError, lambda: jit(3))
    tally.check("no function", "expected a function, found int" in told, told)
    told = raises(TypeError, lambda: jit(mlp, bogus=1))
    tally.check("no such option", "bogus" in told, told)
    decorated = jit(effort=2, static_argnums=1)(lambda x, n: x.sum(0) * n)
    tally.equal("as a decorator", np.asarray(decorated(put(X, "x"), 2)).shape, (32,), "")
    f = lambda x: lax.with_sharding_constraint(x * 2, P("y"))
    out = jit(f, mesh=MESH, in_shardings=P("x"), out_shardings=P("x", "y"))(X)
    tally.check("specs on a mesh", out.sharding == on("x", "y") and np.array_equal(out, X * 2), out.sharding)
    tally.check("constraints on a mesh", np.array_equal(jit(f, mesh=MESH)(put(X, "x")), X * 2), "")
    rings = jit(lambda x, w: x @ w, overlap="rings", in_shardings=(on("x"), on(None, "x")))
    tally.check("rings", np.allclose(rings(X, W), X @ W, 1e-4, 1e-4), "")
    g = lambda x: x.sum(0)
    one, two = jit(g), jit(g)
    one(put(X, "x"))
    tally.check("the same function is traced once", two._cache_size() == 1, two._cache_size())


@case(alone=True)
def targets(tally, jit):
    """Sums that each device keeps a part of: of full tiles of a TPU, padded ones, split ones, small ones."""
    shapes = ((16, 64, 256), (16, 8, 1990), (16, 8, 2080), (16, 8, 16), (16, 16, 1600))
    for dtype in (np.float32, np.int32, jnp.bfloat16):
        args = [np.arange(np.prod(shape)).reshape(shape) % 5 - 2 for shape in shapes]
        args = [a.astype(dtype) for a in args]
        f = lambda *args: [a.sum(0) for a in args] + [args[0] * 2, args[1][:, :, :8] + 1]
        every, rows = on(("x", "y")), on(("x", "y"), None)
        outs = [rows] * 3 + [on(None, ("x", "y")), rows, on(), on(None, ("x", "y"))]
        expected = [np.asarray(out) for out in f(*(a.astype(np.float32) for a in args))]
        for target in ("cpu", "gpu", "tpu", None):
            g = jit(f, target=target, in_shardings=(every,) * len(args), out_shardings=outs)
            same = [np.array_equal(np.asarray(a, np.float32), e) for a, e in zip(g(*args), expected)]
            tally.check(f"{target}, {np.dtype(dtype)}", all(same), same)
    make = lambda target: jit(f, target=target, in_shardings=(every,) * len(args), out_shardings=outs)
    text = lambda target: make(target).partition(*args).text.split("\n", 1)[1]  # without the name of the module
    tally.equal("the default is the backend's", text(None), text("cpu"), "")
    tally.check("targets differ", len({text(target) for target in ("cpu", "gpu", "tpu")}) == 3, "")
    tally.check("of full tiles", "-> tensor<8x256xbf16>" in text("tpu"), text("tpu"))


REFUSED = make_mesh((2, 3), ("a", "b"), jax.devices()[:6]), make_mesh((3, 2), ("c", "d"), jax.devices()[:6])


@case(alone=True)
def refused_programs(tally, jit):
    """Shardings whose meshes have no common refinement have no region."""
    x, y = put(A(6, 6), "a", mesh=REFUSED[0]), put(A(6, 6), "c", mesh=REFUSED[1])
    f = lambda x, y: x + y
    told = raises(ValueError, lambda: jit(f)(x, y))
    tally.check("says what", "shardwright cannot partition jit_" in told and "2 meshes" in told, told)
    tally.check("says the remedy", "fallback='xla' of shardwright.jax.jit" in told and "jax.jit" in told, told)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        out = jit(f, fallback="xla")(x, y)
    tally.check("falls back", np.allclose(out, np.asarray(x) + np.asarray(y)), "")
    tally.check("and says so", any("compiled as jax.jit compiles it" in str(w.message) for w in caught), [str(w.message) for w in caught])


@case(alone=True)
def refused_by_the_backend(tally, jit):
    f = lambda x: jax.ffi.ffi_call("nobody_has_this", jax.ShapeDtypeStruct(x.shape, x.dtype))(x)
    told = raises(Exception, lambda: jit(f)(put(X, "x")))
    tally.check("says who", "the compiler of cpu refuses Shardwright's partition of jit_" in told and "nobody_has_this" in told, told)
    tally.check("and the remedy", "fallback='xla'" in told, told)
    told = raises(Exception, lambda: jit(lambda x: f(x), fallback="xla")(put(X, "x")))
    tally.check("the error of jax.jit, where it has one too", "nobody_has_this" in told and "fallback" not in told, told)


@case(alone=True)
def regions_inside_of_programs(tally, jit):
    def compare(name, make, rtol=1e-5):
        ours, theirs = (jax.tree.leaves(make(j)) for j in (lambda f: jit(f, nested="region"), jax.jit))
        equal = all(np.allclose(a, b, rtol, rtol * np.max(np.abs(b), initial=0)) for a, b in zip(ours, theirs, strict=True))
        tally.check(name, equal, [ours, theirs])

    def inner(x, w):
        return lax.with_sharding_constraint(jnp.tanh(x @ w), on("x", "y")).sum(1)

    x, w = put(X, "x"), put(W, None, "y")
    compare("in jit", lambda j: jax.jit(lambda x, w, f=j(inner): f(x, w) * 2)(x, w))
    compare("twice", lambda j: jax.jit(lambda x, w, f=j(inner): f(x, w) + f(x * 2, w))(x, w))
    compare("gradient in jit", lambda j: jax.jit(jax.grad(lambda w, f=j(inner): f(X, w).sum()))(w))
    compare("in scan", lambda j: jax.jit(lambda x, w, f=j(inner): lax.scan(lambda c, _: (c + f(x, w), None), jnp.zeros(16), None, length=3))(x, w))
    compare("in vmap", lambda j: jax.jit(jax.vmap(j(inner), (0, None)))(np.stack([X, X * 2]), w))
    compare("in cond", lambda j: jax.jit(lambda x, w, f=j(inner): lax.cond(x[0, 0] > 0, f, lambda x, w: f(x * 2, w), x, w))(x, w))
    compare("in checkpoint", lambda j: jax.jit(jax.grad(lambda w, f=j(inner): jax.checkpoint(f)(X, w).sum()))(w))
    compare("with a captured array", lambda j: jax.jit(lambda x, f=j(lambda x: lax.with_sharding_constraint(x @ w, on("x")) * np.arange(64.0)): f(x))(x))
    lowered = jax.jit(lambda x, w, f=jit(inner, nested="region"): f(x, w) * 2).lower(x, w).as_text()
    tally.check("it is a region", "sdy.manual_computation" in lowered, lowered)
    lowered = jax.jit(lambda x, w, f=jit(inner): f(x, w) * 2)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        from shardwright.jax.elsewhere import nested

        nested._told.clear()
        text = lowered.lower(x, w).as_text()
    tally.check("by default it is none", "sdy.manual_computation" not in text, text)
    tally.check("which is said", any("whose compiler partitions it" in str(w.message) for w in caught), caught)


@case(alone=True)
def exports(tally, jit):
    shapes = jax.ShapeDtypeStruct(X.shape, X.dtype), jax.ShapeDtypeStruct(W.shape, W.dtype)
    exported = shardwright.jax.export(jit(mlp, in_shardings=(on("x"), on(None, "y"))))(*shapes)
    again = jax.export.deserialize(exported.serialize())
    tally.check("contains our partition", "all_reduce" in again.mlir_module(), again.mlir_module())
    out = jax.jit(again.call, in_shardings=(on("x"), on(None, "y")))(X, W)
    tally.check("runs without us", np.allclose(out, jax.jit(mlp)(X, W), 1e-5, 1e-4), "")
    inside = jax.jit(lambda x, w: again.call(x, w) * 2, in_shardings=(on("x"), on(None, "y")))(X, W)
    tally.check("inside of a program", np.allclose(inside, 2 * np.asarray(out)), "")


@case(alone=True)
def threads(tally, jit):
    outs = [None] * 8

    def run(i):
        outs[i] = np.asarray(jit(lambda x: (x * i).sum(0), effort=i % 3)(put(X, "x")))

    running = [threading.Thread(target=run, args=(i,)) for i in range(8)]
    [t.start() for t in running]
    [t.join() for t in running]
    tally.check("programs of several threads", all(np.allclose(o, X.sum(0) * i, 1e-4, 1e-4) for i, o in enumerate(outs)), outs)


def elsewhere(program, **env):
    """Runs a program in a process of its own, and returns its output."""
    env = dict(os.environ, **env, PYTHONPATH=os.pathsep.join(sys.path[:3]))
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, timeout=300)
    return done.stdout if done.returncode == 0 else done.stdout + done.stderr


PROGRAM = """
import jax, numpy as np, shardwright.jax
from jax.sharding import *
mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
x = jax.device_put(np.arange(32.0).reshape(8, 4), NamedSharding(mesh, PartitionSpec("x", "y")))
"""


@case(alone=True)
def persistent_cache(tally, jit):
    with tempfile.TemporaryDirectory() as folder:
        program = PROGRAM + (
            f"jax.config.update('jax_compilation_cache_dir', {folder!r})\n"
            "jax.config.update('jax_persistent_cache_min_compile_time_secs', 0)\n"
            "jax.config.update('jax_persistent_cache_min_entry_size_bytes', -1)\n"
            "from jax._src import monitoring\n"
            "hits = []\n"
            "monitoring.register_event_listener(lambda e, **k: hits.append(e) if 'cache_hits' in e else None)\n"
            "print(shardwright.jax.jit(lambda x: x.sum(0))(x), len(hits))\n"
        )
        first, second = elsewhere(program), elsewhere(program)
        tally.check("a miss", first.endswith(" 0\n"), first)
        tally.check("then a hit", second == first.replace(" 0\n", " 1\n"), second)


@case(alone=True)
def every_program(tally, jit):
    program = PROGRAM + (
        "end = shardwright.jax.take_over()\n"
        "f = lambda x: (x @ x.T).sum(0)\n"
        "print('@main' in str(jax.jit(f).lower(x).compiler_ir()), np.asarray(jax.jit(f)(x)).tolist())\n"
        "from shardwright.jax.elsewhere import rewriting\n"
        "count, original = [], rewriting.partition_text\n"
        "rewriting.partition_text = lambda *a, **k: (count.append(1), original(*a, **k))[1]\n"
        "jax.jit(lambda x: x.sum())(x)\n"
        "(x + 1).sum()\n"
        "ours = len(count)\n"
        "end()\n"
        "jax.jit(lambda x: x.sum() * 2)(x)\n"
        "print(ours >= 2, len(count) == ours)\n"
    )
    x = np.arange(32.0, dtype=np.float32).reshape(8, 4)
    expected = f"True {(x @ x.T).sum(0).tolist()}\nTrue True\n"
    told = elsewhere(program)
    tally.check("take_over", told == expected, told + expected)


@case(alone=True)
def without_private_names(tally, jit):
    program = PROGRAM + (
        "from shardwright.jax import names\n"
        "find = names._resolve\n"
        "names._resolve = lambda place: None if '._src.' in place else find(place)\n"
        "f = shardwright.jax.jit(lambda x, n, *, m: (x * n + m).sum(0), static_argnums=1)\n"
        "plain = jax.jit(lambda x, n, *, m: (x * n + m).sum(0), static_argnums=1)\n"
        "print(type(f).__name__, all(np.array_equal(f(x, n, m=3.0), plain(x, n, m=3.0)) for n in (2, 3, 2)))\n"
        "g = jax.grad(lambda x: f(x, 2, m=0.0).sum())(x)\n"
        "print(np.asarray(g).tolist() == np.full((8, 4), 2.0).tolist(), 'all_reduce' in f.report(x, 2, m=1.0))\n"
        "try: shardwright.jax.take_over()\n"
        "except NotImplementedError as error: print('use shardwright.jax.jit' in str(error))\n"
    )
    told = elsewhere(program)
    tally.check("public names", told == "Jitted True\nTrue True\nTrue\n", told)


@case(alone=True)
def without_shardy(tally, jit):
    program = PROGRAM + (
        "w = jax.device_put(np.arange(12.0).reshape(4, 3), NamedSharding(mesh, PartitionSpec('y')))\n"
        "f = lambda x, w: (x @ w, (x @ w).sum(0))\n"
        "ours, plain = shardwright.jax.jit(f)(x, w), jax.jit(f)(x, w)\n"
        "print([bool(np.allclose(a, b)) and a.sharding.is_equivalent_to(b.sharding, a.ndim) for a, b in zip(ours, plain)])\n"
    )
    told = elsewhere(program, JAX_USE_SHARDY_PARTITIONER="0")
    tally.check("GSPMD propagates", told == "[True, True]\n", told)


@case(alone=True)
def names_of_programs(tally, jit):
    """Names are the same in all processes: they are part of the keys of the cache."""
    program = PROGRAM + "print(shardwright.jax.jit(lambda x: x, effort=2).__name__)\n"
    first, second = elsewhere(program), elsewhere(program, PYTHONHASHSEED="7")
    tally.check("equal names", first == second and re.fullmatch(r"<lambda>_shardwright_[0-9a-f]{8}\n", first), first + second)


@case(alone=True)
def documentation(tally, jit):
    """The program in docs/elsewhere.md prints what the page says."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with open(os.path.join(root, "docs", "elsewhere.md")) as file:
        program, shown = re.search(r"```python\n(.*?)```\n\nprints\n\n```\n(.*?)```", file.read(), re.S).groups()
    told = elsewhere(program)
    tally.check("its output", told == shown, told)
