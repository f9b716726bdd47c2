//===- hoist_collectives.cc - hoist collectives out of loops --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values that a loop carries unchanged, and values computed only from them, are
// loop-invariant. Loops are processed from the inside out, so a collective
// moves as far out as its operands allow. Hoisted values live as long as the
// loop, so large gathers stay inside: weights that each layer gathers are
// sharded so that only one layer's weights are full-size at a time.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/combine/hoist_collectives.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/combine/join_collectives.h"
#include "shardwright/partition/support/tensor_types.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace shardwright {
namespace {

double bytesOf(TypeRange types) {
  double bytes = 0;
  for (Type type : types)
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && tensor.hasStaticShape())
      bytes += elementBytes(type) * double(tensor.getNumElements());
  return bytes;
}

class LoopHoister {
public:
  explicit LoopHoister(stablehlo::WhileOp loop)
      : loop(loop), body(loop.getBody().front()) {}
  void run(ArrayRef<Operation *> collectives);

private:
  bool isInvariant(Value value) const;
  /// True if the op of the body is loop-invariant and may execute even if the
  /// loop is never entered. Requires that earlier ops of the body are
  /// classified.
  bool isInvariant(Operation &op) const;
  double largestOp();
  llvm::SetVector<Operation *> needed(Operation *op);
  void hoist(llvm::SetVector<Operation *> ops);

  stablehlo::WhileOp loop;
  Block &body;
  llvm::DenseSet<Operation *> invariant;
};

bool LoopHoister::isInvariant(Value value) const {
  if (auto arg = dyn_cast<BlockArgument>(value); arg && arg.getOwner() == &body)
    return body.getTerminator()->getOperand(arg.getArgNumber()) == arg;
  return !body.getParent()->isAncestor(value.getParentRegion()) ||
         invariant.contains(value.getDefiningOp());
}

bool LoopHoister::isInvariant(Operation &op) const {
  if (!mayBeJoined(&op) && !(isMemoryEffectFree(&op) && isSpeculatable(&op)))
    return false;
  llvm::SetVector<Value> used(op.operand_begin(), op.operand_end());
  getUsedValuesDefinedAbove(op.getRegions(), used);
  return llvm::all_of(used, [&](Value value) { return isInvariant(value); });
}

double LoopHoister::largestOp() {
  double largest = 0;
  body.walk([&](Operation *op) {
    if (!isa<stablehlo::WhileOp>(op) && !op->hasTrait<OpTrait::IsTerminator>())
      largest = std::max(largest, bytesOf(op->getOperandTypes()) +
                                      bytesOf(op->getResultTypes()));
  });
  return largest;
}

/// The op and the ops of the body that it depends on.
llvm::SetVector<Operation *> LoopHoister::needed(Operation *op) {
  llvm::SetVector<Operation *> ops;
  ops.insert(op);
  for (size_t i = 0; i < ops.size(); ++i) {
    llvm::SetVector<Value> sources(ops[i]->operand_begin(),
                                   ops[i]->operand_end());
    getUsedValuesDefinedAbove(ops[i]->getRegions(), sources);
    for (Value source : sources)
      if (Operation *from = source.getDefiningOp();
          from && from->getBlock() == &body)
        ops.insert(from);
  }
  return ops;
}

/// Moves the ops in front of the loop, in program order.
void LoopHoister::hoist(llvm::SetVector<Operation *> ops) {
  for (Operation *op : ops)
    op->walk([&](Operation *inner) {
      for (OpOperand &use : inner->getOpOperands())
        if (auto arg = dyn_cast<BlockArgument>(use.get());
            arg && arg.getOwner() == &body)
          use.set(loop->getOperand(arg.getArgNumber()));
    });
  SmallVector<Operation *> ordered = ops.takeVector();
  llvm::sort(ordered,
             [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); });
  for (Operation *next : ordered)
    next->moveBefore(loop);
}

void LoopHoister::run(ArrayRef<Operation *> collectives) {
  for (Operation &op : body)
    if (isInvariant(op))
      invariant.insert(&op);
  double room = -1;
  for (Operation *op : collectives) {
    // It may have been hoisted with an earlier one.
    if (!invariant.contains(op) || op->getBlock() != &body)
      continue;
    if (room < 0)
      room = largestOp();
    // Only gathers increase the memory in use; other ops replace their
    // operands.
    llvm::SetVector<Operation *> ops = needed(op);
    double bytes = 0;
    for (Operation *next : ops)
      if (double held = bytesOf(next->getResultTypes());
          mayBeJoined(next) && held > bytesOf(next->getOperandTypes()))
        bytes += held;
    if (bytes > room)
      continue;
    room -= bytes;
    hoist(std::move(ops));
  }
}

} // namespace

void hoistCollectives(func::FuncOp func) {
  // Inner loops first, so that outer loops see the hoisted ops.
  func.walk([](stablehlo::WhileOp loop) {
    SmallVector<Operation *> collectives;
    for (Operation &op : loop.getBody().front())
      if (mayBeJoined(&op))
        collectives.push_back(&op);
    if (!collectives.empty())
      LoopHoister(loop).run(collectives);
  });
}

} // namespace shardwright
