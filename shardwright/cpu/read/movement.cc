//===- movement.cc - operations that move elements ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/read/block_reader.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace shardwright::cpu {

/// With more operands, finding the operand of each element is too expensive.
static constexpr size_t maxConcatOperands = 3;

bool windowDimsFit(const Node &operand, const Node &starts, const Node &windows,
                   const WindowDims &dims) {
  auto within = [](ArrayRef<int64_t> dims, size_t rank) {
    return llvm::all_of(dims, [&](int64_t d) {
      return d >= 0 && d < static_cast<int64_t>(rank);
    });
  };
  size_t rank = operand.shape.size(), startsRank = starts.shape.size();
  int64_t vectorDim = dims.indexVectorDim;
  if (vectorDim < 0 || vectorDim > static_cast<int64_t>(startsRank))
    return false;
  bool implicit = vectorDim == static_cast<int64_t>(startsRank);
  int64_t components = implicit ? 1 : starts.shape[vectorDim];
  return within(dims.windowDims, windows.shape.size()) &&
         within(dims.collapsedDims, rank) &&
         within(dims.operandBatchingDims, rank) &&
         within(dims.startsBatchingDims, startsRank) &&
         within(dims.startMap, rank) &&
         dims.operandBatchingDims.size() == dims.startsBatchingDims.size() &&
         dims.windowDims.size() + dims.collapsedDims.size() +
                 dims.operandBatchingDims.size() ==
             rank &&
         static_cast<int64_t>(dims.startMap.size()) == components &&
         windows.shape.size() - dims.windowDims.size() ==
             startsRank - (implicit ? 0 : 1);
}

LogicalResult BlockReader::readPieces(Operation &op, const Node &concat,
                                      int64_t dim) {
  Node buffer = concat;
  buffer.op = Op::Undef;
  buffer.operands.clear();
  buffer.attrs = {};
  int32_t at = addUnique(buffer, -1);
  auto start = [&](int64_t value) {
    Node node;
    node.op = Op::Constant;
    node.type = ElementType::S64;
    node.bits = static_cast<uint64_t>(value);
    node.location = concat.location;
    return add(node);
  };
  int64_t begin = 0;
  for (int32_t piece : concat.operands) {
    int64_t size = result.graph[piece].shape[dim];
    Node update = concat;
    update.op = Op::UpdateSlice;
    update.attrs = {};
    update.operands = {at, piece};
    for (size_t d = 0; d < concat.shape.size(); ++d)
      update.operands.push_back(
          start(static_cast<int64_t>(d) == dim ? begin : 0));
    begin += size;
    if (result.graph[piece].elements() != 0)
      at = addUnique(update, -1);
  }
  ids[op.getResult(0)] = at;
  return success();
}

LogicalResult BlockReader::readMovement(Operation &op) {
  FailureOr<Node> made = start(&op, op.getResult(0).getType(), Op::Broadcast);
  if (failed(made))
    return failure();
  Node &node = *made;
  if (failed(operands(op, node)))
    return failure();
  if (auto x = dyn_cast<hlo::BroadcastInDimOp>(op)) {
    node.attrs = BroadcastAttrs{Shape(x.getBroadcastDimensions())};
    // A broadcast that only adds dimensions of size 1 in order is a reshape.
    const Node &from = result.graph[node.operands[0]];
    if (from.elements() == node.elements() &&
        llvm::is_sorted(x.getBroadcastDimensions())) {
      node.op = Op::Reshape;
      node.attrs = {};
    }
  } else if (isa<hlo::ReshapeOp>(op)) {
    node.op = Op::Reshape;
  } else if (auto x = dyn_cast<hlo::TransposeOp>(op)) {
    node.op = Op::Transpose;
    node.attrs = TransposeAttrs{Shape(x.getPermutation())};
  } else if (auto x = dyn_cast<hlo::SliceOp>(op)) {
    node.op = Op::Slice;
    node.attrs = SliceAttrs{Shape(x.getStartIndices()), Shape(x.getStrides())};
  } else if (auto x = dyn_cast<hlo::ReverseOp>(op)) {
    node.op = Op::Reverse;
    node.attrs = ReverseAttrs{Shape(x.getDimensions())};
  } else if (auto x = dyn_cast<hlo::PadOp>(op)) {
    node.op = Op::Pad;
    node.attrs =
        PadAttrs{Shape(x.getEdgePaddingLow()), Shape(x.getInteriorPadding())};
  } else if (auto x = dyn_cast<hlo::ConcatenateOp>(op)) {
    node.op = Op::Concat;
    node.attrs = ConcatAttrs{static_cast<int64_t>(x.getDimension())};
    // Write many operands one by one into one buffer.
    if (node.operands.size() > maxConcatOperands)
      return readPieces(op, node, x.getDimension());
  } else if (isa<hlo::BitcastConvertOp>(op)) {
    node.op = Op::Bitcast;
    const Node &from = result.graph[node.operands[0]];
    if (from.type == node.type)
      node.op = Op::Reshape;
    else if (from.type == ElementType::Pred || node.type == ElementType::Pred ||
             isComplex(from.type) || isComplex(node.type))
      return op.emitError()
             << "bitcast_convert from " << str(from.type) << " to "
             << str(node.type) << " is not supported by the cpu backend";
  } else if (isa<hlo::DynamicSliceOp>(op)) {
    node.op = Op::DynamicSlice;
  } else if (isa<hlo::DynamicUpdateSliceOp>(op)) {
    node.op = Op::UpdateSlice;
  } else if (auto x = dyn_cast<hlo::GatherOp>(op)) {
    node.op = Op::Gather;
    hlo::GatherDimensionNumbersAttr d = x.getDimensionNumbers();
    GatherAttrs attrs{{Shape(d.getOffsetDims()),
                       Shape(d.getCollapsedSliceDims()),
                       Shape(d.getOperandBatchingDims()),
                       Shape(d.getStartIndicesBatchingDims()),
                       Shape(d.getStartIndexMap()), d.getIndexVectorDim()},
                      Shape(x.getSliceSizes())};
    const Node &from = result.graph[node.operands[0]];
    if (!windowDimsFit(from, result.graph[node.operands[1]], node,
                       attrs.dims) ||
        attrs.sliceSizes.size() != from.shape.size())
      return op.emitError("the dimension numbers do not fit the operands");
    node.attrs = std::move(attrs);
  } else {
    return unsupported(&op);
  }
  if (node.op == Op::Reshape &&
      result.graph[node.operands[0]].shape == node.shape) {
    ids[op.getResult(0)] = node.operands[0];
    return success();
  }
  ids[op.getResult(0)] = add(node);
  return success();
}

} // namespace shardwright::cpu
