#===- __init__.py - lets JAX find the plugin in a source tree -----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""With `PYTHONPATH=python` JAX finds the plugin of the build folder through this module. The entry
point of an installed package has the same effect."""

from shardwright.jax import initialize

__all__ = ["initialize"]
