//===- reducer_ops.cc - ops and regions of reducers -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/ops/reducer_ops.h"

using namespace mlir;

namespace shardwright {

Value buildCombine(OpBuilder &b, Location loc, ReducerKind kind, Value lhs,
                   Value rhs) {
  Type type = lhs.getType();
  switch (kind) {
  case ReducerKind::Add:
    return stablehlo::AddOp::create(b, loc, type, lhs, rhs);
  case ReducerKind::Mul:
    return stablehlo::MulOp::create(b, loc, type, lhs, rhs);
  case ReducerKind::Max:
    return stablehlo::MaxOp::create(b, loc, type, lhs, rhs);
  case ReducerKind::Min:
    return stablehlo::MinOp::create(b, loc, type, lhs, rhs);
  case ReducerKind::And:
    return stablehlo::AndOp::create(b, loc, type, lhs, rhs);
  case ReducerKind::Or:
    return stablehlo::OrOp::create(b, loc, type, lhs, rhs);
  case ReducerKind::Xor:
    return stablehlo::XorOp::create(b, loc, type, lhs, rhs);
  }
  return {};
}

void buildReducerBody(Region &body, Location loc, ReducerKind kind,
                      Type elementType) {
  OpBuilder builder(body.getContext());
  auto scalar = RankedTensorType::get({}, elementType);
  Block *block =
      builder.createBlock(&body, body.end(), {scalar, scalar}, {loc, loc});
  Value result = buildCombine(builder, loc, kind, block->getArgument(0),
                              block->getArgument(1));
  stablehlo::ReturnOp::create(builder, loc, result);
}

} // namespace shardwright
