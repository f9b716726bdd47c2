#===- wrapper_layouts.py - layouts and memories through the wrapper -------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The cases of layouts.py and array_layouts.py, and memory kinds, through the wrapper plugin (SHARDWRIGHT_BACKEND), with
our own plugin as the vendor's, whose programs refuse arguments in another layout or memory than theirs."""

import os

os.environ["LYING_PLUGIN"] = "minor=116,size=1144,layouts=strict"
import wrapper  # names the vendor's plugin
from both import _cases, case, main

_cases.clear()
import array_layouts  # noqa: F401
import layouts  # noqa: F401

import jax
import numpy as np
from placing import on, placed, text


@case
def result_in_host_memory():
    x = placed((16, 8), "x", "y")
    y = jax.jit(lambda x: x + 1, out_shardings=on("x", "y").with_memory_kind("pinned_host"))(x)
    return y, text(y.sharding), y.sharding.memory_kind


@case
def argument_in_host_memory():
    kind = on("x", "y").with_memory_kind("pinned_host")
    x = jax.device_put(np.arange(128, dtype=np.float32).reshape(16, 8), kind)

    def f(x):
        return jax.device_put(x, jax.memory.Space.Device) @ np.ones((8, 4), np.float32)

    y = jax.jit(f)(x)
    return y, text(y.sharding)


if __name__ == "__main__":
    main(__doc__)
