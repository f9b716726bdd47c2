#===- buffers.py - buffer_callback on the runtime's memory ----------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""jax.experimental.buffer_callback on our platform: the function gets views of operands and results,
and writes the results in place."""

import dataclasses
from typing import Any

import numpy as np


class Buffer:
    """An operand or result during a call, like jax.experimental.buffer_callback.Buffer."""

    def __init__(self, view, writeable):
        self._view, self._writeable = view, writeable

    shape = property(lambda self: self._view.shape)
    dtype = property(lambda self: self._view.dtype)
    ndim = property(lambda self: self._view.ndim)
    writeable = property(lambda self: self._writeable)

    def __array__(self, dtype=None, copy=None):
        if copy or (dtype is not None and dtype != self.dtype):
            return np.array(self._view, dtype=dtype)
        return self._view

    def __dlpack__(self, **options):
        view = self._view.view()
        # Consumers from before DLPack 1.0 do not support read-only arrays.
        view.flags.writeable = self._writeable or not options.get("max_version")
        return view.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._view.__dlpack_device__()


class ExecutionContext:
    """The context of a call, like jax.experimental.buffer_callback.ExecutionContext."""

    @property
    def stage(self):
        from jax.experimental.buffer_callback import ExecutionStage

        return ExecutionStage.EXECUTE

    @property
    def stream(self):
        from jax.errors import JaxRuntimeError

        raise JaxRuntimeError("UNIMPLEMENTED: XLA FFI GPU context is not available")


@dataclasses.dataclass(eq=False)
class InPlace:
    """The user's function, with the trees of its operands and results."""

    function: Any
    in_tree: Any
    out_tree: Any

    def __call__(self, operands, results):
        from jax import tree_util

        args, kwargs = tree_util.tree_unflatten(self.in_tree, operands)
        out = tree_util.tree_unflatten(self.out_tree, results)
        if self.function(ExecutionContext(), out, *args, **kwargs) is not None:
            raise ValueError("buffer_callback callback must not return any values.")


def install(platform, target, enter):
    """Installs the lowering. `enter(ctx, function)` returns the number under which programs call the
    function through `target`."""
    from jax._src import buffer_callback, ffi
    from jax._src.interpreters import mlir

    def lower(ctx, *args, callback, in_tree, out_tree, has_side_effect, input_output_aliases, **_):
        if len(ctx.module_context.platforms) > 1:
            raise NotImplementedError("multi-platform lowering for buffer_callback")
        rule = ffi.ffi_lowering(
            target, has_side_effect=has_side_effect, operand_output_aliases=dict(input_output_aliases)
        )
        return rule(ctx, *args, index=enter(ctx, InPlace(callback, in_tree, out_tree)))

    mlir.register_lowering(buffer_callback.buffer_callback_p, lower, platform=platform)
