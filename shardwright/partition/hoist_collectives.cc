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

#include "shardwright/partition/hoist_collectives.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/join_collectives.h"
#include "shardwright/partition/layout.h"

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
  void hoist(Operation *op);

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

/// With what it needs of the body, in order.
void LoopHoister::hoist(Operation *op) {
  llvm::SetVector<Operation *> moved;
  moved.insert(op);
  for (size_t i = 0; i < moved.size(); ++i) {
    llvm::SetVector<Value> sources(moved[i]->operand_begin(),
                                   moved[i]->operand_end());
    getUsedValuesDefinedAbove(moved[i]->getRegions(), sources);
    for (Value source : sources) {
      if (Operation *from = source.getDefiningOp()) {
        if (from->getBlock() == &body)
          moved.insert(from);
      } else if (auto arg = cast<BlockArgument>(source);
                 arg.getOwner() == &body) {
        arg.replaceUsesWithIf(loop->getOperand(arg.getArgNumber()),
                              [&](OpOperand &use) {
                                return moved[i]->isAncestor(use.getOwner());
                              });
      }
    }
  }
  SmallVector<Operation *> ordered = moved.takeVector();
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
    double bytes = bytesOf(op->getResultTypes());
    if (bytes > room)
      continue;
    room -= bytes;
    hoist(op);
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
