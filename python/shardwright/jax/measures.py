#===- measures.py - adds our platform to JAX's lists ----------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""JAX keeps lists of platforms in Python. Each measure here makes one feature work on our platform,
where possible through public functions, otherwise through private names (`names`). A measure that
fails is undone and recorded, and costs this feature only; `python -m shardwright.doctor` tries all
features.

There is no check of JAX's version. `TESTED` lists the versions that the tests run with."""

from shardwright import library
from shardwright.jax import buffers, callbacks, ffi, interchange, names, registration, rules

TESTED = ("0.10.2", "0.11.2", "0.12.0.1")

# feature -> why its measure was not applied, or None
outcome = {}


def _donation(changes, plugin):
    changes.include("jax._src.interpreters.mlir:_platforms_with_donation", plugin.platform)


def _compilation_cache(changes, plugin):
    """The persistent cache: our executables can be serialised like the CPU's."""
    import types

    known = types.SimpleNamespace(platform="cpu", supports_executable_serialization=True)

    def wrapper(original):
        def is_cache_used(backend, *args, **kwargs):
            return original(known if backend.platform == plugin.platform else backend, *args, **kwargs)

        return is_cache_used

    changes.wrap("jax._src.compilation_cache:is_cache_used", takes=("backend",), wrapper=wrapper)


def _host_cpu(changes, plugin):
    """Callbacks get arrays on the host's CPU backend, so that backend must exist as well. The user's
    list of platforms is not changed: while JAX reads it, our platform stands for both. Where JAX
    has no such aliases, the CPU is added to the list."""
    import jax

    asked = (jax.config.jax_platforms or "").split(",")
    if plugin.platform not in asked or "cpu" in asked:
        return
    try:
        stands_for = names.find("jax._src.xla_bridge:_alias_to_platforms")

        def wrapper(start):
            def init_backend(*args, **kwargs):
                stands_for.pop(plugin.platform, None)
                return start(*args, **kwargs)

            return init_backend

        changes.wrap("jax._src.xla_bridge:_init_backend", wrapper=wrapper)
        stands_for[plugin.platform] = [plugin.platform, "cpu"]
        changes.on_undo(lambda: stands_for.pop(plugin.platform, None))
    except (names.Missing, TypeError):
        changes.undo()
        jax.config.update("jax_platforms", ",".join([*asked, "cpu"]))


def _test_helpers(changes, plugin):
    """`jax._src.test_util` treats the device as a CPU, unless --jax_test_dut names another: the CPU's
    tests, types and tolerances apply to our platform. The module may be imported already or later."""
    import sys

    import jax

    class DeviceUnderTest:
        def __init__(self, flag):
            self._flag = flag

        @property
        def value(self):
            return self._flag.value or ("cpu" if jax.default_backend() == plugin.platform else "")

    if "jax._src.test_util" in sys.modules:
        flag = names.find("jax._src.test_util:_TEST_DUT")
        changes.set(sys.modules["jax._src.test_util"], "_TEST_DUT", DeviceUnderTest(flag))
        return

    def wrapper(string_flag):
        def flag(*args, **kwargs):
            found = string_flag(*args, **kwargs)
            return DeviceUnderTest(found) if "jax_test_dut" in (*args, *kwargs.values()) else found

        return flag

    changes.wrap("jax._src.config:string_flag", wrapper=wrapper)


# Measures to apply before and after the platform is registered.
BEFORE = {
    "no warning that the platform is experimental": registration.suppress_warning,
}
AFTER = {
    "profiles (jax.profiler)": registration.register_profiler,
    "buffer donation": _donation,
    "lowering rules of the CPU": rules.install,
    "jax.lax.platform_dependent": rules.install_platform_dependent,
    "helpers of JAX's own tests": _test_helpers,
    "persistent compilation cache": _compilation_cache,
    "callbacks into Python": callbacks.install,
    "buffer_callback": buffers.install,
    "foreign functions (jax.ffi)": ffi.install,
    "foreign functions that were registered earlier": ffi.install_earlier,
    "views of our arrays by DLPack": interchange.install_to_dlpack,
    "arrays of ours from DLPack": interchange.install_from_dlpack,
    "programs exported for the CPU": interchange.install_export,
    "cost_analysis of lowered programs": interchange.install_cost_analysis,
    "arrays of texts": interchange.install_strings,
    "views of buffers": interchange.install_views,
    # Rules that are registered later would apply to both platforms.
    "a CPU backend beside ours": _host_cpu,
}


def apply(measures, plugin):
    for feature, measure in measures.items():
        changes = names.Changes()
        try:
            measure(changes, plugin)
            outcome[feature] = None
        except Exception as error:  # a version of JAX that is unlike the known ones
            changes.undo()
            outcome[feature] = str(error) if isinstance(error, names.Missing) else f"{type(error).__name__}: {error}"
