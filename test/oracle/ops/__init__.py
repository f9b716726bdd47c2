#===- __init__.py - the op tests, one file a family ------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""`FAMILIES`: name -> module. A module registers its ops with `case.op`."""

import importlib

NAMES = (
    "elementwise",
    "tiny",
    "shape",
    "high_rank",
    "reduction",
    "contraction",
    "convolution",
    "window",
    "wide",
    "gather_scatter",
    "sort",
    "rng",
    "fft",
    "linalg",
    "lapack",
    "calls",
    "control_flow",
    "collectives",
    "grid",
    "dynamic",
    "quantized",
    "programs",
)
FAMILIES = {}
for name in NAMES:
    try:
        FAMILIES[name] = importlib.import_module(f"ops.{name}")
    except ModuleNotFoundError as missing:
        if missing.name != f"ops.{name}":
            raise
