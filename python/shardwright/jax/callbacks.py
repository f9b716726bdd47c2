#===- callbacks.py - Python functions that programs call ----------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""jax.debug.print, jax.pure_callback, io_callback and buffer_callback on our platform.

JAX lowers these only for known platforms. Here the callable gets a number in a table of
this process, and the program calls a target of ours with that number; the plugin's runtime calls
back through `_call`. As on the CPU, the callable gets arrays on a device of the host's CPU backend.
"""

import ctypes
import dataclasses
import hashlib
import inspect
import threading
import traceback
import weakref

import numpy as np

from shardwright import library
from shardwright.jax import names, rules

TARGET = "shardwright_python_callback"
# Every device calls this with its shard of each operand.
PARTITIONED_TARGET = "shardwright_partitioned_python_callback"

# Names that calls of the rules use; found by `install`.
_jax = None

# number -> function. JAX holds a function, from its lowering on, together with the lowered program.
# Executables may outlive that, and a run may outlive its executable, so the plugin reports the
# numbers that it uses (`_hold`).
_table = weakref.WeakValueDictionary()
_held = {}  # number -> [function, executables]
# Objects, and with them executables, may be destroyed while this thread has the lock.
_lock = threading.RLock()


def _hold(number, is_held):
    with _lock:
        if is_held:
            entry = _held.setdefault(number, [_table.get(number), 0])
            entry[1] += 1
            return
        entry = _held.get(number)
        if entry is not None:
            entry[1] -= 1
            if entry[1] == 0:
                del _held[number]
    # The function is destroyed here, without the lock.


def _dtypes():
    """Maps PJRT_Buffer_Type to numpy dtypes."""
    import ml_dtypes

    names = {
        1: np.bool_, 2: np.int8, 3: np.int16, 4: np.int32, 5: np.int64, 6: np.uint8, 7: np.uint16,
        8: np.uint32, 9: np.uint64, 10: np.float16, 11: np.float32, 12: np.float64,
        13: "bfloat16", 14: np.complex64, 15: np.complex128, 16: "float8_e5m2",
        17: "float8_e4m3fn", 18: "float8_e4m3b11fnuz", 19: "float8_e5m2fnuz",
        20: "float8_e4m3fnuz", 21: "int4", 22: "uint4", 24: "int2", 25: "uint2",
        26: "float8_e4m3", 27: "float8_e3m4", 28: "float8_e8m0fnu", 29: "float4_e2m1fn",
        32: "float6_e2m3fn", 33: "float6_e3m2fn",
    }  # fmt: skip
    found = {}
    for code, name in names.items():
        scalar = getattr(ml_dtypes, name, None) if isinstance(name, str) else name
        if scalar is not None:
            found[code] = np.dtype(scalar)
    return found


_DTYPES = _dtypes()


def _view(array):
    """Returns a view of the memory of a runtime array, valid during the call."""
    dtype = _DTYPES[array.type]
    shape = tuple(array.dims[i] for i in range(array.rank))
    count = int(np.prod(shape, dtype=np.int64))
    if count == 0:
        return np.empty(shape, dtype)
    bytes = (ctypes.c_char * (count * dtype.itemsize)).from_address(array.data)
    return np.frombuffer(bytes, dtype).reshape(shape)


def _call(number, num_operands, operands, num_results, results, error, error_size):
    function = None
    try:
        with _lock:
            function = _table.get(number)
        if function is None:
            raise RuntimeError(f"there is no callback {number} in this process")
        if getattr(function, "is_in_place", False):
            function([_view(operands[i]) for i in range(num_operands)], [_view(results[i]) for i in range(num_results)])
            return 0
        values = function(*(np.array(_view(operands[i])) for i in range(num_operands)))
        for i in range(num_results):
            out = _view(results[i])
            if out.size:
                # A view of const bytes, written through its address.
                value = np.ascontiguousarray(values[i], dtype=out.dtype)
                ctypes.memmove(results[i].data, value.ctypes.data, value.nbytes)
        return 0
    except BaseException:
        text = traceback.format_exc().encode()[: error_size - 1]
        ctypes.memmove(error, text + b"\0", len(text) + 1)
        return 2 if getattr(function, "is_in_place", False) else 1


def _checked(callback, result_avals):
    """Wraps the callable: checks its results against the declared types, and uses the 64-bit setting
    of this thread on the thread that calls it."""
    import jax

    x64 = jax.config.jax_enable_x64

    def checked(*args):
        with jax.enable_x64(x64):
            return check(callback(*args))

    def check(values):
        values = tuple(values)
        if len(values) != len(result_avals):
            raise RuntimeError(
                "Mismatched number of outputs from callback. "
                f"Expected: {len(result_avals)}, Actual: {len(values)}"
            )
        values = tuple(map(np.asarray, values))
        values = tuple(value.astype(jax.dtypes.canonicalize_dtype(value.dtype), copy=False) for value in values)
        for i, (value, aval) in enumerate(zip(values, result_avals)):
            for what in ("shape", "dtype"):
                expected, actual = getattr(aval, what), getattr(value, what)
                if expected != actual:
                    raise RuntimeError(
                        f"Incorrect output {what} for return value #{i}: "
                        f"Expected: {expected}, Actual: {actual}"
                    )
        return values

    return checked


def _first_number(ctx):
    """Returns the number to try first for the next function of a program. It depends on the program's name
    and the functions before it only: a process finds its programs in the persistent cache whatever it
    lowered before."""
    context = ctx.module_context
    try:
        name = str(context.module.operation.attributes["sym_name"])
    except (AttributeError, KeyError):  # a version of JAX that is unlike the known ones
        name = ""
    position = len(getattr(context, "host_callbacks", ()))
    return int.from_bytes(hashlib.blake2b(f"{position} {name}".encode(), digest_size=7).digest(), "little")


def enter(ctx, function):
    """Returns the number under which a program calls the function. No other function has the number as
    long as it, or an executable that calls it, is alive."""
    number = _first_number(ctx)
    with _lock:
        while number in _table or number in _held:
            number += 1
        _table[number] = function
    # The executable keeps the function alive, and JAX records that the program has callbacks.
    ctx.module_context.add_host_callback(function)
    return np.uint64(number)


@dataclasses.dataclass
class _Names:
    """What the rule uses of JAX."""

    abstract_token: object
    set_sharding: object
    build_ffi_lowering_function: object


def _emit(ctx, callback, token, operands, result_avals, has_side_effect, partitioned, sharding):
    """Emits our call. If there is a token, it is the first operand and result."""
    import jax

    function = _checked(callback, result_avals)
    number = enter(ctx, function)
    if token:
        operands = [token, *operands]
        ctx = dataclasses.replace(
            ctx,
            avals_in=[_jax.abstract_token, *ctx.avals_in],
            avals_out=[_jax.abstract_token, *ctx.avals_out],
        )
        shardings = getattr(sharding, "shardings", None)
        if jax.config.jax_use_shardy_partitioner and shardings and len(ctx.avals_out) > 1:
            # The index of the first result: after the token.
            first = dataclasses.replace(shardings[0], dim_shardings=())
            sharding = type(sharding)((first, *shardings))
    target = PARTITIONED_TARGET if partitioned else TARGET
    build = _jax.build_ffi_lowering_function(target, has_side_effect=has_side_effect)
    op = build(ctx, *operands, index=number)
    if sharding is not None:
        _jax.set_sharding(ctx.module_context, op, sharding)
    results = list(op.results)
    if token:
        token, *results = results
    return results, token, function


def _install_debug_rules(changes, plugin):
    """JAX registers the rules of debug callbacks for each platform. Where those of the CPU cannot be made
    ours (`rules`), the rules themselves are registered."""
    try:
        names.find(*rules.PLACES)
        return
    except names.Missing:
        pass
    changes.register_lowering(
        names.find("jax._src.debugging:debug_callback_p"), names.find("jax._src.debugging:debug_callback_lowering"), plugin.platform
    )
    changes.register_lowering(
        names.find("jax._src.debugging:debug_print_p"), names.find("jax._src.debugging:debug_print_lowering_rule"), plugin.platform
    )


def install(changes, plugin):
    """Makes JAX's callback rules emit our calls on our platform."""
    global _jax
    found = _Names(
        abstract_token=names.find("jax.ffi:abstract_token", "jax._src.core:abstract_token"),
        set_sharding=names.find("jax._src.interpreters.mlir:set_sharding"),
        build_ffi_lowering_function=names.find(
            "jax.ffi:build_ffi_lowering_function", "jax._src.ffi:build_ffi_lowering_function", takes=("has_side_effect",)
        ),
    )
    needed = ("ctx", "callback", "token", "operands", "result_avals", "has_side_effect", "partitioned", "sharding")

    def wrapper(original):
        signature = inspect.signature(original)

        def emit_python_callback(*args, **kwargs):
            call = signature.bind(*args, **kwargs)
            call.apply_defaults()
            values = call.arguments
            if tuple(values["ctx"].module_context.platforms) != (plugin.platform,):
                return original(*args, **kwargs)
            if values["partitioned"] and values["result_avals"]:
                raise ValueError("Partitioned callback not supported with return values.")
            return _emit(*(values[name] if name != "operands" else list(values[name]) for name in needed))

        return emit_python_callback

    connect(changes, plugin)
    _install_debug_rules(changes, plugin)
    changes.wrap(
        "jax._src.callback:emit_python_callback", "jax.interpreters.mlir:emit_python_callback",
        takes=needed, wrapper=wrapper,
    )  # fmt: skip
    _jax = found


def connect(changes, plugin):
    """Passes the plugin the functions that its programs call. May be called more than once."""
    if hasattr(connect, "kept"):
        return
    import atexit

    # JAX's own exit handlers wait for running programs; after that no program may call into Python.
    bridge = library.Bridge(plugin.path)
    entry, hold = library.HOST_CALLBACK(_call), library.HOLD_CALLBACK(_hold)
    bridge.set_host_callback(entry, hold)
    connect.kept = (entry, hold, bridge)
    atexit.register(lambda: bridge.set_host_callback(library.HOST_CALLBACK(), library.HOLD_CALLBACK()))
