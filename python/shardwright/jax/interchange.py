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
import inspect

from shardwright.jax import names


def _on_host(x):
    """Returns the same memory as an array of the CPU backend."""
    import jax
    import numpy as np

    return jax.device_put(np.asarray(x), jax.local_devices(backend="cpu")[0], may_alias=True)


def _is_on(x, platform):
    devices = x.devices()
    return len(devices) == 1 and next(iter(devices)).platform == platform


def install_to_dlpack(changes, plugin):
    """`np.from_dlpack(x)` views our memory. The view keeps its array alive."""
    places = ("jax._src.array:ArrayImpl", "jaxlib._jax:ArrayImpl")

    def wrapper(original):
        def of_host_array(self, *args, **kwargs):
            return original(_on_host(self) if _is_on(self, plugin.platform) else self, *args, **kwargs)

        return of_host_array

    for method in ("__dlpack_device__", "__dlpack__"):
        changes.wrap(*(f"{place}.{method}" for place in places), wrapper=wrapper)


def install_from_dlpack(changes, plugin):
    """`jnp.from_dlpack` without a device returns an array of ours, as a view if the memory is aligned,
    as on the CPU."""
    import jax
    import jax.extend.backend
    import numpy as np

    def wrapper(original):
        signature = inspect.signature(original)

        def from_dlpack(*args, **kwargs):
            call = signature.bind(*args, **kwargs)
            device = call.arguments.pop("device", None)
            default = jax.config.jax_default_device or jax.extend.backend.get_backend()
            places = device.device_set if hasattr(device, "device_set") else {device or default}
            if len(places) != 1 or any(getattr(p, "platform", p) != plugin.platform for p in places):
                return original(*args, **kwargs)
            found = original(*call.args, **call.kwargs)
            if {d.platform for d in found.devices()} != {"cpu"}:
                return found if device is None else jax.device_put(found, device)
            if device is None:
                device = default if hasattr(default, "local_hardware_id") else jax.local_devices()[0]
            return jax.device_put(np.asarray(found), device, may_alias=True)

        return from_dlpack

    # jax.numpy.from_dlpack calls the private one.
    changes.wrap(
        "jax._src.dlpack:from_dlpack", "jax.dlpack:from_dlpack", "jax.numpy:from_dlpack",
        takes=("device", "copy"), wrapper=wrapper,
    )  # fmt: skip


def install_export(changes, plugin):
    """Makes programs that were exported for the CPU run on our platform."""
    lower = names.find("jax._src.export._export:_call_exported_lowering", takes=("exported",))
    primitive = names.find("jax._src.export._export:call_exported_p")
    platform = plugin.platform

    def call_exported(*args, exported, **params):
        if platform not in exported.platforms and "cpu" in exported.platforms:
            platforms = tuple(platform if p == "cpu" else p for p in exported.platforms)
            exported = dataclasses.replace(exported, platforms=platforms)
        return lower(*args, exported=exported, **params)

    changes.register_lowering(primitive, call_exported, platform)


def install_cost_analysis(changes, plugin):
    """`lowered.cost_analysis()` counts the operations of the program, independently of the platform."""
    import jax

    count = names.find("jaxlib._jax:hlo_module_cost_analysis", "jaxlib.xla_client:_xla.hlo_module_cost_analysis")

    def wrapper(original):
        def cost_analysis(self, *args, **kwargs):
            if self.compile_args["backend"].platform != plugin.platform:
                return original(self, *args, **kwargs)
            return count(jax.local_devices(backend="cpu")[0].client, self.hlo().as_hlo_module())

        return cost_analysis

    changes.wrap("jax._src.interpreters.pxla:MeshComputation.cost_analysis", wrapper=wrapper)


def install_strings(changes, plugin):
    """Arrays of strings are stored on the host, as on the CPU."""

    def wrapper(original):
        def check(s, *args, **kwargs):
            device = next(iter(s.device_set)) if hasattr(s, "device_set") else s
            if getattr(device, "platform", None) != plugin.platform:
                original(s, *args, **kwargs)

        return check

    changes.wrap("jax._src.api:_check_string_compatible_sharding", wrapper=wrapper)


def install_views(changes, plugin):
    """`jnp.asarray(x, copy=False)` accepts objects with the buffer protocol, because our memory is
    host memory."""

    def wrapper(original):
        def get_platform(*args, **kwargs):
            found = original(*args, **kwargs)
            return "cpu" if found == plugin.platform else found

        return get_platform

    changes.wrap("jax._src.numpy.array_constructors:_get_platform", wrapper=wrapper)
