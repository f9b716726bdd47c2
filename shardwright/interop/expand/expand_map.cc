//===- expand_map.cc - map as operations on whole tensors -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/expand/op_builder.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace shardwright::op_expansion {

// Each op of the body becomes one on tensors of the result's shape; values from
// outside are broadcast. The body may contain elementwise ops, constants, and
// reshapes of scalars.
FailureOr<Values> expandMap(Operation *op) {
  auto map = cast<stablehlo::MapOp>(op);
  StaticBuilder m(op);
  ArrayRef<int64_t> shape = StaticBuilder::typeOf(map.getResult()).getShape();
  if (!StaticBuilder::typeOf(map.getResult()).hasStaticShape())
    return failure();
  Block &body = map.getComputation().front();
  for (Operation &inner : body.without_terminator())
    if (!isa<stablehlo::ConstantOp, stablehlo::ReshapeOp,
             stablehlo::BroadcastInDimOp, stablehlo::SelectOp,
             stablehlo::ClampOp>(inner) &&
        !inner.hasTrait<OpTrait::Elementwise>())
      return inner.emitError() << "op '" << inner.getName()
                               << "' in the region of 'stablehlo.map' is not "
                                  "supported, expected elementwise operations";
  IRMapping values;
  for (auto [arg, input] :
       llvm::zip_equal(body.getArguments(), map.getInputs()))
    values.map(arg, input);
  auto wide = [&](Value scalar) {
    if (Value known = values.lookupOrNull(scalar))
      return known;
    Value spread = m.broadcast(scalar, shape, {});
    values.map(scalar, spread);
    return spread;
  };
  for (Operation &inner : body.without_terminator()) {
    if (isa<stablehlo::ConstantOp>(inner)) {
      values.map(inner.getResult(0),
                 m.broadcast(m.b.clone(inner)->getResult(0), shape, {}));
      continue;
    }
    if (isa<stablehlo::ReshapeOp, stablehlo::BroadcastInDimOp>(inner)) {
      values.map(inner.getResult(0), wide(inner.getOperand(0)));
      continue;
    }
    SmallVector<Value> operands;
    for (Value v : inner.getOperands())
      operands.push_back(wide(v));
    OperationState state(inner.getLoc(), inner.getName());
    state.addOperands(operands);
    state.addTypes(StaticBuilder::typeOf(inner.getResult(0)).clone(shape));
    state.attributes = inner.getAttrDictionary();
    values.map(inner.getResult(0), m.b.create(state)->getResult(0));
  }
  return Values{wide(body.getTerminator()->getOperand(0))};
}

} // namespace shardwright::op_expansion
