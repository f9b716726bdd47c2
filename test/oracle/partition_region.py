#===- partition_region.py - random programs in region form ---------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""As partition.py --through region: random programs in the region form, for every target, are compiled by
XLA with its partitioner, and run on 8 devices of JAX's CPU backend."""

import partition

if __name__ == "__main__":
    partition.main("partition_region", through="region", cases=10, long_cases=1000)
