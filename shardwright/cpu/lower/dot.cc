//===- dot.cc - lowering of matrix products to steps ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/dot/dot_layout.h"
#include "shardwright/cpu/lower/lower_block.h"

using namespace mlir;

namespace shardwright::cpu {

LogicalResult BlockLowering::lowerDot(const BlockGraph::Opaque &opaque) {
  auto op = cast<hlo::DotGeneralOp>(opaque.op);
  ElementType type;
  Shape lhsShape, rhsShape;
  if (failed(readType(op, op.getLhs().getType(), type, lhsShape)) ||
      failed(readType(op, op.getRhs().getType(), type, rhsShape)))
    return failure();
  hlo::DotDimensionNumbersAttr d = op.getDotDimensionNumbers();
  DotDims dims{Shape(d.getLhsBatchingDimensions()),
               Shape(d.getRhsBatchingDimensions()),
               Shape(d.getLhsContractingDimensions()),
               Shape(d.getRhsContractingDimensions())};
  DotSpec spec = makeDotSpec(lhsShape, opaque.lhsOrder, rhsShape,
                             opaque.rhsOrder, opaque.outOrder, dims);
  SlotId lhs = slot(opaque.inputs[0]), rhs = slot(opaque.inputs[1]);
  SlotId out = target(opaque.results[0]);
  spec.lhsType = program.slots[lhs].type;
  spec.rhsType = program.slots[rhs].type;
  spec.outType = program.slots[out].type;
  if ((isComplex(spec.lhsType) || isComplex(spec.rhsType)) !=
      isComplex(spec.outType))
    return op.emitError("dot_general of complex with real elements is not "
                        "supported by the cpu backend yet");
  if (program.slots[out].elements() == 0)
    return success();
  Step &step = p.addStep(StepKind::Dot, {lhs, rhs}, {out}, p.locations.add(op));
  step.payload = static_cast<int32_t>(program.dots.size());
  program.dots.push_back(std::move(spec));
  return success();
}

} // namespace shardwright::cpu
