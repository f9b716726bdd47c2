#===- api.py - JAX's requirements for a backend ---------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Devices, arrays, DLPack, compiled programs, memories, layouts, and the texts of errors, compared
with JAX's CPU backend. The situations are those of JAX's own array, api, pjit, aot, memories,
layout, export and debug tests. Texts are compared with the CPU's names of platforms and devices."""

import copy
import pickle
import re
import tempfile
import warnings

import jax
import jax.numpy as jnp
import numpy as np
from both import J10, J11, case, main
from jax import lax
from jax.sharding import AxisType, NamedSharding, SingleDeviceSharding
from jax.sharding import PartitionSpec as P

A = np.arange(16 * 8, dtype=np.float32).reshape(16, 8) / 16


def mesh(shape=(4, 2), names=("x", "y")):
    return jax.make_mesh(shape, names, axis_types=(AxisType.Auto,) * len(names))


def put(x, *spec, **options):
    return jax.device_put(x, NamedSharding(mesh(), P(*spec), **options))


def plain(text):
    """Replaces our names of platform and devices by the CPU's, and removes addresses and file
    positions."""
    text = re.sub(r"ShardwrightDevice\(id=(\d+)\)", r"CpuDevice(id=\1)", str(text))
    text = re.sub(r"0x[0-9a-f]+", "0x", text)
    text = text.replace("SHARDWRIGHT", "CPU")
    for ours in ("shardwright-cpu", "'shardwright', 'cpu'", "shardwright"):
        text = text.replace(ours, "'cpu'" if "," in ours else "cpu")
    # After XLA's text our errors add more.
    return re.sub(r" \((not enough memory .*|array .*|devices are numbered .*|/\S+:\d+)\)$", "", text)


def said(function, *args, **kwargs):
    """Returns the text of the error of a call."""
    try:
        result = jax.block_until_ready(function(*args, **kwargs))
        return f"nothing: {plain(type(result).__name__)}"
    except Exception as error:
        return f"{type(error).__name__}: {plain(error)}"


def warned(function, *args):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        jax.block_until_ready(function(*args))
    return sorted(plain(w.message) for w in caught)


# --- devices and clients ------------------------------------------------------------------


@case
def devices():
    d = jax.devices()[3]
    backend = d.client
    return dict(
        counts=[jax.device_count(), jax.local_device_count(), jax.process_count(), jax.process_index(), backend.process_index()],
        ids=[x.id for x in jax.local_devices()], hardware=d.local_hardware_id, process=d.process_index,
        text=[plain(d), plain(repr(d))], equal=str(d == jax.devices()[3]), hashes=str(hash(d) == hash(jax.devices()[3])),
        memories=sorted(m.kind for m in d.addressable_memories()), default=d.default_memory().kind,
        memory=[plain(d.memory("pinned_host").kind), str(d.memory("device") == d.default_memory())],
        of=str([x.id for x in d.default_memory().addressable_by_devices()]), slices=str(getattr(d, "slice_index", None)),
        platform=plain(d.platform), backend=plain(jax.default_backend()),
        mesh=[x.id for x in mesh().devices.flat],
    )  # fmt: skip


@case
def devices_that_are_not_there():
    d = jax.devices()[0]
    return [
        said(d.memory, "vmem"), said(lambda: d.no_such_attribute),
        said(lambda: jax.devices()[0].client.device_from_local_hardware_id(77)),
        said(jax.devices, "nothing_like_it").split(":")[0],
    ]  # fmt: skip


@case
def live_arrays():
    before = len(jax.live_arrays())
    kept = [jnp.arange(4.0), put(A, "x")]
    during = len(jax.live_arrays()) - before
    kept[0].delete()
    deleted = len(jax.live_arrays()) - before
    del kept
    return during, deleted, len(jax.live_arrays()) - before


@case
def chosen_devices():
    with jax.default_device(jax.devices()[5]):
        x = jnp.arange(3.0) * 2
        y = jax.jit(lambda v: v + 1)(np.arange(3.0))
    z = jax.jit(lambda v: v * 3)(jax.device_put(1.0, jax.devices()[2]))
    ids = lambda v: sorted(d.id for d in v.devices())
    return ids(x), ids(y), ids(z), ids(x + y), str([v.committed for v in (x, y, z)])


@case
def asked_platforms():
    from jax._src import test_util

    with test_util.assert_global_configs_unchanged():
        jnp.ones(2) + 1
    return str(len(jax.config.jax_platforms.split(",")))


# --- arrays -------------------------------------------------------------------------------


@case
def arrays():
    x, one = put(A, "x", None), jnp.arange(6, dtype=jnp.int32).reshape(2, 3)
    return dict(
        shards=str([(plain(s.device), s.index, s.replica_id, s.data.shape) for s in x.addressable_shards]),
        bytes=[x.nbytes, x.on_device_size_in_bytes(), one.on_device_size_in_bytes()], plain=plain(repr(x)),
        flags=str([x.is_fully_addressable, x.is_fully_replicated, x.committed, one.committed, x.is_deleted(), x.is_ready()]),
        aligned=one.unsafe_buffer_pointer() % 16, iteration=[np.asarray(row) for row in one], shard=x.addressable_data(1),
        layout=plain(one.format.layout), sharding=plain(x.sharding), one=plain(one.sharding), weak=str(jnp.asarray(3.0).weak_type),
        item=one[1, 2].item(), text=plain(f"{one[0, 1]} {one}"), index=[10, 20, 30][one[0, 1]], boolean=str(bool(one[0, 0])),
        numbers=[float(one[0, 2]), int(one[1, 0]), complex(one[0, 1])], matches=str(np.asarray(x) is np.asarray(x)),
        writeable=str(np.asarray(one).flags.writeable), platforms=sorted({plain(d.platform) for d in x.devices()}),
    )  # fmt: skip


@case
def sizes_on_the_device():
    names = "bool int2 uint2 int4 uint4 int8 int16 int32 float8_e4m3fn float8_e8m0fnu float4_e2m1fn bfloat16 complex64".split()
    return {n: [jnp.zeros((3, 5), n).on_device_size_in_bytes(), jnp.zeros((3, 5), n).nbytes] for n in names}


@case
def narrow_integers():
    out = {}
    for name in "int2 uint2 int4 uint4".split():
        x = jnp.asarray(np.array([[0, 1, -2, 1], [1, 0, 1, -1]]).astype(getattr(jnp, name)))
        out[name] = [x, x.astype(jnp.int8), jax.jit(lambda v: v + v)(x), x.T, plain(repr(x))]
        out[name + " sharded"] = jax.jit(lambda v: v * 3)(put(np.tile(np.asarray(x), (8, 1)), "x", "y"))
    return out


@case
def float8_and_float4():
    out, values = {}, np.array([[0.5, 1, -2, 1.5], [3, 0.1, 100, -7]], np.float32)
    for name in "float8_e4m3fn float8_e4m3b11fnuz float8_e5m2 float8_e5m2fnuz float8_e4m3fnuz float8_e3m4 float8_e4m3 float8_e8m0fnu float4_e2m1fn".split():
        x = jnp.asarray(values).astype(name)
        out[name] = [x, x.astype(jnp.float32), jax.device_put(np.asarray(x)), x.reshape(4, 2), x < x[::-1]]
        out[name + " arithmetic"] = said(lambda: (x + x).astype(jnp.float32))
    return out


@case
def copies():
    x = put(A, "x", "y")
    deep, shallow, pickled = copy.deepcopy(x), copy.copy(x), pickle.loads(pickle.dumps(x))
    x.copy_to_host_async()
    aliased = jnp.array(x, copy=True)
    x.delete()
    return deep, shallow, pickled, aliased, plain([v.sharding for v in (deep, shallow, pickled, aliased)])


@case
def of_single_device_arrays():
    s = NamedSharding(mesh(), P("x", "y"))
    parts = [jax.device_put(A[i], d) for d, i in s.addressable_devices_indices_map(A.shape).items()]
    make = jax.make_array_from_single_device_arrays
    return [
        make(A.shape, s, parts), jax.make_array_from_callback(A.shape, s, lambda i: A[i]),
        jax.make_array_from_process_local_data(s, A), said(make, A.shape, s, parts[:-1]), said(make, (16, 16), s, parts),
        said(make, A.shape, s, parts[::-1]), said(make, A.shape, s, [parts[0]] * 8),
        said(make, A.shape, s, [*parts[:-1], parts[-1].astype(jnp.int32)]),
    ]  # fmt: skip


@case
def deleted():
    def gone():
        x = jnp.arange(6.0)
        x.delete()
        return x

    uses = dict(
        add=lambda x: x + 1, numpy=np.asarray, block=lambda x: x.block_until_ready(),
        put=lambda x: jax.device_put(x, jax.devices()[1]), shards=lambda x: x.addressable_shards, data=lambda x: x.addressable_data(0),
        pointer=lambda x: x.unsafe_buffer_pointer(), size=lambda x: x.on_device_size_in_bytes(), text=repr, pickle=pickle.dumps,
        jit=lambda x: jax.jit(jnp.sin)(x), asynchronous=lambda x: x.copy_to_host_async(), dlpack=lambda x: x.__dlpack__(),
        twice=lambda x: x.delete(), shape=lambda x: x.shape, format=lambda x: x.format, index=lambda x: x[0],
        copy=lambda x: copy.deepcopy(x), get=jax.device_get, devices=lambda x: x.devices(), array=lambda x: jnp.array(x),
    )  # fmt: skip
    out = {name: said(use, gone()) for name, use in uses.items()}
    x = put(A, "x")
    x.delete()
    return dict(out, sharded=said(lambda: x + 1), moved=said(jax.device_put, x, jax.devices()[0]))


@case
def donated():
    f = jax.jit(lambda x, y: x + y, donate_argnums=0)
    x, y = jnp.ones(8), jnp.ones(8)
    pointer, out = x.unsafe_buffer_pointer(), f(x, y)
    x2 = put(A, "x")
    jax.jit(lambda v: v * 2, donate_argnums=0)(x2)
    z = jnp.ones(4)
    moved = jax.device_put(z, jax.devices()[2], donate=True)
    return dict(
        reused=str(out.unsafe_buffer_pointer() == pointer), flags=str([x.is_deleted(), y.is_deleted(), x2.is_deleted()]),
        again=said(f, x, y), sharded=said(lambda: x2 + 1), unusable=warned(jax.jit(lambda v: v.sum(), donate_argnums=0), jnp.ones(5)),
        host=np.asarray(moved), other=str(z.is_deleted()),
        tree=said(jax.jit(lambda d: d["a"] + d["b"], donate_argnums=0), dict(a=y, b=y)),
    )  # fmt: skip


# --- placing ------------------------------------------------------------------------------


@case
def wrong_places():
    m, d = mesh(), jax.devices()
    on = lambda x, i: jax.device_put(x, d[i])
    uneven = NamedSharding(m, P("x", "y"))
    f = jax.jit(lambda x, y: x + y)
    compiled = jax.jit(lambda x: x * 2).lower(jax.ShapeDtypeStruct((16, 8), jnp.float32, sharding=uneven)).compile()
    return dict(
        two=said(f, on(1.0, 0), on(1.0, 1)), one_and_many=said(f, on(A, 3), put(A, "x")),
        uneven=said(jax.device_put, np.ones((6, 3)), uneven), rank=said(jax.device_put, np.ones(4), uneven),
        # JAX 0.11 and later refuse this on the CPU only.
        constraint="" if J11 else said(jax.jit(lambda x: lax.with_sharding_constraint(x, uneven)), np.ones((6, 3), np.float32)),
        argument=said(jax.jit(lambda x: x, in_shardings=uneven), np.ones((6, 4), np.float32)),
        result=said(jax.jit(lambda x: x[:3], out_shardings=uneven), A), kind=said(lambda: NamedSharding(m, P(), memory_kind="hbm")),
        aot_shape=said(compiled, np.ones((4, 4), np.float32)), aot_type=said(compiled, np.ones((16, 8), np.int32)),
        aot_sharding=said(compiled, put(A, "y")), aot_tree=said(compiled, (A, A)),
        axis=said(lambda: NamedSharding(m, P("z"))), twice=said(lambda: NamedSharding(m, P("x", "x"))),
        shard_map=said(jax.shard_map(lambda x: x, mesh=m, in_specs=P("x"), out_specs=P("x")), np.ones((6,), np.float32)),
        pmap=said(jax.pmap(lambda x: x), np.ones((9, 2))), sizes=said(jax.pmap(lambda x, y: x + y), np.ones((8, 2)), np.ones((4, 2))),
        too_many=said(jax.make_mesh, (16,), ("x",)),
    )  # fmt: skip


@case
def transfer_guards():
    x = jnp.arange(4.0)
    out = []
    with jax.transfer_guard("disallow"):
        out += [said(lambda: jnp.sin(np.arange(3.0))), said(lambda: x + 1), said(np.asarray, x), said(jax.device_put, np.ones(3))]
        out += [said(lambda: jax.jit(lambda a, b: a + b)(x, jax.device_put(x, jax.devices()[1])))]
    with jax.transfer_guard("disallow_explicit"):
        out += [said(jax.device_put, np.ones(3)), said(jax.device_put, x, jax.devices()[2])]
    with jax.transfer_guard_device_to_host("disallow"):
        out += [said(np.asarray, x + 2)]
    return out


@case
def huge():
    shape = (1 << 22, 1 << 22)
    return dict(
        zeros=said(jnp.zeros, shape).split(" ")[0], jit=said(jax.jit(lambda x: jnp.broadcast_to(x, shape)), 1.0),
    )


@case
def options_of_the_compiler():
    f = lambda x: x + 1
    with_options = lambda **o: said(jax.jit(f, compiler_options=o), 1.0)
    lowered = jax.jit(f).lower(1.0)
    return dict(
        unknown=with_options(invalid_key="invalid_value"), value=with_options(xla_embed_ir_in_executable="invalid_value"),
        number=with_options(xla_dump_max_hlo_modules="a"), repeated=with_options(xla_gpu_auto_spmd_partitioning_memory_budget_ratio="x"),
        aot=said(lowered.compile, {"invalid_key": "invalid_value"}),
        aot_value=said(lowered.compile, {"xla_embed_ir_in_executable": "invalid_value"}),
        fine=with_options(xla_embed_ir_in_executable=True, xla_dump_max_hlo_modules=200, xla_gpu_auto_spmd_partitioning_memory_budget_ratio=0.5),
        level=with_options(exec_time_optimization_effort=0.3), string=with_options(xla_embed_ir_in_executable="True"),
    )  # fmt: skip


@case
def unknown_custom_call():
    f = lambda x: jax.ffi.ffi_call("no_such_target", jax.ShapeDtypeStruct(x.shape, x.dtype))(x)
    return said(jax.jit(f), jnp.arange(4.0))


@case
def nans():
    out, zero = [], jnp.zeros(3)
    with jax.debug_nans(True):
        out += [said(lambda: zero / zero), said(jax.jit(lambda x: jnp.log(x - 1)), zero), said(jax.jit(lambda x: x * 2), zero)]
        out += [said(jax.grad(lambda x: jnp.sqrt(x)[0]), zero), said(lambda: put(A, "x") / put(A, "x"))]
    with jax.debug_infs(True):
        out += [said(lambda: 1 / zero), said(jax.jit(jnp.exp), zero + 1000)]
    # The error contains the path of the source of the NaN.
    return [re.sub(r"\n.*", "", text, flags=re.S) for text in out]


@case
def checks():
    from jax.experimental import checkify

    def f(x):
        checkify.check(x[0] > 0, "first is {a}, not positive", a=x[0])
        return jnp.log(x)[jnp.int32(9)]

    out = []
    for errors in (checkify.user_checks, checkify.float_checks, checkify.index_checks, checkify.all_checks):
        for x in (A[0] - 1, A[0], A[1]):
            error, _ = checkify.checkify(jax.jit(f), errors=errors)(x)
            out.append(re.sub(r"(at|in) \S+:\d+.*", "", str(error.get())))
    return out


# --- DLPack and other views ---------------------------------------------------------------


@case
def dlpack():
    out = {}
    for name in "bool int8 uint16 int32 float16 float32 complex64".split():
        x = jnp.arange(6).reshape(2, 3).astype(name)
        out[name] = [np.from_dlpack(x), jnp.from_dlpack(x), jax.dlpack.from_dlpack(np.arange(6).astype(name))]
    out["bfloat16"] = jnp.from_dlpack(jnp.arange(4, dtype=jnp.bfloat16))
    x = jnp.arange(4.0)
    y = jnp.from_dlpack(np.arange(8, dtype=np.float32))
    out["device"] = [str(x.__dlpack_device__()), plain(sorted(map(str, y.devices()))), str(y.committed)]
    out["view"] = str(np.from_dlpack(x).ctypes.data == x.unsafe_buffer_pointer())
    out["used"] = [y + jnp.arange(8.0), jax.jit(jnp.sin)(y)]
    out["strides"] = [jnp.from_dlpack(np.arange(12.0, dtype=np.float32).reshape(3, 4).T), said(lambda: jnp.from_dlpack(np.arange(12.0)[::2], copy=False)).split(":")[0]]
    out["empty"] = [np.from_dlpack(jnp.zeros((0, 2))), np.from_dlpack(jnp.float32(3))]
    out["placed"] = jnp.from_dlpack(x, device=jax.devices()[0])
    return out


@case
def dlpack_errors():
    x = jnp.arange(4.0)
    s = put(A, "x")
    return [
        said(s.__dlpack__), said(s.__dlpack_device__), said(jnp.from_dlpack, 3), said(jnp.from_dlpack, x.__dlpack__()),
        said(x.__dlpack__, dl_device=(2, 0)), said(x.__dlpack__, max_version=(0, 1)), said(lambda: x.__cuda_array_interface__),
        said(lambda: x.__array_interface__), said(lambda: s.unsafe_buffer_pointer()), said(lambda: memoryview(x)),
        said(lambda: s.__cuda_array_interface__), said(lambda: jnp.array(["a", "b"])), said(lambda: x.device_buffer),
    ]  # fmt: skip


@case
def numpy_functions():
    x = jnp.arange(6.0).reshape(2, 3)
    return np.sum(x), np.add(x, 1), np.asarray(x, dtype=np.int32), np.array(x, copy=True), np.concatenate([x, x]), np.asarray(x.T)


@case
def strings():
    texts = np.array(["abc", "def"], dtype=np.dtypes.StringDType())
    x = jax.device_put(texts, jax.devices()[0])
    return plain(np.asarray(x)), plain(x.dtype), plain(np.asarray(jax.device_put(np.array([texts] * 8), NamedSharding(mesh(), P("x")))))


# --- compiled programs --------------------------------------------------------------------


@case
def compiled():
    s = NamedSharding(mesh(), P("x", "y"))
    f = lambda x, y: (jnp.dot(x, y.T), {"sum": x.sum()})
    lowered = jax.jit(f, in_shardings=(s, None), donate_argnums=0).lower(A, A)
    c = lowered.compile()
    inner = c.runtime_executable()
    analysis = c.memory_analysis()
    return dict(
        shardings=plain(c.input_shardings), formats=plain(c.input_formats), out=plain(jax.tree.structure(c.output_shardings)),
        trees=[plain(c.in_tree), plain(c.out_tree)], donated=plain(c.donate_argnums), info=plain(c.args_info), avals=plain(c.in_avals),
        text=str([type(c.as_text()).__name__, c.as_text()[:9], type(lowered.as_text()).__name__, lowered.as_text("hlo")[:9]]),
        costs=[str(c.cost_analysis()["flops"] > 500), str(sorted(k for k in lowered.cost_analysis() if k in ("flops", "bytes accessed")))],
        lowered=lowered.cost_analysis()["flops"],
        memory=[analysis.argument_size_in_bytes, analysis.alias_size_in_bytes],
        parts=[len(inner.hlo_modules()), inner.hlo_modules()[0].name, len(inner.local_devices()), str(inner.get_output_memory_kinds())],
        run=c(A, A)[1], again=str(isinstance(inner.fingerprint, bytes)), out_shardings=len(inner.get_output_shardings()),
        params=len(inner.get_parameter_shardings()), results=len(jax.tree.leaves(c.output_formats)),
    )  # fmt: skip


@case
def module_texts():
    lowered = jax.jit(lambda x: jnp.sin(x) @ x).lower(jnp.ones((4, 4)))
    return [
        str("stablehlo.sine" in lowered.as_text()), str("HloModule" in lowered.as_text("hlo")),
        str("HloModule" in lowered.compile().as_text()), plain(type(lowered.compiler_ir("hlo")).__name__),
        str("loc(" in lowered.as_text(debug_info=True)), said(lowered.as_text, "nothing"),
        said(lambda: jax.jit(jnp.sin).trace(1.0).lower(lowering_platforms=("tpu",)).compile()),
    ]  # fmt: skip


@case
def cleared():
    f = jax.jit(lambda x: x * 2)
    x = jnp.arange(4.0)
    first = f(x)
    jax.clear_caches()
    second = f(x)
    f.clear_cache()
    return first, second, f(x), jax.jit(jnp.sum)(first), f._cache_size()


@case
def cached_on_disk():
    from jax._src import compilation_cache, monitoring

    events = []
    monitoring.register_event_listener(lambda name, **_: events.append(name))
    names = ("cache_hits", "cache_misses", "tasks_using_cache", "task_disabled_cache")
    found = []
    with tempfile.TemporaryDirectory() as folder:
        jax.config.update("jax_compilation_cache_dir", folder)
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
        compilation_cache.reset_cache()
        try:
            for _ in range(2):
                jax.clear_caches()
                found.append(jax.jit(lambda x: jnp.sin(x) * 3)(np.arange(4.0, dtype=np.float32)))
                found.append(jax.jit(lambda x: x.sum(), in_shardings=NamedSharding(mesh(), P("x")))(np.arange(8.0, dtype=np.float32)))
            counts = [sum(e.endswith("/" + n) for e in events) for n in names[:2]]
        finally:
            jax.config.update("jax_compilation_cache_dir", None)
            compilation_cache.reset_cache()
    return found, counts


@case
def exported_for_the_cpu():
    from jax import export

    f = jax.jit(lambda a: (jnp.linalg.cholesky(a @ a.T + jnp.eye(4)), jnp.sort(a)))
    e = export.export(f, platforms=["cpu"])(jax.ShapeDtypeStruct((4, 4), jnp.float32))
    a = A[:4, :4]
    gradient = export.export(jax.jit(lambda a: jnp.sin(a).sum()), platforms=["cpu"])(a)
    return e.call(a), jax.jit(e.call)(a + 1), jax.grad(gradient.call)(a), str(e.platforms)


@case
def exported_elsewhere():
    from jax import export

    e = export.export(jax.jit(jnp.sin), platforms=["tpu"])(A)
    both = export.export(jax.jit(jnp.cos), platforms=["cpu", "tpu"])(A)
    sharded = export.export(jax.jit(lambda x: x * 2, in_shardings=NamedSharding(mesh(), P("x"))))(A)
    symbolic = export.export(jax.jit(lambda x: jnp.concatenate([x, x]).sum(0)), platforms=["cpu"])(
        jax.ShapeDtypeStruct(export.symbolic_shape("b, 8"), jnp.float32))  # fmt: skip
    return [
        said(e.call, A), both.call(A), sharded.nr_devices, said(sharded.call, A), jax.jit(sharded.call)(put(A, "x")),
        symbolic.call(A), symbolic.call(A[:3]), said(symbolic.call, A[:, :3]),
    ]  # fmt: skip


# --- memories and layouts -----------------------------------------------------------------


@case
def memories():
    m = mesh()
    host, device = NamedSharding(m, P("x"), memory_kind="pinned_host"), NamedSharding(m, P("x"))
    x = jax.device_put(A, host)
    kinds = lambda *values: [v.sharding.memory_kind for v in values]
    y = jax.jit(lambda v: v * 2, out_shardings=host)(put(A, "x"))
    z = jax.jit(lambda v: jax.device_put(v, jax.memory.Space.Device) + 1)(x)
    w = jax.jit(lambda v: jax.device_put(v * 3, jax.memory.Space.Host), out_shardings=host)(put(A, "x"))
    one = jax.device_put(1.0, SingleDeviceSharding(jax.devices()[1], memory_kind="pinned_host"))
    return dict(
        values=[x, y, z, w, one], kinds=kinds(x, y, z, w, one, put(A, "x")), back=kinds(jax.device_put(x, device)),
        mixed=said(jax.jit(lambda a, b: a + b), x, put(A, "x")), same=said(jax.jit(lambda a: a * 2), x).split(":")[0],
        kind=said(lambda: NamedSharding(m, P("x"), memory_kind="nothing")), program=jax.jit(lambda v: v, in_shardings=host, out_shardings=device)(x),
    )  # fmt: skip


@case
def offloaded_residuals():
    from jax.ad_checkpoint import checkpoint_name

    policy = jax.checkpoint_policies.save_and_offload_only_these_names(
        names_which_can_be_saved=["z"], names_which_can_be_offloaded=["y"], offload_src="device", offload_dst="pinned_host")

    def layer(x, w):
        y = checkpoint_name(jnp.sin(x @ w), "y")
        z = checkpoint_name(jnp.sin(y @ w.T), "z")
        return jnp.sin(z), None

    def loss(x, ws):
        return lax.scan(jax.checkpoint(layer, policy=policy), x, ws)[0].sum()

    ws = np.stack([A[:8, :8] / 8] * 3)
    return jax.jit(jax.value_and_grad(loss, argnums=(0, 1)))(A[:4], ws)


@case
def computed_on_the_host():
    from jax.experimental.compute_on import compute_on

    decorate = compute_on("device_host") if J10 else compute_on(compute_type="device_host", out_memory_spaces=jax.memory.Space.Device)

    @decorate
    @jax.jit
    def on_host(x):
        return jnp.sin(x) * 2

    return jax.jit(lambda x: on_host(x + 1) * 3)(A), jax.grad(lambda x: on_host(x).sum())(A)


@case
def layouts():
    from jax.experimental.layout import Format, Layout

    x = put(A, "x")
    f = jax.jit(lambda v: v.T, in_shardings=Format(Layout.AUTO, x.sharding), out_shardings=Format(Layout.AUTO))
    c = f.lower(jax.ShapeDtypeStruct(A.shape, A.dtype)).compile()
    formats = jax.tree.leaves(c.input_formats) + jax.tree.leaves(c.output_formats)
    return c(jax.device_put(A, formats[0])), plain(x.format), str([f.layout.major_to_minor for f in formats][:1])


# --- tracing and transformations that meet the backend ------------------------------------


@case(rtol=1e-4, atol=1e-5)
def solvers():
    from jax.experimental import ode
    from jax.experimental.sparse import BCOO, linalg

    a = A[:8, :8] + 8 * np.eye(8, dtype=np.float32)
    spd = a @ a.T
    theta, _, _ = linalg.lobpcg_standard(spd, jnp.eye(8, 1), m=40)
    m = BCOO.fromdense(A * (A > 2))
    y = ode.odeint(lambda y, t: -y * t, jnp.ones(3), jnp.linspace(0.0, 2.0, 5))
    return theta, m @ A.T, (m.T @ m).todense(), y, jax.grad(lambda k: ode.odeint(lambda y, t: -k * y, 1.0, jnp.array([0.0, 1.0]))[1])(0.5)


@case
def multihost_utilities():
    from jax.experimental import mesh_utils, multihost_utils

    multihost_utils.sync_global_devices("here")
    return [
        multihost_utils.broadcast_one_to_all(np.arange(3.0)), multihost_utils.process_allgather(np.arange(3.0)),
        str([d.id for d in mesh_utils.create_device_mesh((4, 2)).flat]), multihost_utils.process_allgather(put(A, "x"), tiled=True),
    ]  # fmt: skip


@case
def explicit_shardings():
    m = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
    with jax.set_mesh(m):
        x = jax.device_put(A, P("x", "y"))
        f = jax.jit(lambda v: (str(jax.typeof(v)), jnp.sin(v) @ jax.sharding.reshard(v, P(None, None)).T)[1])
        y = f(x)
        return [
            y, plain(y.sharding), plain(jax.typeof(x)), plain(x[None].sharding), said(lambda: x @ x.T), plain(x.sum(0).sharding),
            said(lambda: x.reshape(128)), plain(jnp.zeros((8, 4), out_sharding=P("y")).sharding),
        ]  # fmt: skip


@case
def unreduced_shardings():
    explicit = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
    with jax.set_mesh(explicit):
        x, w = jax.device_put(A, P("x", "y")), jax.device_put(A[:8], P("y", None))
        part = jax.jit(lambda x, w: jnp.einsum("ij,jk->ik", x, w, out_sharding=P("x", None, unreduced={"y"})))
        whole = lambda v: jax.sharding.reshard(v, P("x"))
        u = part(x, w)
        return [
            plain(u.sharding), whole(u), jax.jit(lambda u: whole(u + u))(u), said(jax.jit(lambda u, v: whole(u - v)), u, u),
            jax.jit(lambda u: jax.sharding.reshard(u, P("x", "y")))(u), jax.grad(lambda x: whole(part(x, w)).sum())(x),
            said(lambda: jnp.sin(u)), said(lambda: u * u),
        ]  # fmt: skip


@case
def unreduced_of_whole_values():
    """One device's part is the value, the parts of the others are zero."""
    with jax.set_mesh(jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)):
        x = jax.device_put(A, P())
        parts = jax.jit(lambda v: jax.sharding.reshard(v @ v.T, P(unreduced={"x"})))
        u, rows = parts(x), jax.sharding.reshard(x, P("x", unreduced={"y"}))
        moved = jax.jit(lambda v: jax.sharding.reshard(v, P(None, "y", unreduced={"x"})))(jax.device_put(A, P("x", "y")))
        whole = lambda v: jax.sharding.reshard(v, P())
        said_by = lambda f: plain(f.lower(x).compile().output_shardings)
        return [
            plain(u.sharding), said_by(parts), [np.asarray(part) for part in u._arrays], whole(u), plain(rows.sharding),
            [np.asarray(part) for part in rows._arrays], whole(rows), jax.jit(lambda v: whole(parts(v)))(x),
            plain(moved.sharding), [np.asarray(part) for part in moved._arrays], whole(moved),
        ]  # fmt: skip


@case
def heap_profile():
    import jax.profiler

    return str(len(jax.profiler.device_memory_profile()) > 0)


@case
def compiled_once():
    from jax._src import test_util

    f = jax.jit(lambda x: x + 1)
    with test_util.count_jit_and_pmap_lowerings() as count:
        f(jnp.arange(3.0)), f(jnp.arange(3.0)), f(np.arange(3.0, dtype=np.float32))
    return str(count() <= 2), f._cache_size()


@case
def errors_of_callbacks():
    def bad(x):
        raise ValueError("not this time")

    shape = jax.ShapeDtypeStruct((), jnp.float32)
    found = said(jax.jit(lambda x: jax.pure_callback(bad, shape, x)), 1.0)
    return found.split(":")[0], str("not this time" in found), str("ValueError" in found)


# --- special cases for the platform's name in JAX and its tests --------------------------------


@case
def rules_of_the_cpu():
    from jax._src import dispatch
    from jax._src.lib.mlir.dialects import hlo
    from jax.experimental import pallas
    from jax.extend.core import Primitive
    from jax.interpreters import mlir

    jnp.ones(2) + 1  # initialises the platform before the rule is registered
    doubled = Primitive("doubled")
    doubled.def_abstract_eval(lambda x: x)
    doubled.def_impl(lambda x: dispatch.apply_primitive(doubled, x))
    mlir.register_lowering(doubled, lambda ctx, x: [hlo.add(x, x)], platform="cpu")
    named = lambda x: lax.platform_dependent(x, cpu=jnp.sin, tpu=jnp.cos, default=jnp.tan)
    others = lambda x: lax.platform_dependent(x, tpu=jnp.cos, default=jnp.tan)
    only = lambda x: lax.platform_dependent(x, cpu=jnp.sin, tpu=jnp.cos)
    none = lambda x: lax.platform_dependent(x, tpu=jnp.cos)
    x = jnp.arange(1.0, 4.0)
    compiled = pallas.pallas_call(lambda i, o: None, out_shape=x)
    return [
        doubled.bind(x), jax.jit(doubled.bind)(x), named(x), jax.jit(named)(x), jax.vmap(jax.grad(named))(x), jax.jit(others)(x),
        jax.jit(only)(x), said(jax.jit(none), x), said(compiled, x),
    ]  # fmt: skip


@case
def solved_by_scipy():
    from jax.experimental.sparse.linalg import spsolve

    # Two elements on the diagonal, one above it.
    values, columns = jnp.array([2.0, 1, 2, 1, 2]), jnp.array([0, 1, 1, 2, 2])
    solve = lambda b: spsolve(values, columns, jnp.array([0, 2, 4, 5]), b)
    return solve(jnp.ones(3)), jax.jit(solve)(jnp.arange(3.0)), jax.grad(lambda b: solve(b).sum())(jnp.ones(3))


@case
def helpers_of_tests():
    from jax._src import test_util

    return str([test_util.device_under_test(), test_util.test_device_matches(["cpu"]), test_util.test_device_matches(["gpu", "tpu"])])


@case
def copies_on_the_same_device():
    out = []
    for options in dict(), dict(may_alias=True), dict(may_alias=False):
        x = jnp.arange(4.0) + 1
        y = jax.device_put(x, jax.devices()[0], **options)
        out.append(str(x.unsafe_buffer_pointer() == y.unsafe_buffer_pointer()))
        x.delete()
        out.append(said(lambda: np.asarray(y).tolist()))
    return out


@case
def names_in_compiled_programs():
    def named(x, weight):
        with jax.named_scope("scope"):
            return lax.psum(jnp.sin(x) @ weight, "x")

    f = jax.shard_map(named, mesh=mesh(), in_specs=(P("x"), P()), out_specs=P())
    text = jax.jit(f).lower(A, A[:8]).compile().as_text()
    names = set(re.findall(r'op_name="([^"]*)"', text))
    return str([name in names for name in ("x", "weight")]), str([any(n.endswith(e) for n in names) for e in ("scope/sin", "scope/dot_general")])


@case
def callbacks_of_64_bits():
    with jax.enable_x64(True):
        shape = jax.ShapeDtypeStruct((), jnp.float64)
        f = jax.jit(lambda x: jax.pure_callback(lambda v: jnp.sin(v) + np.float64(1e-12), shape, x))
        return f(1.0), str(f(0.0) == 1e-12)


@case
def factors_of_nans():
    x = np.eye(4, dtype=np.float32)
    out = []
    for i, j in (0, 0), (2, 1), (3, 3):
        y = x.copy()
        y[i, j] = y[j, i] = np.nan
        out += [jnp.linalg.cholesky(y), jnp.linalg.cholesky(y, upper=True), jnp.linalg.cholesky(y.astype(np.complex64))]
    return out


@case
def views_of_buffers():
    x = np.arange(32, dtype=np.float32)
    return jnp.asarray(x, copy=False), jnp.asarray(memoryview(b"abc"), copy=False), said(jnp.array, x, copy=False)


if __name__ == "__main__":
    main(__doc__)
