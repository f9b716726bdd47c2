//===- opaque.cc - operations that no kernel computes ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/dot/dot_layout.h"
#include "shardwright/cpu/read/block_reader.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace shardwright::cpu {

/// Reads an operation whose operands and results have buffers of their own.
LogicalResult BlockReader::readOpaque(Operation &op, bool ordered) {
  BlockGraph::Opaque opaque;
  opaque.op = &op;
  opaque.ordered = ordered;
  auto use = [&](Operation *user, Value v) -> LogicalResult {
    if (isa<hlo::TokenType>(v.getType())) {
      opaque.inputs.push_back(-1);
      return success();
    }
    FailureOr<int32_t> id = operand(user, v);
    if (failed(id))
      return failure();
    opaque.inputs.push_back(*id);
    return success();
  };
  for (Value v : op.getOperands())
    if (failed(use(&op, v)))
      return failure();
  // Outside values that the regions read.
  llvm::SetVector<Value> captured;
  op.walk([&](Operation *inner) {
    if (inner == &op)
      return;
    for (Value v : inner->getOperands()) {
      Region *home = v.getParentRegion();
      if (op.isAncestor(home->getParentOp()) ||
          isa<hlo::TokenType>(v.getType()))
        continue;
      if (Operation *def = v.getDefiningOp())
        if (isa<hlo::ConstantOp, hlo::IotaOp>(def))
          continue;
      captured.insert(v);
    }
  });
  // Scalar regions (of collectives) are read elsewhere.
  if (isa<hlo::WhileOp, hlo::CaseOp, hlo::IfOp>(op))
    for (Value v : captured) {
      if (failed(use(&op, v)))
        return failure();
      opaque.captured.push_back(v);
    }
  auto number = static_cast<int32_t>(result.opaque.size());
  for (Value v : op.getResults()) {
    if (isa<hlo::TokenType>(v.getType())) {
      opaque.results.push_back(-1);
      ids[v] = -1;
      continue;
    }
    FailureOr<Node> node = start(&op, v.getType(), Op::Extern);
    if (failed(node))
      return failure();
    ids[v] = addUnique(*node, number);
    opaque.results.push_back(ids[v]);
  }
  result.opaque.push_back(std::move(opaque));
  return success();
}

LogicalResult BlockReader::readDot(hlo::DotGeneralOp op) {
  FailureOr<Node> out = start(op, op.getType(), Op::Extern);
  if (failed(out))
    return failure();
  FailureOr<int32_t> lhs = operand(op, op.getLhs()),
                     rhs = operand(op, op.getRhs());
  if (failed(lhs) || failed(rhs))
    return failure();
  // A product of a complex and a real number is complex.
  for (FailureOr<int32_t> *side : {&lhs, &rhs}) {
    const Node &from = result.graph[**side];
    if (!isComplex(out->type) || isComplex(from.type))
      continue;
    Node converted;
    converted.op = Op::Convert;
    converted.type = out->type;
    converted.shape = from.shape;
    converted.operands = {**side};
    converted.location = locations.add(op);
    *side = add(converted);
  }
  hlo::DotDimensionNumbersAttr d = op.getDotDimensionNumbers();
  DotDims dims{Shape(d.getLhsBatchingDimensions()),
               Shape(d.getRhsBatchingDimensions()),
               Shape(d.getLhsContractingDimensions()),
               Shape(d.getRhsContractingDimensions())};
  BlockGraph::Opaque opaque;
  opaque.op = op;
  // Absorb transposes into strides where possible.
  Shape lhsShape = result.graph[*lhs].shape,
        rhsShape = result.graph[*rhs].shape;
  auto absorb = [&](int32_t &id, Shape &order, bool isLhs) {
    const Node &node = result.graph[id];
    if (node.op != Op::Transpose)
      return;
    const Shape &permutation = node.get<TransposeAttrs>().permutation;
    if (dotOperandFits(node.shape, permutation, dims, isLhs)) {
      order = permutation;
      id = node.operands[0];
    }
  };
  auto settle = [&](int32_t &id, Shape &order, bool isLhs) {
    absorb(id, order, isLhs);
    if (!order.empty() ||
        dotOperandFits(result.graph[id].shape, {}, dims, isLhs))
      return;
    // Strides cannot express it: insert one transpose before the dot.
    Shape permutation =
        dotOperandOrder(result.graph[id].shape.size(), dims, isLhs);
    id = addTranspose(op, id, permutation);
    // Through the inverse permutation, the shape is that of the op's operand.
    order = inversePermutation(permutation);
  };
  settle(*lhs, opaque.lhsOrder, true);
  settle(*rhs, opaque.rhsOrder, false);
  opaque.inputs = {*lhs, *rhs};
  // A transpose that is the only user of the result is stored directly.
  Value stored = op.getResult();
  if (op->hasOneUse())
    if (auto transpose = dyn_cast<hlo::TransposeOp>(*op->user_begin()))
      if (transpose->getBlock() == &block &&
          dotResultFits(out->shape, transpose.getPermutation(), lhsShape,
                        rhsShape, dims)) {
        opaque.outOrder = Shape(transpose.getPermutation());
        stored = transpose.getResult();
        done.insert(transpose);
        FailureOr<Node> moved = start(op, transpose.getType(), Op::Extern);
        if (failed(moved))
          return failure();
        out = moved;
      }
  auto number = static_cast<int32_t>(result.opaque.size());
  int32_t id = addUnique(*out, number);
  ids[stored] = id;
  opaque.results = {id};
  result.opaque.push_back(std::move(opaque));
  return success();
}

} // namespace shardwright::cpu
