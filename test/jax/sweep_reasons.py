#===- sweep_reasons.py - why calls of the sweep may differ --------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""A regular expression for whole names of cases (function/way), and the reason."""

REASONS = {
    r"lax\.mulhi/.*": "of elements of 4 bits and fewer ours is the high half of the product; the CPU's is bits 8 and up of it, 0",
    r"scipy\.(special\.(loggamma|gammaln|poch)|stats\.dirichlet\.(log)?pdf)/.*": "near the zeros of the logarithm of gamma at 1 and 2 the terms of its series cancel: "
    "its error on [0.6, 3] is 5e-7 on average here and on the CPU",
    r"scipy\.sparse\.linalg\.\w+/.*": "iterates until the residual is 1e-5 of the right side: both are",
    r"numpy\.histogram(2d|dd)?/.*": "its edges are sums that XLA contracts, and whole numbers lie on them",
    r"numpy\.bitwise_xor/sharded": "elements of 2 bits that change their sharding: ours is numpy's answer, the CPU's is not",
    r"(lax|numpy)\.empty(_like)?/.*": "its elements are not defined",
}
