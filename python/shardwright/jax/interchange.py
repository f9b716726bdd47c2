#===- interchange.py - exchange of arrays and programs with the CPU -------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Our devices use host memory. So their arrays can be viewed through DLPack as the CPU's can, can hold
strings, and can be arguments of programs that were exported for the CPU. The costs of programs are
counted before compilation."""

import dataclasses


def install_dlpack(platform):
    """`np.from_dlpack(x)` views our memory. `jnp.from_dlpack` without a device returns an array of
    ours, as a view if the memory is aligned, as on the CPU."""
    import jax
    import numpy as np
    from jax._src import array, dlpack, xla_bridge

    of_device, packed, unpacked = array.ArrayImpl.__dlpack_device__, dlpack._to_dlpack, dlpack.from_dlpack

    def on_host(x):
        """Returns the same memory as an array of the CPU backend."""
        return jax.device_put(np.asarray(x), jax.local_devices(backend="cpu")[0], may_alias=True)

    def dlpack_device(self):
        if len(self._arrays) == 1 and self.platform() == platform:
            return dlpack.DLDeviceType.kDLCPU, 0
        return of_device(self)

    def to_dlpack(x, stream=None, src_device=None, device=None, copy=None):
        if src_device is None:
            (src_device,) = x.devices()
        if src_device.platform != platform:
            return packed(x, stream=stream, src_device=src_device, device=device, copy=copy)
        # A view keeps its array alive.
        x = on_host(x)
        return packed(x, stream=stream, src_device=None, device=device, copy=copy)

    def from_dlpack(external_array, device=None, copy=None):
        places = device.device_set if hasattr(device, "device_set") else {device or xla_bridge.get_backend()}
        ours = len(places) == 1 and all(p.platform == platform for p in places)
        if not ours:
            return unpacked(external_array, device=device, copy=copy)
        found = unpacked(external_array, copy=copy)
        if {d.platform for d in found.devices()} != {"cpu"}:
            return found if device is None else jax.device_put(found, device)
        return jax.device_put(np.asarray(found), jax.devices()[0] if device is None else device, may_alias=True)

    from_dlpack.__doc__, from_dlpack.__module__ = unpacked.__doc__, unpacked.__module__
    array.ArrayImpl.__dlpack_device__ = dlpack_device
    dlpack._to_dlpack = to_dlpack
    for module in (dlpack, jax.dlpack):
        module.from_dlpack = from_dlpack


def install_export(platform):
    """Makes programs that were exported for the CPU run on our platform."""
    from jax._src.export import _export
    from jax._src.interpreters import mlir

    lower = _export._call_exported_lowering

    def call_exported(ctx, *args, exported, **params):
        if platform not in exported.platforms and "cpu" in exported.platforms:
            names = tuple(platform if p == "cpu" else p for p in exported.platforms)
            exported = dataclasses.replace(exported, platforms=names)
        return lower(ctx, *args, exported=exported, **params)

    mlir.register_lowering(_export.call_exported_p, call_exported, platform=platform)


def install_cost_analysis(platform):
    """`lowered.cost_analysis()` counts the operations of the program, independently of the platform."""
    import jax
    from jax._src.interpreters import pxla
    from jaxlib import _jax

    analyse = pxla.MeshComputation.cost_analysis

    def cost_analysis(self):
        if self.compile_args["backend"].platform != platform:
            return analyse(self)
        return _jax.hlo_module_cost_analysis(jax.local_devices(backend="cpu")[0].client, self.hlo().as_hlo_module())

    pxla.MeshComputation.cost_analysis = cost_analysis


def install_strings(platform):
    """Arrays of strings are stored on the host, as on the CPU."""
    from jax._src import api, sharding, util

    compatible = api._check_string_compatible_sharding

    @util.cache(max_size=2048, trace_context_in_key=False)
    def check(s):
        device = s._internal_device_list[0] if isinstance(s, sharding.Sharding) else s
        if getattr(device, "platform", None) != platform:
            compatible(s)

    api._check_string_compatible_sharding = check


def install_views(platform):
    """`jnp.asarray(x, copy=False)` accepts objects with the buffer protocol, because our memory is
    host memory."""
    from jax._src.numpy import array_constructors

    platform_of = array_constructors._get_platform

    def get_platform(device_or_sharding):
        found = platform_of(device_or_sharding)
        return "cpu" if found == platform else found

    array_constructors._get_platform = get_platform
