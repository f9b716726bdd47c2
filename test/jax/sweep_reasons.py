#===- sweep_reasons.py - why calls of the sweep may differ --------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""A regular expression for whole names of cases (function/way), and the reason."""

REASONS = {
    r"lax\.mulhi/.*": "of elements of 4 bits and fewer ours is the high half of the product; the CPU's is bits 8 and up of it, 0",
    r"scipy\.(special\.(loggamma|gammaln|poch)|stats\.dirichlet\.(log)?pdf)/.*": "near the zeros of the logarithm of gamma at 1 and 2 the terms of its series cancel, "
    "whose last bits are rounding",
    r"(lax|numpy)\.empty(_like)?/.*": "its elements are not defined",
}
