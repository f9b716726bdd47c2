//===- block_steps.cc - what a backend runs for a block -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/overlap/block_steps.h"

#include "shardwright/partition/overlap/fuse_kernels.h"

using namespace mlir;

namespace shardwright {
namespace {

using Kind = KernelNode::Kind;

/// True if the node's value is in memory that the program counts: not for
/// constants, which all devices share.
bool isHeld(const KernelNode &node) {
  if (!node.value)
    return false;
  Operation *op = node.value.getDefiningOp();
  return node.kind == Kind::Leaf ? node.op != nullptr
                                 : !op || op->getNumOperands() != 0 ||
                                       !op->hasTrait<OpTrait::ConstantLike>();
}

BlockStep toStep(const KernelNodes &graph, const FusedUnit &unit) {
  const KernelNode &root = graph.nodes[unit.root];
  BlockStep step;
  step.op = root.op;
  step.scratchBytes = root.scratchBytes;
  step.kind = unit.isKernel                          ? BlockStep::Kind::Kernel
              : root.kind == KernelNode::Kind::Alone ? BlockStep::Kind::Op
                                                     : BlockStep::Kind::View;
  llvm::SmallVector<int32_t, 4> stepInput(unit.inputs.size(), -1);
  for (auto [i, input] : llvm::enumerate(unit.inputs)) {
    const KernelNode &from = graph.nodes[input];
    // The pieces before are in the output.
    if (!isHeld(from) || (root.kind == Kind::Piece &&
                          from.kind == Kind::Piece && from.op == root.op))
      continue;
    stepInput[i] = int32_t(step.inputs.size());
    step.inputs.push_back(from.value);
    step.isPointwise.push_back(unit.isPointwise[i]);
  }
  for (int32_t output : unit.outputs) {
    const KernelNode &made = graph.nodes[output];
    auto add = [&](Value value, int32_t updated) {
      step.outputs.push_back(value);
      step.updated.push_back(updated);
    };
    if (made.op->getNumResults() > 1 && made.kind != Kind::Scatter) {
      for (Value result : made.op->getResults())
        if (!result.use_empty())
          add(result, -1);
      continue;
    }
    if (made.kind != Kind::Update && made.kind != Kind::Scatter) {
      if (made.value)
        add(made.value, -1);
      continue;
    }
    for (auto [r, result] : llvm::enumerate(made.op->getResults())) {
      const auto *it = llvm::find(unit.inputs, made.operands[r]);
      add(result,
          it == unit.inputs.end() ? -1 : stepInput[it - unit.inputs.begin()]);
    }
  }
  return step;
}

} // namespace

std::vector<BlockStep> stepsOfBlock(Block &block) {
  KernelNodes graph = readKernelNodes(block);
  std::vector<FusedUnit> units = fuseKernels(graph);
  std::vector<BlockStep> steps;
  steps.reserve(units.size());
  for (const FusedUnit &unit : units)
    steps.push_back(toStep(graph, unit));
  return steps;
}

} // namespace shardwright
