//===- contraction.cc - reductions, windows, scatters and sorts -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/read/block_reader.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace shardwright::cpu {

/// Starts a node with its operands and its body, whose values keep their types.
FailureOr<Node> BlockReader::startReduction(Operation &op, Op kind,
                                            Region &region) {
  FailureOr<Node> node = start(&op, op.getResult(0).getType(), kind);
  if (failed(node) || failed(operands(op, *node)))
    return failure();
  FailureOr<std::shared_ptr<const Body>> body = readBody(region);
  if (failed(body))
    return failure();
  node->body = *body;
  size_t n = op.getNumResults();
  if ((*body)->results.size() != n || node->operands.size() != 2 * n)
    return op.emitError("the region's arguments do not match the operands");
  for (size_t i = 0; i < n; ++i)
    if ((*body)->nodes[(*body)->results[i]].type != (*body)->nodes[i].type)
      return op.emitError(
          "a reduction whose region changes the element type is "
          "not supported by the cpu backend yet");
  return node;
}

LogicalResult BlockReader::readReduce(hlo::ReduceOp op) {
  FailureOr<Node> node = startReduction(*op, Op::Reduce, op.getBody());
  if (failed(node))
    return failure();
  Shape dims = Shape(op.getDimensions());
  llvm::sort(dims);
  node->attrs = ReduceAttrs{dims};
  results(*op, add(*node));
  return success();
}

static Shape orOnes(std::optional<ArrayRef<int64_t>> values, size_t rank) {
  return values ? Shape(*values) : Shape(rank, 1);
}

LogicalResult BlockReader::readWindow(hlo::ReduceWindowOp op) {
  FailureOr<Node> node = startReduction(*op, Op::ReduceWindow, op.getBody());
  if (failed(node))
    return failure();
  size_t rank = node->shape.size();
  Shape low(rank, 0);
  if (auto padding = op.getPadding()) {
    auto values = llvm::to_vector(padding->getValues<int64_t>());
    if (values.size() == 2 * rank)
      for (size_t d = 0; d < rank; ++d)
        low[d] = values[2 * d];
    else if (values.size() == 1)
      low.assign(rank, values[0]);
  }
  node->attrs = ReduceWindowAttrs{Shape(op.getWindowDimensions()),
                                  orOnes(op.getWindowStrides(), rank),
                                  orOnes(op.getBaseDilations(), rank),
                                  orOnes(op.getWindowDilations(), rank), low};
  results(*op, add(*node));
  return success();
}

LogicalResult BlockReader::readScatter(hlo::ScatterOp op) {
  FailureOr<Node> node = start(op, op->getResult(0).getType(), Op::Scatter);
  if (failed(node) || failed(operands(*op, *node)))
    return failure();
  FailureOr<std::shared_ptr<const Body>> body =
      readBody(op.getUpdateComputation());
  if (failed(body))
    return failure();
  size_t n = op->getNumResults();
  if ((*body)->results.size() != n || node->operands.size() != 2 * n + 1)
    return op.emitError("the region's arguments do not match the operands");
  node->body = *body;
  hlo::ScatterDimensionNumbersAttr d = op.getScatterDimensionNumbers();
  WindowDims dims{Shape(d.getUpdateWindowDims()),
                  Shape(d.getInsertedWindowDims()),
                  Shape(d.getInputBatchingDims()),
                  Shape(d.getScatterIndicesBatchingDims()),
                  Shape(d.getScatterDimsToOperandDims()),
                  d.getIndexVectorDim()};
  for (size_t i = 0; i < n; ++i)
    if (!windowDimsFit(result.graph[node->operands[i]],
                       result.graph[node->operands[n]],
                       result.graph[node->operands[n + 1 + i]], dims))
      return op.emitError("the dimension numbers do not fit the operands");
  node->attrs = ScatterAttrs{std::move(dims)};
  results(*op, add(*node));
  return success();
}

LogicalResult BlockReader::readSort(hlo::SortOp op) {
  FailureOr<Node> node = start(op, op->getResult(0).getType(), Op::Sort);
  if (failed(node) || failed(operands(*op, *node)))
    return failure();
  FailureOr<std::shared_ptr<const Body>> body = readBody(op.getComparator());
  if (failed(body))
    return failure();
  node->body = *body;
  auto rank = static_cast<int64_t>(node->shape.size());
  int64_t dim = op.getDimension();
  if (dim < 0)
    dim += rank;
  if (dim < 0 || dim >= rank)
    return op.emitError("the sorted dimension is not one of the operands'");
  node->attrs = SortAttrs{dim, op.getIsStable()};
  results(*op, add(*node));
  return success();
}

} // namespace shardwright::cpu
