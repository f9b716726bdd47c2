#===- sweep_reasons.py - reasons for differences in the sweep -------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Regular expressions for full names of cases (function/way), and the reason of each."""

REASONS = {
    r"lax\.mulhi/.*": "of elements of 4 bits and fewer ours is the high half of the product; the CPU's is bits 8 and up of it, 0",
    r"scipy\.(special\.(loggamma|gammaln|poch|beta)|stats\.(dirichlet\.(log)?pdf|betabinom\.(log)?pmf)|linalg\.pascal)/.*": "near the zeros of the logarithm of gamma at 1 and 2 the terms of its series cancel: "
    "its error on [0.6, 3] is 5e-7 on average here and on the CPU",
    r"scipy\.sparse\.linalg\.\w+/.*": "iterates until the residual is 1e-5 of the right side: both are",
    r"numpy\.histogram(2d|dd)?/.*": "its edges are sums that XLA contracts, and whole numbers lie on them",
    r"numpy\.bitwise_xor/sharded": "elements of 2 bits that change their sharding: ours is numpy's answer, the CPU's is not",
    r"random\.loggamma/.*": "the logarithm of a sample: where the sample is near 1, of a rounding more or less",
    r"scipy\.signal\.correlate2d/sharded": "XLA's convolution over sharded windows is four times too large; ours is as unsharded",
    r"scipy\.stats\.cauchy\.isf/types": "at poles of the tangent, whose argument XLA contracts under jit; ours is what the CPU gives without",
    r"scipy\.special\.expn/types": "its continued fraction leaves the range of float16: NaN here, and for most arguments on the CPU",
    r"scipy\.special\.owens_t/types": "float16: its error is that of the CPU without jit, which rounds each step",
    r"scipy\.linalg\.expm/sharded": "values of 1e5 whose last digits depend on the order of sums: 2e-6 apart",
    r"lax\.igamma_grad_a/eager": "a series of float64: 4e-15 apart",
    r"(lax|scipy\.special)\.erf/(types|sharded)": "8-bit floats: jaxlib refuses the operation before a plugin is asked",
    r"numpy\.uint1/eager": "jaxlib cannot write 1-bit integers for a plugin",
    r"(lax|numpy)\.empty(_like)?/.*": "its elements are not defined",
}
