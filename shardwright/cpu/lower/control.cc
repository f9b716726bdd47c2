//===- control.cc - lowering of loops and branches to steps ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/lower/lower_block.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace shardwright::cpu {

bool isInvariant(hlo::WhileOp op, unsigned i) {
  Block &body = op.getBody().front();
  return body.getTerminator()->getOperand(i) == body.getArgument(i);
}

// Approximate number of iterations of a loop. The bound of scans and counted
// loops, as JAX writes them, is a constant; any other loop gets a guess.
static double expectedTurns(hlo::WhileOp op) {
  constexpr double guess = 8;
  Value condition = op.getCond().front().getTerminator()->getOperand(0);
  auto compare = condition.getDefiningOp<hlo::CompareOp>();
  if (!compare ||
      compare.getComparisonDirection() != hlo::ComparisonDirection::LT)
    return guess;
  auto bound = compare.getRhs().getDefiningOp<hlo::ConstantOp>();
  auto elements =
      bound ? dyn_cast<DenseIntElementsAttr>(bound.getValue()) : nullptr;
  if (!elements || !elements.isSplat())
    return guess;
  return std::max(1.0, elements.getSplatValue<APInt>().signedRoundToDouble());
}

// Assigns the buffers of loops before lowering the steps in front of them, so
// that initial values used only by a loop are computed in place.
void BlockLowering::planLoops() {
  for (const Unit &unit : units) {
    if (unit.kind != Unit::Kind::Opaque)
      continue;
    const BlockGraph::Opaque &opaque = graph.opaque[unit.opaque];
    auto loop = dyn_cast<hlo::WhileOp>(opaque.op);
    if (!loop)
      continue;
    for (unsigned i = 0; i < loop->getNumResults(); ++i) {
      int32_t result = opaque.results[i], init = opaque.inputs[i];
      if (result < 0 || isLiveAtStart[result] || isInvariant(loop, i))
        continue;
      target(result);
      // Kernels read the viewed node directly, not through the view.
      bool alone = true;
      for (int32_t at = init; at >= 0; at = viewOf[at])
        alone &= useCount[at] == 1;
      if (alone)
        assignDestination(init, {slots[result], nullptr});
    }
  }
}

LogicalResult BlockLowering::lowerWhile(const BlockGraph::Opaque &opaque) {
  auto op = cast<hlo::WhileOp>(opaque.op);
  Block &cond = op.getCond().front(), &body = op.getBody().front();
  int32_t location = p.locations.add(op);
  unsigned n = op->getNumResults();
  if (cond.getNumArguments() != n || body.getNumArguments() != n ||
      body.getTerminator()->getNumOperands() != n ||
      cond.getTerminator()->getNumOperands() != 1)
    return op.emitError("the regions do not match the operands");
  for (auto [i, value] : llvm::enumerate(opaque.captured))
    p.slotOfValue[value] = slot(opaque.inputs[n + i]);
  llvm::SmallVector<DestinationHint, 4> hints(n);
  for (unsigned i = 0; i < n; ++i) {
    int32_t result = opaque.results[i];
    if (result < 0)
      continue;
    SlotId init = slot(opaque.inputs[i]);
    if (isInvariant(op, i))
      slots[result] = init;
    SlotId carried = target(result);
    p.copy(init, carried, location);
    hints[i] = {carried, body.getArgument(i)};
    p.slotOfValue[cond.getArgument(i)] = carried;
    p.slotOfValue[body.getArgument(i)] = carried;
  }
  llvm::SaveAndRestore repeats(p.repeats, p.repeats * expectedTurns(op));
  int32_t start = p.here();
  auto predicate = BlockLowering(p, cond, false).run({DestinationHint()});
  if (failed(predicate))
    return failure();
  int32_t exit = p.here();
  p.addStep(StepKind::JumpIfFalse, {(*predicate)[0]}, {}, location);
  auto next = BlockLowering(p, body, true).run(hints);
  if (failed(next))
    return failure();
  // The moves are parallel: values that another move overwrites are saved
  // first.
  llvm::SmallVector<std::pair<SlotId, SlotId>> moves;
  for (unsigned i = 0; i < n; ++i)
    if (hints[i].slot >= 0 && !p.sameBytes((*next)[i], hints[i].slot))
      moves.push_back({(*next)[i], hints[i].slot});
  for (auto &[from, to] : moves) {
    SlotId source = p.base(from);
    if (llvm::none_of(moves,
                      [&](auto &m) { return p.base(m.second) == source; }))
      continue;
    SlotId saved =
        p.makeSlot(program.slots[from].type, program.slots[from].shape);
    p.copy(from, saved, location);
    from = saved;
  }
  for (auto [from, to] : moves)
    p.copy(from, to, location);
  p.addStep(StepKind::Jump, {}, {}, location).target = start;
  program.steps[exit].target = p.here();
  return success();
}

LogicalResult BlockLowering::lowerBranches(const BlockGraph::Opaque &opaque) {
  Operation *op = opaque.op;
  int32_t location = p.locations.add(op);
  for (auto [i, value] : llvm::enumerate(opaque.captured))
    p.slotOfValue[value] = slot(opaque.inputs[1 + i]);
  llvm::SmallVector<DestinationHint, 4> hints;
  for (int32_t r : opaque.results)
    hints.push_back({r < 0 ? -1 : target(r), nullptr});
  int32_t decision = p.here();
  bool isIf = isa<hlo::IfOp>(op);
  SlotId selector = slot(opaque.inputs[0]);
  if (program.slots[selector].elements() != 1)
    return op->emitError("the predicate should be a scalar");
  Step &step = p.addStep(isIf ? StepKind::JumpIfFalse : StepKind::Switch,
                         {selector}, {}, location);
  auto list = static_cast<int32_t>(program.switchTargets.size());
  if (!isIf) {
    step.payload = list;
    program.switchTargets.emplace_back();
  }
  llvm::SmallVector<int32_t> jumps;
  for (auto [number, region] : llvm::enumerate(op->getRegions())) {
    if (!isIf)
      program.switchTargets[list].push_back(p.here());
    else if (number == 1)
      program.steps[decision].target = p.here();
    if (region.front().getTerminator()->getNumOperands() != hints.size())
      return op->emitError("a branch does not yield what the op returns");
    auto yielded = BlockLowering(p, region.front(), false).run(hints);
    if (failed(yielded))
      return failure();
    for (auto [from, hint] : llvm::zip_equal(*yielded, hints))
      if (hint.slot >= 0)
        p.copy(from, hint.slot, location);
    if (number + 1 < op->getNumRegions()) {
      jumps.push_back(p.here());
      p.addStep(StepKind::Jump, {}, {}, location);
    }
  }
  for (int32_t jump : jumps)
    program.steps[jump].target = p.here();
  return success();
}

} // namespace shardwright::cpu
