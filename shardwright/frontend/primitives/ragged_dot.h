//===- ragged_dot.h - contractions in groups -------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_PRIMITIVES_RAGGED_DOT_H
#define SHARDWRIGHT_FRONTEND_PRIMITIVES_RAGGED_DOT_H

#include "shardwright/frontend/primitives/lax.h"

namespace shardwright::frontend {

/// JAX: lax.RaggedDotDimensionNumbers.
struct RaggedDotDims {
  DotDims dot;
  /// One dimension of lhs, of any kind. Its elements are divided into groups of
  /// consecutive ones.
  Ints lhsRagged;
  /// Where the ragged dimension is free: the dimension of rhs that has one
  /// entry for each group. Else empty.
  Ints rhsGroup;
};

namespace lax {

/// A dot_general in groups. `groupSizes`: integers, the sizes of the groups
/// along its last dimension; its other dimensions are the batch dimensions and
/// those outside of the ragged one, or missing. Elements outside of all groups
/// count as zero. With a ragged dimension that is
/// - free: each group is multiplied by its entry of rhs;
/// - contracting: the result has a leading dimension with one product for each
///   group;
/// - a batch dimension: the groups have no influence.
/// JAX: lax.ragged_dot_general.
Tensor ragged_dot_general(const Tensor &lhs, const Tensor &rhs,
                          const Tensor &groupSizes, const RaggedDotDims &dims,
                          std::optional<DType> preferred = {});
/// Rows (m, k) in groups, each multiplied by its matrix of (g, k, n). JAX:
/// lax.ragged_dot.
Tensor ragged_dot(const Tensor &lhs, const Tensor &rhs,
                  const Tensor &groupSizes,
                  std::optional<DType> preferred = {});

} // namespace lax
} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_PRIMITIVES_RAGGED_DOT_H
