#===- __init__.py - the plugin for JAX ----------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Runs JAX programs on virtual devices, through Shardwright's propagation and partitioner.

    JAX_PLATFORMS=shardwright SHARDWRIGHT_NUM_DEVICES=8 python train.py

JAX finds the plugin through the entry point `jax_plugins` and calls `initialize`. Modules, in the
order in which they are needed: `shardwright.library` (the shared library and its functions beyond PJRT), `names`
(private names of JAX), `registration`, `measures` (adds our platform to JAX's lists), `callbacks`
(Python functions that programs call).

`jit`, `take_over`, `export` and `communication` (package `elsewhere`) run our partition on JAX's other
platforms. They are loaded when they are used.
"""

import threading

from shardwright import library
from shardwright.jax import measures, registration

__all__ = ["PLATFORM", "communication", "export", "initialize", "jit", "set_options", "take_over"]

PLATFORM = "shardwright"
# Lower than the CPU's (0): installing the package does not change the default platform.
PRIORITY = -10

_options = {}
_lock = threading.Lock()
_plugin = None


def set_options(**options):
    """Sets options of the client, such as `num_devices=16`. Call it before the first use of JAX."""
    _options.update(options)


def initialize():
    """Registers the platform with JAX. JAX calls it before the first use of a backend, and more than
    once if the package is installed and on the module path; later calls do nothing."""
    global _plugin
    with _lock:
        if _plugin is not None:
            return
        path = library.find()
        if path is None:
            raise ImportError(
                f"{library.NAME} is not in {library.places()}; build it, or set SHARDWRIGHT_LIBRARY_DIR"
            )
        plugin = registration.Plugin(PLATFORM, path, PRIORITY, lambda: registration.client_options(_options))
        measures.apply(measures.BEFORE, plugin)
        registration.register(plugin)
        _plugin = plugin
        measures.apply(measures.AFTER, plugin)


def __getattr__(name):
    if name in ("communication", "export", "jit", "take_over"):
        from shardwright.jax import elsewhere

        return getattr(elsewhere, name)
    raise AttributeError(f"module 'shardwright.jax' has no attribute '{name}'")
