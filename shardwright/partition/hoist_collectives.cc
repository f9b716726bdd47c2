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
  bool isInvariant(Value value);
  /// Whether the op, of the body, is the same in every iteration and may take
  /// place in a program that never enters the loop.
  bool isInvariant(Operation *op);
  double largestOp();
  void hoist(Operation *op);

  stablehlo::WhileOp loop;
  Block &body;
  llvm::DenseMap<Operation *, bool> known;
};

bool LoopHoister::isInvariant(Value value) {
  if (auto arg = dyn_cast<BlockArgument>(value); arg && arg.getOwner() == &body)
    return body.getTerminator()->getOperand(arg.getArgNumber()) == arg;
  if (!loop.getBody().isAncestor(value.getParentRegion()))
    return true;
  Operation *op = value.getDefiningOp();
  return op && op->getBlock() == &body && isInvariant(op);
}

bool LoopHoister::isInvariant(Operation *op) {
  if (auto it = known.find(op); it != known.end())
    return it->second;
  bool can = mayBeJoined(op) || (isMemoryEffectFree(op) && isSpeculatable(op));
  can = can && llvm::all_of(op->getOperands(),
                            [&](Value value) { return isInvariant(value); });
  if (can && op->getNumRegions() != 0) {
    llvm::SetVector<Value> used;
    getUsedValuesDefinedAbove(op->getRegions(), used);
    can = llvm::all_of(used, [&](Value value) { return isInvariant(value); });
  }
  return known[op] = can;
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

/// Its sources first.
void LoopHoister::hoist(Operation *op) {
  if (op->getBlock() != &body)
    return;
  llvm::SetVector<Value> sources(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), sources);
  for (Value source : sources) {
    if (Operation *from = source.getDefiningOp()) {
      hoist(from);
    } else if (auto arg = cast<BlockArgument>(source);
               arg.getOwner() == &body) {
      Value before = loop->getOperand(arg.getArgNumber());
      arg.replaceUsesWithIf(before, [&](OpOperand &use) {
        return op->isAncestor(use.getOwner());
      });
    }
  }
  op->moveBefore(loop);
}

void LoopHoister::run(ArrayRef<Operation *> collectives) {
  double room = -1;
  for (Operation *op : collectives) {
    if (!isInvariant(op))
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
