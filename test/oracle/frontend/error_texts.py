#===- error_texts.py - texts of errors of the front end -------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""What errors and lines of the log say, without the values in them. frontend_table.py looks for each in a test in C++."""

TEXTS = {
    "effects": [
        "The following ordered effects are not supported for more than 1 device: [",
        "Ordered effects not supported in `pmap`.",
        "Ordered effects not supported in mesh computations.",
    ],
    "pmap": [
        "pmap in_axes must be an int, None, or (nested) container with those types as leaves, but got ",
        "pmap requires at least one argument with a mapped axis.",
        "doesn't match received axis_size",
        "All static broadcasted arguments must be passed positionally.",
        "'devices' argument to pmap must be non-empty, or None.",
        "must be a tree prefix of that tuple. But it was not a prefix.",
        "logical devices, but only 8 XLA devices are available",
        "pmap got inconsistent sizes for array axes to be mapped:",
        "Leading axis size of input to pmapped function must equal the number of local devices passed to pmap.",
        "is out of range for shape",
        "Nested pmap with explicit devices argument.",
        "local devices to run due to nested pmapped or other parallel functions, but only",
        "compiling computation that creates",
        "does not match dimension",
        "local devices are available",
        "The aval shape % axis size should be zero but got",
        "Cannot convert unstacked sharding specs to XLA OpSharding",
        "Buffer donation not supported in eager pmap.",
        "Non-default global_axis_size not supported in eager pmap.",
    ],
    "vmap": [
        "vmap got inconsistent sizes for array axes to be mapped:",
        "vmap must have at least one non-None value in in_axes or axis_size must be specified",
        "vmap was requested to map its argument along axis",
        "at vmap out_axes, got axis spec None but output was batched on axis",
        "vmap in_axes must be an int, None, or a tuple of entries corresponding to the positional arguments passed to the function",
    ],
    "tiles": [
        "are both mapped to the resource `x`, but they coincide in the named_shape of",
        "Nesting pmap inside xmaps not supported!",
        "Unrecognized tiling method: ",
    ],
    "kernels": [
        "You should pass them as inputs",
        "Evaluation rule for 'run_scoped' not implemented",
    ],
    "settings": [
        "for `jit`, but 'no_tracing' is set",
        "with global shapes and types",
        "Finished tracing logged for jit in",
        "Finished jaxpr to MLIR module conversion",
        "Finished XLA compilation of",
    ],
    "functions of the host": [
        "waits for a result that is not there before",
        "has been running for",
        "it has not returned after",
    ],
}
