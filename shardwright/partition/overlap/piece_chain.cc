//===- piece_chain.cc - chains of ops applied to slices -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/overlap/piece_chain.h"

#include "shardwright/partition/ops/op_traits.h"
#include "shardwright/partition/support/tensor_types.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace shardwright {
namespace {

/// True for elementwise ops on tensors of one static shape and on scalars.
bool appliesToSlices(Operation *op) {
  if (!isElementwiseFunction(op))
    return false;
  ArrayRef<int64_t> shape = dimsOf(op->getResult(0).getType());
  return !shape.empty() && llvm::all_of(op->getOperandTypes(), [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && (tensor.getRank() == 0 || tensor.getShape() == shape);
  });
}

bool isLink(Operation *op) {
  return appliesToSlices(op) || isa<stablehlo::TransposeOp>(op);
}

/// The result dimension for dimension `dim` of the operand.
int64_t dimBehind(Operation *op, int64_t dim) {
  auto transpose = dyn_cast<stablehlo::TransposeOp>(op);
  if (!transpose)
    return dim;
  return llvm::find(transpose.getPermutation(), dim) -
         transpose.getPermutation().begin();
}

int64_t dimBefore(Operation *op, int64_t dim) {
  auto transpose = dyn_cast<stablehlo::TransposeOp>(op);
  return transpose ? transpose.getPermutation()[dim] : dim;
}

/// A splat constant resized to `type`; null for other values.
Value resized(OpBuilder &builder, Value value, RankedTensorType type) {
  DenseElementsAttr splat;
  if (!matchPattern(value, m_Constant(&splat)) || !splat.isSplat())
    return {};
  return stablehlo::ConstantOp::create(builder, value.getLoc(),
                                       splat.resizeSplat(type));
}

} // namespace

PieceChain PieceChain::from(OpOperand &use, int64_t dim) {
  PieceChain chain;
  chain.start = use.get();
  chain.end = &use;
  chain.dim = dim;
  for (;;) {
    Operation *op = chain.end->getOwner();
    // An op that uses the value twice would need two chains.
    bool isTwice = llvm::count(op->getOperands(), chain.end->get()) > 1;
    if (!isLink(op) || isTwice || !op->hasOneUse() ||
        dimsOf(chain.end->get().getType()).empty() ||
        op->getResult(0).use_begin()->getOwner()->getBlock() != op->getBlock())
      return chain;
    chain.links.push_back({op, chain.end->getOperandNumber(), chain.dim});
    chain.dim = dimBehind(op, chain.dim);
    chain.end = &*op->getResult(0).use_begin();
  }
}

std::optional<PieceChain>
PieceChain::backTo(Value value, int64_t dim,
                   llvm::function_ref<bool(Operation *)> isStart) {
  Operation *op = value.getDefiningOp();
  if (!op || !value.hasOneUse() ||
      value.use_begin()->getOwner()->getBlock() != op->getBlock())
    return std::nullopt;
  if (isStart(op)) {
    PieceChain chain;
    chain.start = value;
    chain.dim = dim;
    return chain;
  }
  if (!isLink(op))
    return std::nullopt;
  int64_t before = dimBefore(op, dim);
  for (OpOperand &operand : op->getOpOperands()) {
    if (dimsOf(operand.get().getType()).empty())
      continue;
    std::optional<PieceChain> chain = backTo(operand.get(), before, isStart);
    if (!chain)
      continue;
    chain->links.push_back({op, operand.getOperandNumber(), before});
    chain->dim = dim;
    return chain;
  }
  return std::nullopt;
}

bool PieceChain::isKnownBefore(Operation *op) const {
  for (const Link &link : links)
    for (OpOperand &operand : link.op->getOpOperands()) {
      Operation *from = operand.get().getDefiningOp();
      if (operand.getOperandNumber() != link.operand && from &&
          from->getBlock() == op->getBlock() && !from->isBeforeInBlock(op))
        return false;
    }
  return true;
}

double PieceChain::seconds(OpCosts &costs) const {
  double seconds = 0;
  for (const Link &link : links)
    seconds += costs.seconds(link.op);
  return seconds;
}

Value PieceChain::onPiece(OpBuilder &builder, RingBuilder &rings, Value piece,
                          Value at, int64_t size) const {
  for (const Link &link : links) {
    IRMapping mapping;
    mapping.map(link.op->getOperand(link.operand), piece);
    for (OpOperand &operand : link.op->getOpOperands()) {
      auto type = cast<RankedTensorType>(operand.get().getType());
      if (operand.getOperandNumber() == link.operand || type.getRank() == 0)
        continue;
      SmallVector<int64_t> shape(type.getShape());
      shape[link.dimIn] = size;
      Value part =
          resized(builder, operand.get(), type.clone(ArrayRef<int64_t>(shape)));
      if (!part)
        part = rings.piece(builder, link.op->getLoc(), operand.get(),
                           link.dimIn, at, size);
      mapping.map(operand.get(), part);
    }
    auto type = cast<RankedTensorType>(link.op->getResult(0).getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[dimBehind(link.op, link.dimIn)] = size;
    Operation *clone = builder.clone(*link.op, mapping);
    clone->getResult(0).setType(type.clone(ArrayRef<int64_t>(shape)));
    piece = clone->getResult(0);
  }
  return piece;
}

void PieceChain::eraseUnused() const {
  for (const Link &link : llvm::reverse(links))
    if (link.op->use_empty())
      link.op->erase();
}

} // namespace shardwright
