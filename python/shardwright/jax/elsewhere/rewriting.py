#===- rewriting.py - a lowered module in region form ----------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Replaces a lowered program by the same program, partitioned by us: one `sdy.manual_computation` around
the per-device program, which a backend's compiler does not partition again."""

import contextlib
import functools
import json
import math

from shardwright import library


@functools.lru_cache(maxsize=None)
def bridge():
    path = library.find()
    if path is None:
        raise ImportError(f"{library.NAME} is not in {library.places()}; build it, or set SHARDWRIGHT_LIBRARY_DIR")
    return library.Bridge(path)


def partition_text(text, options, devices, choose_parameters=(), choose_results=(), shardy=True, embed=None, functions=True):
    """Returns the library's answer for a module's text: `module`, the region form, and `statistics`, as
    `shardwright partition --stats=json` prints them. If `embed` is a name, the entry is a private
    function of this name. `functions`: elementwise functions of CHLO, such as erf, stay as they are, for
    jaxlib to expand. Raises ValueError if the program cannot be partitioned. Python's lock is free
    during the call."""
    request = dict(
        options.request(),
        devices=devices,
        choose_parameters=[bool(x) for x in choose_parameters],
        choose_results=[bool(x) for x in choose_results],
        shardy=shardy,
        functions=functions,
    )
    if embed is not None:
        request["embed"] = embed
    return json.loads(bridge().inspect("region", json.dumps(request), text.encode()))


def text_of(module):
    return module.operation.get_asm(enable_debug_info=True)


def devices_of(module):
    """Returns the number of devices of a lowered module."""
    from jax.extend.mlir import ir

    attributes = module.operation.attributes
    counts = [attributes[name] for name in ("mhlo.num_partitions", "mhlo.num_replicas") if name in attributes]
    return math.prod(ir.IntegerAttr(count).value for count in counts)


def region_module(module, options, compile_options, devices):
    """Returns a new module in the context of `module`, which does not change."""
    import jax
    from jax.extend.mlir import ir

    build = compile_options.executable_build_options
    answer = partition_text(
        text_of(module),
        options,
        devices,
        build.allow_spmd_sharding_propagation_to_parameters,
        build.allow_spmd_sharding_propagation_to_output,
        bool(getattr(jax.config, "jax_use_shardy_partitioner", True)),
    )
    context = module.context
    with context, ir.Location.unknown(context):
        return ir.Module.parse(answer["module"], context=context)


_FIELDS = (
    "use_shardy_partitioner",
    "allow_spmd_sharding_propagation_to_parameters",
    "allow_spmd_sharding_propagation_to_output",
)


@contextlib.contextmanager
def partitioned_options(compile_options):
    """Sets the options for a module in region form: all its shardings are final. Restores them at the
    end."""
    build = compile_options.executable_build_options
    before = {name: getattr(build, name) for name in _FIELDS}
    before = {name: list(value) if not isinstance(value, bool) else value for name, value in before.items()}
    try:
        build.use_shardy_partitioner = True
        for name in _FIELDS[1:]:
            setattr(build, name, [False] * max(len(before[name]), 1))
        yield
    finally:
        for name, value in before.items():
            setattr(build, name, value)
