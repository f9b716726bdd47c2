//===- block_steps.cc - what a backend runs for a block -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/overlap/block_steps.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/ops/op_traits.h"
#include "shardwright/rules/rule_interface.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace shardwright {
namespace {

bool isConstant(Operation *op) { return op->hasTrait<OpTrait::ConstantLike>(); }

bool isView(Operation *op) {
  return isa<stablehlo::ReshapeOp, stablehlo::OptimizationBarrierOp>(op);
}

/// True if the op may run in the kernels of all its users.
bool runsInUsers(Operation *op) {
  if (getPartitionTraits(op).fusion != Fusion::WithUsers ||
      op->getNumResults() != 1 || op->use_empty())
    return false;
  for (Operation *user : op->getUsers())
    if (user->getBlock() != op->getBlock() ||
        user->hasTrait<OpTrait::IsTerminator>() ||
        getPartitionTraits(user).fusion == Fusion::Alone)
      return false;
  return true;
}

class Reader {
public:
  explicit Reader(Block &block) : block(block) {}
  std::vector<BlockStep> run();

private:
  void addInput(BlockStep &step, Value value, bool isPointwise);
  void readCaptured(BlockStep &step);

  Block &block;
  llvm::DenseMap<Operation *, bool> inUsers;
};

void Reader::addInput(BlockStep &step, Value value, bool isPointwise) {
  Operation *from = value.getDefiningOp();
  if (from && isConstant(from))
    return;
  if (from && from->getBlock() == &block && inUsers.lookup(from)) {
    for (Value operand : from->getOperands())
      addInput(step, operand, isPointwise);
    return;
  }
  auto *it = llvm::find(step.inputs, value);
  if (it != step.inputs.end()) {
    step.isPointwise[it - step.inputs.begin()] &= isPointwise;
    return;
  }
  step.inputs.push_back(value);
  step.isPointwise.push_back(isPointwise);
}

void Reader::readCaptured(BlockStep &step) {
  llvm::SetVector<Value> captured;
  step.op->walk([&](Operation *inner) {
    if (inner == step.op)
      return;
    for (Value value : inner->getOperands())
      if (!step.op->isAncestor(value.getParentRegion()->getParentOp()))
        captured.insert(value);
  });
  for (Value value : captured)
    addInput(step, value, false);
}

std::vector<BlockStep> Reader::run() {
  std::vector<BlockStep> steps;
  for (Operation &op : block.without_terminator()) {
    if (isConstant(&op))
      continue;
    bool fused = runsInUsers(&op);
    inUsers[&op] = fused;
    if (fused || (op.use_empty() && isMemoryEffectFree(&op)))
      continue;
    BlockStep step;
    step.op = &op;
    step.kind = isView(&op) ? BlockStep::Kind::View
                : getPartitionTraits(&op).fusion == Fusion::Alone
                    ? BlockStep::Kind::Op
                    : BlockStep::Kind::Kernel;
    if (isa<stablehlo::DynamicUpdateSliceOp, stablehlo::ScatterOp>(op))
      step.kind = BlockStep::Kind::Kernel;
    for (Value operand : op.getOperands())
      addInput(step, operand, op.hasTrait<OpTrait::Elementwise>());
    if (op.getNumRegions() > 0 && isControlFlow(&op))
      readCaptured(step);
    for (Value result : op.getResults()) {
      step.outputs.push_back(result);
      int32_t updated = -1;
      if (isa<stablehlo::DynamicUpdateSliceOp, stablehlo::ScatterOp>(op)) {
        auto *it =
            llvm::find(step.inputs,
                       op.getOperand(cast<OpResult>(result).getResultNumber()));
        if (it != step.inputs.end())
          updated = int32_t(it - step.inputs.begin());
      }
      step.updated.push_back(updated);
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

} // namespace

std::vector<BlockStep> stepsOfBlock(Block &block) {
  return Reader(block).run();
}

} // namespace shardwright
