#===- __init__.py - lets JAX find the plugin in a source tree -----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""With `PYTHONPATH=python` JAX finds the plugin of the build folder here; an installed package says
the same by its entry point."""

from shardwright.jax import initialize

__all__ = ["initialize"]
