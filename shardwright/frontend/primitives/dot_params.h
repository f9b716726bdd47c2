//===- dot_params.h - parameters of dot_general ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_PRIMITIVES_DOT_PARAMS_H
#define SHARDWRIGHT_FRONTEND_PRIMITIVES_DOT_PARAMS_H

#include "shardwright/frontend/primitives/ragged_dot.h"
#include "shardwright/frontend/trace/params.h"

namespace shardwright::frontend::lax {

/// Parameters of a product without a sharding of the result.
Params dotParams(const DotDims &dims, std::optional<DType> preferred);

Params raggedDotParams(const RaggedDotDims &dims,
                       std::optional<DType> preferred);

/// The shape of a dot_general, without a dimension in `rhsGroup`, or JAX's
/// error.
Expected<Shape> dotShape(const Aval &lhs, const Aval &rhs, const DotDims &dims,
                         const Ints &rhsGroup = {});
/// The element type of a product with these parameters, or JAX's error.
Expected<DType> dotType(DType lhs, DType rhs, const Params &params);

/// True if a dot_general with these parameters has batch dimensions.
bool hasBatchDims(const Params &params);

} // namespace shardwright::frontend::lax

#endif // SHARDWRIGHT_FRONTEND_PRIMITIVES_DOT_PARAMS_H
