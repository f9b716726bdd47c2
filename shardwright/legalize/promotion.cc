//===- promotion.cc - reductions in a wider type --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/legalize/legalize.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright::legalize {

namespace hlo = shardwright::stablehlo;

/// Converts operand `i` to the element type of region argument `argument`.
static void convertFor(Operation *op, unsigned i, Value argument) {
  auto wanted = dyn_cast<RankedTensorType>(argument.getType());
  auto given = dyn_cast<RankedTensorType>(op->getOperand(i).getType());
  if (!wanted || !given || wanted.getElementType() == given.getElementType())
    return;
  OpBuilder b(op);
  op->setOperand(i, hlo::ConvertOp::create(b, op->getLoc(),
                                           given.clone(wanted.getElementType()),
                                           op->getOperand(i)));
}

/// Converts `count` operands from `first` on to the types of the region's
/// arguments from `argument` on.
static void convertAll(Operation *op, unsigned first, unsigned count,
                       Region &region, unsigned argument) {
  if (region.empty() || argument + count > region.getNumArguments())
    return;
  for (unsigned i = 0; i < count; ++i)
    convertFor(op, first + i, region.getArgument(argument + i));
}

/// Converts every operand to the element type of the region's first argument.
static void convertToFirst(Operation *op, unsigned count, Region &region) {
  if (region.empty() || region.getNumArguments() == 0)
    return;
  for (unsigned i = 0; i < count; ++i)
    convertFor(op, i, region.getArgument(0));
}

void promoteOperands(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<hlo::ReduceOp, hlo::ReduceWindowOp>([](auto o) {
        unsigned n = o.getInputs().size();
        convertAll(o, 0, 2 * n, o.getBody(), 0);
      })
      .Case([](hlo::ScatterOp o) {
        unsigned n = o.getInputs().size();
        convertAll(o, 0, n, o.getUpdateComputation(), 0);
        convertAll(o, n + 1, n, o.getUpdateComputation(), n);
      })
      .Case([](hlo::SelectAndScatterOp o) {
        convertAll(o, 1, 2, o.getScatter(), 0); // source and initial value
      })
      .Case<hlo::AllReduceOp, hlo::ReduceScatterOp, hlo::CollectiveReduceOp>(
          [](auto o) {
            convertToFirst(o, o->getNumResults(), o.getComputation());
          });
}

} // namespace shardwright::legalize
