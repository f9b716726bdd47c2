#===- layout_helpers.py - arrays and texts of the tests of layouts -----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""What layouts.py and array_layouts.py share."""

import jax
import numpy as np
from both import J11
from jax.experimental.layout import Format
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

A = np.arange(128, dtype=np.float32).reshape(16, 8)
CUBE = np.arange(4 * 8 * 16, dtype=np.float32).reshape(4, 8, 16)


def mesh():
    return jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)


def named(*spec):
    return NamedSharding(mesh(), P(*spec))


def text(*values):
    """The layouts and shardings of arrays and formats."""
    formats = [v if isinstance(v, Format) else v.format for v in jax.tree.leaves(values, is_leaf=lambda v: isinstance(v, Format))]
    return str([(str(f.layout), str(f.sharding)) for f in formats]).replace("Shardwright", "Cpu").replace("shardwright", "cpu")


def constrained(*values):
    """The layouts of results of layout constraints, which XLA's CPU backend of 0.10 ignores."""
    return text(*values) if J11 else ""


def said(function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except Exception as error:
        return f"{type(error).__name__}: {error}".replace("shardwright-cpu", "cpu").replace("shardwright", "cpu").replace("SHARDWRIGHT", "CPU")
    return "nothing"
