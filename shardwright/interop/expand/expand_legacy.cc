//===- expand_legacy.cc - expand superseded ops ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/expand/op_builder.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright::op_expansion {

/// Contracts lhs's last dimension with rhs's first.
static FailureOr<Values> expandDot(stablehlo::DotOp op) {
  StaticBuilder m(op);
  int64_t last = StaticBuilder::typeOf(op.getLhs()).getRank() - 1;
  auto dims = stablehlo::DotDimensionNumbersAttr::get(op.getContext(), {}, {},
                                                      {last}, {0});
  return Values{stablehlo::DotGeneralOp::create(
      m.b, m.loc, op.getType(), op.getLhs(), op.getRhs(), dims,
      op.getPrecisionConfigAttr(), /*algorithm=*/nullptr)};
}

static FailureOr<Values> expandBroadcast(stablehlo::BroadcastOp op) {
  StaticBuilder m(op);
  int64_t added = op.getBroadcastSizes().size();
  int64_t rank = StaticBuilder::typeOf(op.getOperand()).getRank();
  auto dims = llvm::to_vector(llvm::seq<int64_t>(added, added + rank));
  return Values{stablehlo::BroadcastInDimOp::create(m.b, m.loc, op.getType(),
                                                    op.getOperand(), dims)};
}

/// Result dimensions: the operand's before `dim`, the index's that are not
/// batch dimensions, the operand's after `dim`. The first `batch_dims`
/// dimensions of both are shared.
static FailureOr<Values> expandIndexSelect(stablehlo::TorchIndexSelectOp op) {
  RankedTensorType operand = StaticBuilder::typeOf(op.getOperand());
  RankedTensorType index = StaticBuilder::typeOf(op.getIndex());
  int64_t dim = op.getDim(), batch = op.getBatchDims();
  if (dim < 0 || dim >= operand.getRank() || batch < 0 || batch > dim ||
      batch > index.getRank())
    return failure();
  StaticBuilder m(op);
  SmallVector<int64_t> offset, sizes(operand.getShape()), batching;
  for (int64_t d = batch; d < dim; ++d)
    offset.push_back(d);
  for (int64_t d = dim + 1; d < operand.getRank(); ++d)
    offset.push_back(d - 1 + index.getRank() - batch);
  for (int64_t d = 0; d < batch; ++d) {
    batching.push_back(d);
    sizes[d] = 1;
  }
  sizes[dim] = 1;
  auto dims = stablehlo::GatherDimensionNumbersAttr::get(
      op.getContext(), offset, {dim}, batching, batching, {dim},
      index.getRank());
  return Values{stablehlo::GatherOp::create(
      m.b, m.loc, op.getType(), op.getOperand(), op.getIndex(), dims, sizes,
      /*indices_are_sorted=*/false)};
}

static FailureOr<Values> expandReplicaSum(stablehlo::CrossReplicaSumOp op) {
  StaticBuilder m(op);
  auto all = stablehlo::AllReduceOp::create(
      m.b, m.loc, TypeRange(op.getType()), ValueRange(op.getOperand()),
      op.getReplicaGroups(), /*channel_handle=*/nullptr,
      /*use_global_device_ids=*/false);
  m.fillWithAddition(all.getComputation(),
                     StaticBuilder::typeOf(op.getOperand()).getElementType());
  return Values{all->getResult(0)};
}

/// Expands the element of a tuple that is created in the same function.
static FailureOr<Values> expandElement(stablehlo::GetTupleElementOp op) {
  auto tuple = op.getOperand().getDefiningOp<stablehlo::TupleOp>();
  if (!tuple || op.getIndex() < 0 ||
      op.getIndex() >= static_cast<int64_t>(tuple->getNumOperands()))
    return failure();
  return Values{tuple->getOperand(op.getIndex())};
}

FailureOr<Values> expandLegacyOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, FailureOr<Values>>(op)
      .Case([](stablehlo::DotOp o) { return expandDot(o); })
      .Case([](stablehlo::BroadcastOp o) { return expandBroadcast(o); })
      .Case(
          [](stablehlo::TorchIndexSelectOp o) { return expandIndexSelect(o); })
      .Case([](stablehlo::CrossReplicaSumOp o) { return expandReplicaSum(o); })
      .Case([](stablehlo::GetTupleElementOp o) { return expandElement(o); })
      .Default([](Operation *) { return failure(); });
}

} // namespace shardwright::op_expansion
