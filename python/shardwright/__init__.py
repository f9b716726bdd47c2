#===- __init__.py - Shardwright for Python ---------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""`shardwright.sharding` is the sharding algebra; `partition`, `explain` and `report` analyse JAX
programs, `auto` finds their shardings.
Importing this package loads no library."""

__all__ = ["auto", "explain", "partition", "report"]


def __getattr__(name):
    if name == "auto":
        from shardwright.jax import autosharding

        return autosharding.auto
    if name in __all__:
        from shardwright.jax import inspection

        return getattr(inspection, name)
    raise AttributeError(f"module 'shardwright' has no attribute '{name}'")
