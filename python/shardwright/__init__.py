#===- __init__.py - Shardwright for Python ---------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""shardwright.sharding is the sharding algebra. Importing this loads no library."""
