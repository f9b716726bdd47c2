#===- spelled_otherwise.py - functions of JAX with other names in C++ -----===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""How C++ writes functions of JAX whose names there are not JAX's in camelCase."""

OTHERWISE = {
    "jax.numpy": {
        "amax": "`max`", "amin": "`min`", "array": "`arrayOf`", "asarray": "`arrayOf`", "array_repr": "`x.repr()`",
        "array_str": "`x.str()`", "copy": "`copy`", "einsum_path": "`einsum`", "from_dlpack": "`fromDLPack`",
        "delete": "`concatenate` of slices", "ix_": "`ix`", "ndim": "`x.rank()`", "shape": "`x.shape()`", "size": "`x.size()`",
        "std": "`stddev`", "vectorize": "`vmap`", "issubdtype": "`isInteger`, `isFloat`, `isInexact`, ..",
        "isdtype": "`isInteger`, `isFloat`, `isInexact`, ..", "result_type": "`promoteTypes`", "isscalar": "`x.rank() == 0`",
        "diag_indices_from": "`diagIndices`", "tril_indices_from": "`trilIndices`", "triu_indices_from": "`triuIndices`",
        "ravel_multi_index": "`ravelMultiIndex`",
    },
    "jax.numpy.linalg": {
        "diagonal": "`diagonal`", "matmul": "`matmul`", "matrix_transpose": "`matrixTranspose`", "outer": "`outer`",
        "tensordot": "`tensordot`", "trace": "`trace`",
    },
    "jax.nn": {"swish": "`nn::silu`", "hard_swish": "`nn::hardSilu`", "tanh": "`tanh`", "identity": "`x`"},
    "jax.lax": {
        "scatter_add": "`lax::scatter` of `ScatterKind::Add`", "scatter_max": "`lax::scatter` of `ScatterKind::Max`",
        "scatter_min": "`lax::scatter` of `ScatterKind::Min`", "scatter_mul": "`lax::scatter` of `ScatterKind::Mul`",
        "scatter_sub": "`lax::scatter` of `ScatterKind::Sub`", "switch": "`switchCase`", "empty": "`empty`",
        "padtype_to_pads": "`samePadding`", "broadcast_shapes": "`broadcastShapes`", "dtype": "`x.dtype()`",
        "ConvGeneralDilatedDimensionNumbers": "`ConvLayout`", "DotDimensionNumbers": "`DotDims`",
        "conv_dimension_numbers": "`ConvLayout`", "reduce_window": "`lax::reduce_window_sum`, `lax::reduce_window_max`, `lax::reduce_window_min`",
        "PrecisionLike": "`config::defaultMatmulPrecision`",
    },
    "jax.random": {"PRNGKey": "`random::prngKey`"},
}
