//===- hoist_collectives.cc - collectives that loops repeat ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a loop hands on unchanged is the same in every iteration, and so is what
// is computed from such values alone. Loops are left from the inside out, so a
// collective goes as far as its operands allow. What is hoisted lives as long
// as the loop: whole weights that each layer gathers for itself stay inside,
// they are sharded to be there one at a time.
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
  /// Whether the op, of the body, is the same in every iteration and may take
  /// place in a program that never enters the loop; those before it are known.
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

/// The op and what it needs of the body.
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

/// In order.
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
    // An earlier one may have taken it along.
    if (!invariant.contains(op) || op->getBlock() != &body)
      continue;
    if (room < 0)
      room = largestOp();
    // What is not gathered takes the place of what it was made of.
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
  // Inner loops first: what leaves one is seen by the next.
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
