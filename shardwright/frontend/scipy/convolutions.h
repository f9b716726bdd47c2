//===- convolutions.h - convolutions and shapes in other forms -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_SCIPY_CONVOLUTIONS_H
#define SHARDWRIGHT_FRONTEND_SCIPY_CONVOLUTIONS_H

#include "shardwright/frontend/numpy/numpy.h"

#include <variant>

// JAX: jax.lax.
namespace shardwright::frontend::lax {

enum class PaddingKind {
  Same, ///< windows cover each element
  Valid ///< no padding
};
/// A kind, or (low, high) of each spatial dimension.
using ConvPadding = std::variant<PaddingKind, std::vector<Ints>>;

/// Layouts "NCHW", "OIHW", for any number of spatial dimensions.
Tensor conv(const Tensor &lhs, const Tensor &rhs, const Ints &strides,
            const ConvPadding &padding);
/// Empty dilations: 1.
Tensor conv_with_general_padding(const Tensor &lhs, const Tensor &rhs,
                                 const Ints &strides,
                                 const ConvPadding &padding,
                                 const Ints &lhsDilation,
                                 const Ints &rhsDilation);

struct ConvTransposeOptions {
  Ints rhsDilation = {};
  /// By default NC, NHC, NHWC, .. of the arrays and IO, HIO, HWIO, .. of the
  /// kernel.
  std::optional<ConvLayout> layout = {};
  /// The kernel is that of the convolution whose transpose this is.
  bool transposeKernel = false;
};
/// The transpose of a convolution with these strides, or a convolution with
/// fractional strides.
Tensor conv_transpose(const Tensor &lhs, const Tensor &rhs, const Ints &strides,
                      const ConvPadding &padding,
                      const ConvTransposeOptions &options = {});

/// x with new leading dimensions, along which it repeats.
Tensor broadcast(const Tensor &x, const Shape &sizes);
Tensor broadcasted_iota(DType type, const Shape &shape, int64_t dimension);
/// New leading dimensions of size 1.
Tensor broadcast_to_rank(const Tensor &x, int64_t rank);
/// The dimensions from `start` to before `stop` as one.
Tensor collapse(const Tensor &x, int64_t start,
                std::optional<int64_t> stop = {});
/// Products of batches of matrices of equal batch dimensions.
Tensor batch_matmul(const Tensor &x, const Tensor &y);
/// Two arrays, sorted by the first.
std::pair<Tensor, Tensor> sort_key_val(const Tensor &keys, const Tensor &values,
                                       int64_t dimension = -1,
                                       bool isStable = true);

} // namespace shardwright::frontend::lax

#endif // SHARDWRIGHT_FRONTEND_SCIPY_CONVOLUTIONS_H
