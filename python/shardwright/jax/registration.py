#===- registration.py - registers the platform with JAX ------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Registers the plugin's library as a backend of JAX: through `register_plugin`, which JAX documents
for plugins, or through the public `register_backend_factory` where that is missing."""

import dataclasses
import functools
import re
from typing import Any, Callable

from shardwright.jax import names


@dataclasses.dataclass
class Plugin:
    """The platform that is registered. `options()` returns the options of the client."""

    platform: str
    path: str
    priority: int
    options: Callable[[], dict]
    #: the capsule of the loaded library
    c_api: Any = None
    #: whether JAX registered the profiler of the library
    has_profiler: bool = False
    #: whether JAX warns about the platform unless it is registered as a factory
    needs_factory: bool = False


def client_options(given):
    """Returns the options of the client: those given, and those that the version of jaxlib determines.
    Before 0.11, JAX's arrays of 2 and 4 bits had a byte for each element on the device."""
    try:
        version = [int(n) for n in re.findall(r"\d+", names.find("jaxlib:__version__"))[:2]]
    except names.Missing:
        return dict(given)  # the library assumes the newest version
    return {"packed_sizes": version >= [0, 11], **given}


def suppress_warning(changes, plugin):
    """Suppresses the warning about an experimental platform. Called before `register`."""
    try:
        changes.include("jax._src.xla_bridge:_nonexperimental_plugins", plugin.platform)
    except names.Missing:
        names.find("jax.extend.backend:register_backend_factory", takes=("priority", "experimental"))
        plugin.needs_factory = True


def _client(plugin):
    if not names.find("jaxlib.xla_client:pjrt_plugin_initialized")(plugin.platform):
        names.find("jaxlib.xla_client:initialize_pjrt_plugin")(plugin.platform)
    options, service = _in_job(plugin.options())
    return names.find("jaxlib.xla_client:make_c_api_client")(plugin.platform, options, service)


def _in_job(options):
    """Returns the options of a client, and the service by which the processes of a job find each other: None unless
    `jax.distributed` is initialized."""
    try:
        state = names.find("jax._src.distributed:global_state")
    except names.Missing:
        return options, None
    if state.client is None:
        return options, None
    found = {"node_id": state.process_id, "num_nodes": state.num_processes}
    if getattr(state, "partition_index", None) is not None:
        found["partition_index"] = state.partition_index
    return {**found, **options}, state.client


def _register_factory(plugin):
    place = "jax.extend.backend:register_backend_factory"
    register = names.find(place, takes=("priority",))
    if plugin.c_api is None:
        plugin.c_api = names.find("jaxlib.xla_client:load_pjrt_plugin_dynamically")(plugin.platform, plugin.path)
    offered = dict(fail_quietly=False, experimental=False, c_api=plugin.c_api)
    try:
        topology = names.find("jaxlib.xla_client:make_c_api_device_topology")
        offered["make_topology"] = functools.partial(topology, plugin.c_api)
    except names.Missing:
        pass
    offered = {name: value for name, value in offered.items() if names.takes(register, name)}
    register(plugin.platform, functools.partial(_client, plugin), priority=plugin.priority, **offered)


def register(plugin):
    """Registers the platform. Raises `names.Missing` if this version of JAX offers no way."""
    try:
        register_plugin = names.find("jax._src.xla_bridge:register_plugin", takes=("priority", "library_path", "options"))
    except names.Missing:
        _register_factory(plugin)
        return
    plugin.c_api = register_plugin(
        plugin.platform, priority=plugin.priority, library_path=plugin.path, options=plugin.options
    )
    plugin.has_profiler = True
    if plugin.needs_factory:
        _register_factory(plugin)


def register_profiler(changes, plugin):
    """Makes `jax.profiler` record our devices. Called after `register`."""
    if not plugin.has_profiler:
        names.find("jaxlib._profiler:register_plugin_profiler", "jax._src.lib:_profiler.register_plugin_profiler")(plugin.c_api)
