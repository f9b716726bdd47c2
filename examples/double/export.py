#===- export.py - the smallest sharded program: x * 2 ----------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import exporting

import numpy as np
from jax.sharding import PartitionSpec as P


def make(constrain):
    def double(x):
        return x * 2

    return double


def case(mesh_sizes=dict(x=4, y=2), shape=(8, 16)):
    """make, mesh, arguments and their specs, for the export and the benchmarks."""
    mesh = exporting.make_mesh(**mesh_sizes)
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape) / 4
    return make, mesh, (x,), (P("x", "y"),), P("x", "y")


if __name__ == "__main__":
    exporting.export(__file__, *case())
