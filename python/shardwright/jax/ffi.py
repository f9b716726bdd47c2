#===- ffi.py - foreign functions of the user ----------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""jax.ffi on our platform: handlers that are registered for the CPU, or for our platform, run here
too.

JAX stores handlers of `jax.ffi.register_ffi_target` for its own backends in jaxlib. Handlers of
other platforms are passed to a registered function (`register_custom_call_handler`). We record the
CPU's handlers when they are registered, and read those that were registered before the plugin was
loaded from jaxlib's list.
"""

import ctypes

from shardwright import library
from shardwright.jax import names

# jaxlib's own handlers: ours are built in, or they need private parts of jaxlib.
_OWN = ("lapack_", "xla_", "dce_sink", "tridiagonal_solve_perturbed", "cpu_csr_sparse")
STAGES = ("instantiate", "prepare", "initialize", "execute")

_name = ctypes.pythonapi.PyCapsule_GetName
_name.restype, _name.argtypes = ctypes.c_char_p, [ctypes.py_object]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def pointer(capsule):
    return _pointer(capsule, _name(capsule))


def _raise(bridge, error):
    if error:
        raise RuntimeError(bridge.message(error))


def register_target(bridge, name, target, api_version=1, traits=0):
    """Registers a handler. `target` is a capsule or, for a typed handler (`api_version` 1), a dict
    from stage to capsule."""
    encoded = name.encode()
    if api_version == 0:
        _raise(bridge, bridge.register_untyped(encoded, len(encoded), pointer(target)))
        return
    stages = target if isinstance(target, dict) else {"execute": target}
    handlers = (ctypes.c_void_p * 4)(*(pointer(stages[s]) if stages.get(s) else None for s in STAGES))
    _raise(bridge, bridge.register_ffi(encoded, len(encoded), handlers, int(traits or 0)))


def register_type(bridge, name, target):
    if not isinstance(target, dict) or "type_id" not in target:
        raise ValueError(f"the type '{name}' of foreign functions needs a dictionary with its 'type_id'")
    info = pointer(target["type_info"]) if target.get("type_info") else None
    encoded = name.encode()
    _raise(bridge, bridge.register_ffi_type(encoded, len(encoded), pointer(target["type_id"]), info))


def _is_ours(name):
    return not name.startswith(_OWN)


def install(changes, plugin):
    """Registers handlers for the CPU and for our platform with the plugin, too."""
    bridge = library.Bridge(plugin.path)
    handled = False
    try:
        register_types = names.find("jaxlib.xla_client:register_custom_type_handler")
        register_calls = names.find("jaxlib.xla_client:register_custom_call_handler")
        # Register types first: handlers that create states need them.
        register_types(plugin.platform, lambda name, target, *_, **__: register_type(bridge, name, target))
        register_calls(
            plugin.platform,
            lambda name, target, _platform, api_version=1, traits=0, **_: register_target(
                bridge, name, target, api_version, traits
            ),
        )
        handled = True
    except names.Missing:
        pass  # the wrappers below register handlers of our platform

    def registers(platform):
        return platform == "cpu" or (platform == plugin.platform and not handled)

    def target_wrapper(original):
        def register_ffi_target(name, fn, platform="cpu", api_version=1, **options):
            original(name, fn, platform=platform, api_version=api_version, **options)
            if not registers(platform):
                return
            try:
                register_target(bridge, name, fn, api_version, options.get("traits", 0))
            except RuntimeError:
                # A module of JAX that registers a handler can be imported without this handler.
                if _is_ours(name):
                    raise

        return register_ffi_target

    def type_wrapper(original):
        def register_ffi_type(name, type_registration, platform="cpu", **options):
            original(name, type_registration, platform=platform, **options)
            if registers(platform):
                register_type(bridge, name, type_registration)

        return register_ffi_type

    changes.wrap(
        "jax.ffi:register_ffi_target", "jax._src.ffi:register_ffi_target",
        takes=("name", "fn", "platform", "api_version"), wrapper=target_wrapper,
    )  # fmt: skip
    changes.wrap(
        "jax.ffi:register_ffi_type", "jax._src.ffi:register_ffi_type",
        takes=("name", "type_registration", "platform"), wrapper=type_wrapper,
    )  # fmt: skip


def install_earlier(changes, plugin):
    """Handlers from before the plugin was loaded: pending for the CPU's backend, or already
    registered with it."""
    bridge = library.Bridge(plugin.path)
    types = names.find("jaxlib.xla_client:_custom_type_id")
    calls = names.find("jaxlib.xla_client:_custom_callback")
    registered = names.find("jaxlib.xla_client:custom_call_targets")
    for name, target in list(types.get("Host", ())):
        register_type(bridge, name, target)
    for name, target, api_version, traits, *_ in list(calls.get("Host", ())):
        if _is_ours(name):
            register_target(bridge, name, target, api_version, traits)
    for name, target in registered("Host").items():
        if _is_ours(name):
            try:
                register_target(bridge, name, target)
            except RuntimeError:
                pass  # untyped handlers, and those whose types are registered too late
