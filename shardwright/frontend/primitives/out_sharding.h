//===- out_sharding.h - results with a given sharding ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_PRIMITIVES_OUT_SHARDING_H
#define SHARDWRIGHT_FRONTEND_PRIMITIVES_OUT_SHARDING_H

#include "shardwright/frontend/primitives/ragged_dot.h"

// Operations whose result has a given sharding over the Explicit axes of the
// mesh in context. JAX: the argument out_sharding.
namespace shardwright::frontend::lax {

/// The spec may name unreduced axes: those that shard the contracted dimensions
/// of both operands. The result is then a sum that is not computed yet.
Tensor dot_general(const Tensor &x, const Tensor &y, const DotDims &dims,
                   std::optional<DType> preferred,
                   const PartitionSpec &outSharding);
Tensor ragged_dot_general(const Tensor &lhs, const Tensor &rhs,
                          const Tensor &groupSizes, const RaggedDotDims &dims,
                          std::optional<DType> preferred,
                          const PartitionSpec &outSharding);
/// The spec may name unreduced axes: some that shard the summed dimensions.
Tensor reduce_sum(const Tensor &x, const Ints &axes,
                  const PartitionSpec &outSharding);
Tensor reshape(const Tensor &x, const Shape &shape,
               const PartitionSpec &outSharding);
Tensor broadcast_in_dim(const Tensor &x, const Shape &shape, const Ints &dims,
                        const PartitionSpec &outSharding);
Tensor iota(DType type, const Shape &shape, int64_t dimension,
            const PartitionSpec &outSharding);

} // namespace shardwright::frontend::lax

#endif // SHARDWRIGHT_FRONTEND_PRIMITIVES_OUT_SHARDING_H
