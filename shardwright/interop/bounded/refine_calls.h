//===- refine_calls.h - custom calls of dynamic shape -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// JAX emits ops with unknown attributes as calls that take them as operands
// (`@stablehlo.dynamic_reduce_window`, `dynamic_rng_bit_generator`,
// `dynamic_top_k`, `dynamic_approx_top_k`), and passes the result shapes of
// other calls as operands (`indices_of_shape_operands`).
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_BOUNDED_REFINE_CALLS_H
#define SHARDWRIGHT_INTEROP_BOUNDED_REFINE_CALLS_H

#include "shardwright/dialect/stablehlo/stablehlo.h"

namespace shardwright {

/// The constant shape operand for a result of the call.
std::optional<llvm::SmallVector<int64_t>>
shapeFromOperand(stablehlo::CustomCallOp call, unsigned result);

/// True for a call of one of these kinds.
bool isUnsettled(stablehlo::CustomCallOp call);

/// Replaces the call by the op that it represents, or removes the shapes from
/// its operands, if these are constants and the results have these shapes.
/// Returns true if the call was replaced and erased. Malformed calls are
/// unchanged.
bool settleCall(stablehlo::CustomCallOp call);

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_BOUNDED_REFINE_CALLS_H
