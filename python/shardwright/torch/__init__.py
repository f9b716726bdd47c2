#===- __init__.py - the plugin for PyTorch/XLA ----------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Runs PyTorch programs on virtual devices, through PyTorch/XLA.

    PJRT_DEVICE=SHARDWRIGHT SHARDWRIGHT_NUM_DEVICES=8 python train.py

`import torch_xla` finds `Plugin` through the entry point `torch_xla.plugins` of the installed package. In
a source tree, `register()` does the same.
"""

import os

from shardwright import library

__all__ = ["DEVICE_TYPE", "Plugin", "register", "set_options"]

#: The value of PJRT_DEVICE.
DEVICE_TYPE = "SHARDWRIGHT"

_options = {}


def set_options(**options):
    """Sets options of the client, such as `num_devices=16`. Call it before the first use of a device."""
    _options.update(options)


def client_options():
    """Returns the options of the client. Without `num_devices` the library reads SHARDWRIGHT_NUM_DEVICES."""
    # PyTorch/XLA makes views by DLPack of the platform "cpu" only, whose memory is host memory as ours is.
    return {"platform_name": "cpu", "torch_xla": True, **_options}


def _plugin_class():
    from torch_xla.experimental import plugins

    class Plugin(plugins.DevicePlugin):
        """The device type SHARDWRIGHT of PyTorch/XLA: one process with all virtual devices."""

        def library_path(self):
            path = library.find()
            if path is None:
                raise ImportError(
                    f"{library.NAME} is not in {library.places()}; build it, or set SHARDWRIGHT_LIBRARY_DIR"
                )
            return path

        def client_create_options(self):
            return client_options()

        def physical_chip_count(self):
            return 1

        def configure_single_process(self):
            pass

        def requires_xla_coordinator(self):
            return False

    return Plugin


def register():
    """Registers the device type with PyTorch/XLA, if the entry point of an installed package has not. Call
    it before the first use of a device."""
    from torch_xla.experimental import plugins

    plugins.use_dynamic_plugins()
    if DEVICE_TYPE not in plugins._plugin_registry:
        plugins.register_plugin(DEVICE_TYPE, _plugin_class()())


def __getattr__(name):
    # A subclass of a class of PyTorch/XLA, which importing this module must not load.
    if name == "Plugin":
        globals()["Plugin"] = plugin = _plugin_class()
        return plugin
    raise AttributeError(f"module 'shardwright.torch' has no attribute '{name}'")
