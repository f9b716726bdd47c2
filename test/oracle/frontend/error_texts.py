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
        "pmap out_axes must be an int, None, or (nested) container with those types as leaves, but got ",
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
        "should return None. It returns a PyTree: ",
        "Mesh type <class 'jax.sharding.Mesh'> not supported.",
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
        "waits for a result that does not exist before",
        "has been running for",
        "it has not returned after",
    ],
}

# Texts that the compiler of the user's program gives (static_assert), with a program that has the mistake.
COMPILED = [
    ("pmap", "Non-hashable static arguments are not supported", "shardwright/frontend/api/tree.h",
     "struct S {}; auto f() { return shardwright::frontend::Static<S>(S()); }"),
]

ONE_PROCESS = "The front end runs in one process, whose devices are all there are."
# Texts of JAX that cannot arise, and why.
ABSENT = [
    ("trivial programs", "A trivial computation has no HLO", "`asText` of a program that only forwards is its module, as in JAX 0.10."),
    ("pmap", "On multi-host platforms, the input to pmapped functions must have leading axis size equal to the number of local devices",
     ONE_PROCESS),
    ("pmap", "On multi-host platforms, pmapped functions must run across all devices", ONE_PROCESS),
    ("pmap", "On multi-host platforms, pmapped functions that both have `devices` specified and contain an inner_pmap", ONE_PROCESS),
    ("pmap", "using collectives that aren't supported for multi-host: ", ONE_PROCESS),
    ("pmap", "No shard_aval handler for type: ", "All values have the type `Aval`; there are no handlers for others."),
    ("pmap", "No pxla_result_handler for type: ", "All results have the type `Aval`; there are no handlers for others."),
    ("pmap", "numpy masked arrays are not supported as direct inputs to JAX functions.", "No array of C++ has a mask."),
]
