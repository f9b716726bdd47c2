#===- hook.py - partitions programs before JAX compiles them --------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""JAX compiles every program of several devices through one private function. We wrap it: it gets our
region form of a program that is ours to partition, before the key of the persistent compilation cache is
made."""

import inspect
import threading
import warnings

from shardwright.jax import names
from shardwright.jax.elsewhere import marks, rewriting

_PLACE = "jax._src.compiler:compile_or_get_cached"
_NEEDED = ("backend", "computation", "devices", "compile_options")
_lock = threading.Lock()
_state = {}  # `missing`: why the function cannot be wrapped, or None


def install():
    """Wraps JAX's function once. Returns None, or why this version of JAX does not allow it."""
    with _lock:
        if "missing" not in _state:
            changes = names.Changes()
            try:
                changes.wrap(_PLACE, takes=_NEEDED, wrapper=_wrapper)
                _state["missing"] = None
            except names.Missing as missing:
                changes.undo()
                _state["missing"] = str(missing)
        return _state["missing"]


def module_name(module):
    from jax.extend.mlir import ir

    return ir.StringAttr(module.operation.attributes["sym_name"]).value


def _wrapper(original):
    signature = inspect.signature(original)

    def compile_or_get_cached(*args, **kwargs):
        call = signature.bind(*args, **kwargs)
        backend, module, devices, compile_options = (call.arguments[name] for name in _NEEDED)
        name = module_name(module)
        options = marks.options_of(name, backend.platform)
        if options is None or devices.size < 2:
            return original(*args, **kwargs)
        if backend.platform == "shardwright":
            # Our own platform partitions every program; only the options are new.
            overrides = list(compile_options.env_option_overrides)
            compile_options.env_option_overrides = [*overrides, ("shardwright_partition_effort", str(options.effort))]
            return original(*args, **kwargs)

        def compile_region():
            ours = options.on(backend.platform)
            call.arguments["computation"] = rewriting.region_module(module, ours, compile_options, devices.size)
            with rewriting.partitioned_options(compile_options):
                return original(*call.args, **call.kwargs)

        return guarded(name, options, backend.platform, compile_region, lambda: original(*args, **kwargs))

    return compile_or_get_cached


def guarded(name, options, platform, compile_region, compile_plain):
    """Compiles a program in region form. If we or the backend refuse it, compiles it as it is and warns,
    or raises an error that says so, as the options want it."""
    try:
        return compile_region()
    except Exception as error:
        from jax.extend.mlir import ir

        ours = isinstance(error, (ValueError, ir.MLIRError))  # JAX's parser may refuse our text
        if not ours and not isinstance(error, RuntimeError):
            raise
        who = "shardwright cannot partition" if ours else f"the compiler of {platform} refuses Shardwright's partition of"
        text = f"{who} {marks.plain(name)}: {str(error).removeprefix('INVALID_ARGUMENT: ')}"
        if options.fallback == "xla":
            warnings.warn(f"{text}\nIt is compiled as jax.jit compiles it.", stacklevel=2)
            return compile_plain()
        remedy = "fallback='xla' of shardwright.jax.jit lets the backend partition such programs; jax.jit always does."
        raise (ValueError if ours else type(error))(f"{text}\n{remedy}") from error
