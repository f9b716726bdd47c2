#===- measures.py - adds our platform to JAX's lists ----------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""JAX keeps lists of platforms in Python. Each measure here adds our platform to one of them, through
a private name of JAX 0.10. A measure whose name does not exist is skipped and recorded; `python -m
shardwright.doctor` prints all measures."""

TESTED = (0, 10)

# name -> why it was not applied, or None
outcome = {}


def _donation(platform, path):
    from jax._src.interpreters import mlir

    if platform not in mlir._platforms_with_donation:
        mlir._platforms_with_donation.append(platform)


def _rules(platform, path):
    from shardwright.jax import rules

    rules.install(platform)


def _callbacks(platform, path):
    from shardwright.jax import callbacks, library

    callbacks.install(platform, library.Bridge(path))


def _ffi(platform, path):
    from shardwright.jax import ffi, library

    ffi.install(platform, library.Bridge(path))


def _compilation_cache(platform, path):
    """The persistent cache: our executables can be serialised like the CPU's."""
    import types

    from jax._src import compilation_cache

    original = compilation_cache.is_cache_used
    known = types.SimpleNamespace(platform="cpu", supports_executable_serialization=True)
    compilation_cache.is_cache_used = lambda backend: original(known if backend.platform == platform else backend)


def _dlpack(platform, path):
    from shardwright.jax import interchange

    interchange.install_dlpack(platform)


def _export(platform, path):
    from shardwright.jax import interchange

    interchange.install_export(platform)


def _costs(platform, path):
    from shardwright.jax import interchange

    interchange.install_cost_analysis(platform)


def _strings(platform, path):
    from shardwright.jax import interchange

    interchange.install_strings(platform)


def _views(platform, path):
    from shardwright.jax import interchange

    interchange.install_views(platform)


def _host_cpu(platform, path):
    """Callbacks get arrays on the host's CPU backend, so that backend must exist as well. The user's
    list of platforms is not changed: while JAX reads it, our platform stands for both."""
    from jax._src import config, xla_bridge

    asked = (config.jax_platforms.value or "").split(",")
    if platform not in asked or "cpu" in asked:
        return
    stands_for, start = xla_bridge._alias_to_platforms, xla_bridge._init_backend

    def init_backend(name):
        stands_for.pop(platform, None)
        xla_bridge._init_backend = start
        return start(name)

    stands_for[platform] = [platform, "cpu"]
    xla_bridge._init_backend = init_backend


def _test_helpers(platform, path):
    """`jax._src.test_util` treats the device as a CPU, unless --jax_test_dut names another: the CPU's
    tests, types and tolerances apply to our platform. The module may be imported already or later."""
    import sys

    from jax._src import config, xla_bridge

    class DeviceUnderTest:
        def __init__(self, flag):
            self._flag = flag

        @property
        def value(self):
            return self._flag.value or ("cpu" if xla_bridge.get_backend().platform == platform else "")

    if "jax._src.test_util" in sys.modules:
        module = sys.modules["jax._src.test_util"]
        module._TEST_DUT = DeviceUnderTest(module._TEST_DUT)
        return
    string_flag = config.string_flag

    def flag(name, *args, **kwargs):
        found = string_flag(name, *args, **kwargs)
        return DeviceUnderTest(found) if name == "jax_test_dut" else found

    config.string_flag = flag


def _experimental(platform, path):
    """Suppresses the warning about an experimental platform."""
    from jax._src import xla_bridge

    known = xla_bridge._nonexperimental_plugins
    if isinstance(known, set):
        known.add(platform)
    else:
        xla_bridge._nonexperimental_plugins = type(known)([*known, platform])


# Measures to apply before and after the platform is registered.
BEFORE = {
    "no warning that the platform is experimental": _experimental,
}
AFTER = {
    "buffer donation": _donation,
    "lowering rules of the CPU": _rules,
    "helpers of JAX's own tests": _test_helpers,
    "persistent compilation cache": _compilation_cache,
    "callbacks into Python": _callbacks,
    "foreign functions (jax.ffi)": _ffi,
    "DLPack": _dlpack,
    "programs exported for the CPU": _export,
    "cost_analysis of lowered programs": _costs,
    "arrays of texts": _strings,
    "views of buffers": _views,
    # Rules that are registered later would apply to both platforms.
    "a CPU backend beside ours": _host_cpu,
}


def apply(measures, platform, path):
    import jax

    version = tuple(int(part) for part in jax.__version__.split(".")[:2])
    for name, measure in measures.items():
        if version != TESTED:
            outcome[name] = f"JAX {jax.__version__} is not one that this was tested with"
            continue
        try:
            measure(platform, path)
            outcome[name] = None
        except Exception as error:  # a private name that this version of JAX lacks
            outcome[name] = f"{type(error).__name__}: {error}"
