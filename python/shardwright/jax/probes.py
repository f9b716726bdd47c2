#===- probes.py - tries the features of the plugin ------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""A small program for each feature of the plugin. The programs use only public functions of JAX, except
where the feature itself is private. A probe returns a detail for the report, raises an error if the
feature does not work, or raises `NotInstalled`."""

import ctypes
import glob
import logging
import os
import tempfile

import jax
import jax.numpy as jnp
import numpy as np

from shardwright.jax import PLATFORM


class NotInstalled(Exception):
    """The probe needs a package that is not installed. str() is its name."""


def expect(found, wanted, what="the result"):
    if not np.array_equal(np.asarray(found), np.asarray(wanted)):
        raise ValueError(f"{what} is {found}, expected {wanted}")


# --- before the first use of a backend ----------------------------------------------------


class _Warnings(logging.Handler):
    def __init__(self):
        super().__init__()
        self.texts = []

    def emit(self, record):
        self.texts.append(record.getMessage())


_warnings = _Warnings()
_targets = {}  # name -> what keeps the handler alive


def _register_handler(name):
    """Registers a handler of the untyped interface, which adds one to a float."""

    def add_one(out, operands):
        operand = ctypes.cast(operands, ctypes.POINTER(ctypes.c_void_p))[0]
        ctypes.cast(out, ctypes.POINTER(ctypes.c_float))[0] = ctypes.cast(operand, ctypes.POINTER(ctypes.c_float))[0] + 1

    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(add_one)
    _targets[name] = function
    jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(ctypes.cast(function, ctypes.c_void_p).value), platform="cpu", api_version=0)


def prepare():
    """Must be called before the first use of a backend."""
    logging.getLogger("jax._src.xla_bridge").addHandler(_warnings)
    _register_handler("shardwright_doctor_earlier")


# --- probes -------------------------------------------------------------------------------


def sharded_program():
    from jax.sharding import AxisType, NamedSharding, PartitionSpec

    devices = jax.devices()
    mesh = jax.make_mesh((len(devices),), ("x",), devices=devices, axis_types=(AxisType.Auto,))
    n = 2 * len(devices)
    a = np.arange(n * 4, dtype=np.float32).reshape(n, 4)
    x = jax.device_put(a, NamedSharding(mesh, PartitionSpec("x")))
    y = jax.jit(lambda x: (x @ x.T).sum(0))(x)
    expect(y, (a @ a.T).sum(0))
    return f"{len(devices)} devices, {y.sharding}"


def is_quiet():
    found = [text for text in _warnings.texts if PLATFORM in text and "experimental" in text]
    if found:
        raise ValueError(f"JAX warned: {found[0]}")


def profiles():
    # A new program, because names of programs are written when they run first.
    def shardwright_doctor_profile(x):
        return x * 2

    with tempfile.TemporaryDirectory() as folder:
        with jax.profiler.trace(folder):
            jax.jit(shardwright_doctor_profile)(jnp.ones(3)).block_until_ready()
        path = max(glob.glob(os.path.join(folder, "**", "*.xplane.pb"), recursive=True), key=os.path.getmtime)
        planes = [plane.name for plane in jax.profiler.ProfileData.from_file(path).planes]
    if not any(PLATFORM in name for name in planes):
        raise ValueError(f"the profile has no plane of a device, only {', '.join(planes)}")


def topologies():
    from jax.experimental import topologies

    count = len(topologies.get_topology_desc("4x4", PLATFORM).devices)
    expect(count, 16, "the number of devices")


def donation():
    x = jnp.arange(4.0)
    jax.jit(lambda x: x + 1, donate_argnums=0)(x)
    if not x.is_deleted():
        raise ValueError("the donated array is still there")


def lowering_rules():
    if not np.allclose(jnp.linalg.eigh(jnp.eye(3) * 2)[0], 2):
        raise ValueError("the eigenvalues are wrong")
    return "LAPACK"


def platform_dependent():
    branch = lambda x: jax.lax.platform_dependent(x, cpu=lambda x: x + 1, tpu=lambda x: x + 2, default=lambda x: x + 3)
    expect(jax.jit(branch)(1.0), 2)


def test_helpers():
    import importlib.util

    if importlib.util.find_spec("absl") is None:
        raise NotInstalled("absl-py")
    from jax._src import test_util

    expect(test_util.device_under_test(), "cpu", "the device under test")


def compilation_cache():
    from jax.experimental.compilation_cache import compilation_cache as cache

    names = ("jax_compilation_cache_dir", "jax_persistent_cache_min_compile_time_secs", "jax_persistent_cache_min_entry_size_bytes")
    before = {name: getattr(jax.config, name) for name in names}
    with tempfile.TemporaryDirectory() as folder:
        try:
            for name, value in zip(names, (folder, 0, -1)):
                jax.config.update(name, value)
            cache.reset_cache()
            expect(jax.jit(lambda x: x * 3 + 7)(2.0), 13)
            count = len(os.listdir(folder))
        finally:
            for name, value in before.items():
                jax.config.update(name, value)
            cache.reset_cache()
    if not count:
        raise ValueError("nothing was stored")


def callbacks():
    out, seen = jax.ShapeDtypeStruct((), np.float32), []
    expect(jax.jit(lambda x: jax.pure_callback(lambda a: np.float32(a) + 1, out, x))(1.0), 2)
    jax.jit(lambda x: jax.debug.callback(lambda a: seen.append(float(a)), x, ordered=True))(3.0)
    jax.effects_barrier()
    expect(seen, [3.0], "what the callback saw")


def buffer_callback():
    from jax.experimental.buffer_callback import buffer_callback as call

    def add_one(context, out, x):
        np.asarray(out)[...] = np.asarray(x) + 1

    expect(jax.jit(call(add_one, jax.ShapeDtypeStruct((3,), np.float32)))(jnp.zeros(3)), [1, 1, 1])


def _call_handler(name):
    call = jax.ffi.ffi_call(name, jax.ShapeDtypeStruct((), np.float32), custom_call_api_version=1)
    expect(jax.jit(call)(np.float32(1)), 2)


def foreign_functions():
    _register_handler("shardwright_doctor_later")
    _call_handler("shardwright_doctor_later")
    try:
        from jaxlib.lapack import _lapack

        _lapack.initialize()
        handler = _lapack.registrations()["lapack_spotrf_ffi"]
    except (ImportError, AttributeError, KeyError):
        return "untyped handlers"
    # A handler that was compiled with the FFI headers of this jaxlib.
    jax.ffi.register_ffi_target("shardwright_doctor_typed", handler)
    out = (jax.ShapeDtypeStruct((2, 2), np.float32), jax.ShapeDtypeStruct((), np.int32))
    call = jax.ffi.ffi_call("shardwright_doctor_typed", out, input_output_aliases={0: 0})
    factor, _ = jax.jit(lambda a: call(a, uplo=np.uint8(ord("L"))))(np.eye(2, dtype=np.float32) * 4)
    expect(factor, np.eye(2) * 2)


def earlier_foreign_functions():
    _call_handler("shardwright_doctor_earlier")


def to_dlpack():
    expect(np.from_dlpack(jnp.arange(4)), [0, 1, 2, 3])


def from_dlpack():
    expect({d.platform for d in jnp.from_dlpack(np.arange(4.0, dtype=np.float32)).devices()} == {PLATFORM}, True, "whether it is ours")


def exported_programs():
    program = jax.export.export(jax.jit(lambda x: x * 2), platforms=["cpu"])(jax.ShapeDtypeStruct((3,), np.float32))
    expect(program.call(jnp.ones(3)), [2, 2, 2])


def cost_analysis():
    costs = jax.jit(lambda x: x @ x).lower(jax.ShapeDtypeStruct((8, 8), np.float32)).cost_analysis()
    expect((costs or {}).get("flops", 0), 1024, "the number of operations")


def texts():
    if not hasattr(np.dtypes, "StringDType"):
        raise NotInstalled("numpy 2")
    x = jax.device_put(np.array(["a", "bc"], dtype=np.dtypes.StringDType()), jax.devices()[0])
    expect(np.asarray(x).tolist() == ["a", "bc"], True, "whether the texts are the same")


def views():
    expect(jnp.asarray(memoryview(b"abc"), copy=False), [97, 98, 99])


def host_cpu():
    expect(len(jax.devices("cpu")) > 0, True, "whether there is a CPU")


# feature -> probe; features with a measure have its name (measures.py).
PROBES = {
    "sharded programs": sharded_program,
    "no warning that the platform is experimental": is_quiet,
    "buffer donation": donation,
    "lowering rules of the CPU": lowering_rules,
    "jax.lax.platform_dependent": platform_dependent,
    "callbacks into Python": callbacks,
    "buffer_callback": buffer_callback,
    "foreign functions (jax.ffi)": foreign_functions,
    "foreign functions that were registered earlier": earlier_foreign_functions,
    "views of our arrays by DLPack": to_dlpack,
    "arrays of ours from DLPack": from_dlpack,
    "views of buffers": views,
    "arrays of texts": texts,
    "a CPU backend beside ours": host_cpu,
    "programs exported for the CPU": exported_programs,
    "topologies of absent devices": topologies,
    "persistent compilation cache": compilation_cache,
    "cost_analysis of lowered programs": cost_analysis,
    "profiles (jax.profiler)": profiles,
    "helpers of JAX's own tests": test_helpers,
}
