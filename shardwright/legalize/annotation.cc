//===- annotation.cc - annotation calls that compute nothing --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/legalize/legalize.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace shardwright::legalize {

namespace hlo = shardwright::stablehlo;

/// JAX emits it for symbolic shapes: a condition, and numbers for the message.
static constexpr llvm::StringLiteral shapeAssertion("shape_assertion");

bool isAnnotation(hlo::CustomCallOp op) {
  return llvm::StringSwitch<bool>(op.getCallTargetName())
      .Cases({"annotate_device_placement", "LayoutConstraint", "MoveToDevice",
              "MoveToHost", shapeAssertion},
             true)
      .Default(false);
}

static LogicalResult checkAssertion(hlo::CustomCallOp op) {
  DenseElementsAttr condition;
  if (op.getInputs().empty() || op.getNumResults() != 0 ||
      !matchPattern(op.getInputs()[0], m_Constant(&condition)) ||
      !condition.getElementType().isInteger(1) || !condition.isSplat())
    return op.emitError() << "custom call '" << shapeAssertion
                          << "' requires a condition that is known when the "
                             "program is compiled";
  if (condition.getSplatValue<bool>()) {
    op.erase();
    return success();
  }
  auto message = op->getAttrOfType<StringAttr>("error_message");
  return op.emitError() << "a shape assertion of the program does not hold"
                        << (message ? ": " : "")
                        << (message ? message.getValue() : StringRef());
}

LogicalResult legalizeAnnotation(hlo::CustomCallOp op) {
  if (op.getCallTargetName() == shapeAssertion)
    return checkAssertion(op);
  // The call may also return a token.
  if (op.getNumResults() != 1 || op.getInputs().empty() ||
      op.getInputs()[0].getType() != op.getResult(0).getType())
    return op.emitError()
           << "custom call '" << op.getCallTargetName()
           << "' requires one result, of its first operand's type";
  op.getResult(0).replaceAllUsesWith(op.getInputs()[0]);
  op.erase();
  return success();
}

} // namespace shardwright::legalize
