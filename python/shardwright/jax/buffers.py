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

from shardwright.jax import callbacks, names


def _public():
    from jax.experimental import buffer_callback

    return buffer_callback


class Buffer:
    """An operand or result during a call, like jax.experimental.buffer_callback.Buffer."""

    def __init__(self, view, writeable):
        self._view, self._writeable = view, writeable

    shape = property(lambda self: self._view.shape)
    dtype = property(lambda self: self._view.dtype)
    ndim = property(lambda self: self._view.ndim)
    writeable = property(lambda self: self._writeable)
    # JAX's class has no constructor; `isinstance` holds for ours, too.
    __class__ = property(lambda self: _public().Buffer)

    def __array__(self, dtype=None, copy=None):
        if copy or (dtype is not None and dtype != self.dtype):
            return np.array(self._view, dtype=dtype)
        return self._view

    def __dlpack__(self, *, max_version=None, copy=None, **_):
        # As on the CPU, a stream and another device have no effect.
        view = self._view.copy() if copy else self._view.view()
        # Consumers from before DLPack 1.0 do not support read-only arrays.
        view.flags.writeable = self._writeable or not max_version or max_version < (1, 0)
        # NumPy before 2.1 knows no versions.
        return view.__dlpack__(**({} if max_version is None else {"max_version": max_version}))

    def __dlpack_device__(self):
        return self._view.__dlpack_device__()


class ExecutionContext:
    """The context of a call, like jax.experimental.buffer_callback.ExecutionContext."""

    __class__ = property(lambda self: _public().ExecutionContext)

    @property
    def stage(self):
        return _public().ExecutionStage.EXECUTE

    @property
    def stream(self):
        from jax.errors import JaxRuntimeError

        raise JaxRuntimeError("UNIMPLEMENTED: XLA FFI GPU context is not available")


@dataclasses.dataclass(eq=False)
class InPlace:
    """The user's function, with the trees of its operands and results."""

    is_in_place = True  # callbacks.py passes the runtime's memory, not copies

    function: Any
    in_tree: Any
    out_tree: Any

    def __call__(self, operands, results):
        import jax
        from jax import tree_util

        args, kwargs = tree_util.tree_unflatten(self.in_tree, [Buffer(view, False) for view in operands])
        out = tree_util.tree_unflatten(self.out_tree, [Buffer(view, True) for view in results])
        # The devices run this program: arrays that the function makes are on the host's CPU backend.
        with jax.default_device(jax.local_devices(backend="cpu")[0]):
            returned = self.function(ExecutionContext(), out, *args, **kwargs)
        if returned is not None:
            raise ValueError("buffer_callback callback must not return any values.")


def install(changes, plugin):
    """Installs the lowering rule."""
    primitive = names.find("jax._src.buffer_callback:buffer_callback_p")
    build = names.find("jax.ffi:ffi_lowering", "jax._src.ffi:ffi_lowering", takes=("has_side_effect",))
    callbacks.connect(changes, plugin)

    def lower(ctx, *args, callback, in_tree, out_tree, has_side_effect, input_output_aliases=(), **_):
        if len(ctx.module_context.platforms) > 1:
            raise NotImplementedError("multi-platform lowering for buffer_callback")
        rule = build(
            callbacks.TARGET, has_side_effect=has_side_effect, operand_output_aliases=dict(input_output_aliases)
        )
        return rule(ctx, *args, index=callbacks.enter(ctx, InPlace(callback, in_tree, out_tree)))

    changes.register_lowering(primitive, lower, plugin.platform)
