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
import socket

from shardwright import library

__all__ = ["DEVICE_TYPE", "Plugin", "register", "set_options"]

#: The value of PJRT_DEVICE.
DEVICE_TYPE = "SHARDWRIGHT"

_options = {}


def set_options(**options):
    """Sets options of the client, such as `num_devices=16`. Call it before the first use of a device, in
    every process. `processes=N`: `torch_xla.launch` starts so many processes (1)."""
    _options.update(options)


def _number(variable, default, least=1):
    text = os.environ.get(variable, "")
    if not text:
        return default
    if not text.isdecimal() or int(text) < least:
        raise ValueError(f"environment variable {variable} is '{text}', expected a number from {least}")
    return int(text)


def _launch_processes():
    """The number of processes that `torch_xla.launch` starts."""
    return int(_options.get("processes", 0)) or _number("SHARDWRIGHT_TORCH_PROCESSES", 1)


def _job():
    """Returns (rank, number of processes) of this job, as torchrun or `torch_xla.launch` say."""
    rank = _number("RANK", _number("LOCAL_RANK", 0, least=0), least=0)
    processes = _number("WORLD_SIZE", _number("LOCAL_WORLD_SIZE", 1))
    if rank >= processes:
        raise ValueError(f"the rank of this process is {rank} (RANK), expected less than WORLD_SIZE, {processes}")
    return rank, processes


def client_options():
    """Returns the options of the client. Without `num_devices` the library reads SHARDWRIGHT_NUM_DEVICES."""
    # PyTorch/XLA makes views by DLPack of the platform "cpu" only, whose memory is host memory as ours is.
    options = {"platform_name": "cpu", "torch_xla": True, **_options}
    options.pop("processes", None)
    rank, processes = _job()
    if processes > 1:
        options.update(num_nodes=processes, node_id=rank)
        if os.environ.get("XLA_USE_SPMD") != "1" and not os.environ.get("SHARDWRIGHT_NUM_DEVICES"):
            options.setdefault("num_devices", 1)  # a process for each replica
    return options


def _free_port():
    with socket.socket() as listener:
        listener.bind(("localhost", 0))
        return listener.getsockname()[1]


def _plugin_class():
    from torch_xla.experimental import plugins

    class Plugin(plugins.DevicePlugin):
        """The device type SHARDWRIGHT of PyTorch/XLA."""

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
            processes = _launch_processes()
            if processes > 1:  # called before they are started
                os.environ.setdefault("XLA_COORDINATOR_PORT", str(_free_port()))
            return processes

        def configure_single_process(self):
            pass

        def configure_multiprocess(self, local_rank, local_world_size):
            # Called before `library_path`. PyTorch/XLA cannot send an all_to_all of replicas as StableHLO.
            os.environ.setdefault("XLA_STABLEHLO_COMPILE", "0")
            os.environ.setdefault("LOCAL_RANK", str(local_rank))
            os.environ.setdefault("LOCAL_WORLD_SIZE", str(local_world_size))
            os.environ.setdefault("RANK", os.environ["LOCAL_RANK"])
            os.environ.setdefault("WORLD_SIZE", os.environ["LOCAL_WORLD_SIZE"])

        def requires_xla_coordinator(self):
            # Its key-value store is where the processes find each other.
            if _job()[1] == 1:
                return False
            if os.environ.get("MASTER_PORT"):
                os.environ.setdefault("XLA_COORDINATOR_PORT", str(_number("MASTER_PORT", 0) + 1))
            return True

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
