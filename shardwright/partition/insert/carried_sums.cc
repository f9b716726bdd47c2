//===- carried_sums.cc - sums that loops carry ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/insert/carried_sums.h"

#include "shardwright/partition/ops/linear_ops.h"
#include "shardwright/partition/ops/op_traits.h"
#include "shardwright/partition/ops/trip_count.h"
#include "shardwright/rules/reducer.h"

using namespace mlir;

namespace shardwright {

/// Limit of the changes of a carried value that are followed; each takes one
/// walk.
static constexpr size_t kMaxChanges = 1000;

/// True if the scatter replaces elements or adds to them.
static bool isLinearScatter(stablehlo::ScatterOp scatter) {
  Region &body = scatter.getUpdateComputation();
  if (scatter.getInputs().size() != 1 || !body.hasOneBlock())
    return false;
  return uniformReducer(body) == ReducerKind::Add ||
         body.front().getTerminator()->getOperand(0) == body.getArgument(1);
}

/// The other operand of an op that is linear in both, given one of them. Null
/// if the op is not, or if `use` is the update.
static OpOperand *termBeside(OpOperand &use) {
  Operation *op = use.getOwner();
  unsigned i = use.getOperandNumber();
  if (op->getNumResults() != 1 || !canAdd(op->getResult(0).getType()))
    return nullptr;
  if (isAdditive(op))
    return &op->getOpOperand(1 - i);
  if (isa<stablehlo::DynamicUpdateSliceOp>(op) && i == 0)
    return &op->getOpOperand(1);
  if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op);
      scatter && i == 0 && isLinearScatter(scatter))
    return &op->getOpOperand(2);
  return nullptr;
}

/// The single use of a value; null if it has none or several.
static OpOperand *onlyUse(Value value) {
  return value.hasOneUse() ? &*value.use_begin() : nullptr;
}

/// The result of an inner loop that carries the partial sums `parts`, and the
/// all_reduce after it.
static std::optional<CarriedSum::Undone>
undoneWithin(sdy::ReplicatedToUnreducedOp parts) {
  OpOperand *into = onlyUse(parts.getResult());
  auto inner = into ? dyn_cast<stablehlo::WhileOp>(into->getOwner()) : nullptr;
  if (!inner)
    return std::nullopt;
  OpOperand *then = onlyUse(inner->getResult(into->getOperandNumber()));
  auto reduce = then ? dyn_cast<sdy::AllReduceOp>(then->getOwner()) : nullptr;
  if (!reduce || reduce.getReductionAxesAttr() != parts.getAxesAttr())
    return std::nullopt;
  return CarriedSum::Undone{parts, reduce};
}

std::optional<CarriedSum> carriedSum(stablehlo::WhileOp loop, unsigned index) {
  Block &body = loop.getBody().front();
  if (index >= loop->getNumOperands() ||
      !loop.getCond().getArgument(index).use_empty())
    return std::nullopt;
  CarriedSum sum{loop, index};
  Value value = body.getArgument(index);
  while (OpOperand *use = onlyUse(value)) {
    Operation *op = use->getOwner();
    sum.path.push_back(value);
    if (op->getBlock() != &body || sum.path.size() > kMaxChanges)
      return std::nullopt;
    if (op == body.getTerminator())
      return use->getOperandNumber() == index ? std::optional(std::move(sum))
                                              : std::nullopt;
    if (auto parts = dyn_cast<sdy::ReplicatedToUnreducedOp>(op)) {
      std::optional<CarriedSum::Undone> undone = undoneWithin(parts);
      if (!undone)
        return std::nullopt;
      value = undone->reduce.getResult();
      sum.undone.push_back(*undone);
      continue;
    }
    if (isa<sdy::ReshardOp>(op)) {
      value = op->getResult(0);
      continue;
    }
    if (auto inner = dyn_cast<stablehlo::WhileOp>(op)) {
      if (!carriedSum(inner, use->getOperandNumber()))
        return std::nullopt;
      sum.hasInnerLoop = true;
      value = inner->getResult(use->getOperandNumber());
      continue;
    }
    if (OpOperand *term =
            soleLinearOperand(op) == use ? nullptr : termBeside(*use))
      sum.terms.push_back(term);
    else if (soleLinearOperand(op) != use)
      return std::nullopt;
    value = op->getResult(0);
  }
  return std::nullopt;
}

/// The loop and index whose carried value accumulates the value.
using Carrier = std::pair<stablehlo::WhileOp, unsigned>;
static std::optional<Carrier> carrierOf(Value value) {
  for (size_t changes = 0; changes < kMaxChanges; ++changes) {
    OpOperand *use = onlyUse(value);
    if (!use)
      return std::nullopt;
    Operation *op = use->getOwner();
    if (isa<stablehlo::ReturnOp>(op)) {
      auto loop = dyn_cast<stablehlo::WhileOp>(op->getParentOp());
      if (!loop || op->getParentRegion() != &loop.getBody())
        return std::nullopt;
      return Carrier(loop, use->getOperandNumber());
    }
    if (auto inner = dyn_cast<stablehlo::WhileOp>(op))
      value = inner->getResult(use->getOperandNumber());
    else if (isa<sdy::ReshardOp>(op) || soleLinearOperand(op) == use ||
             termBeside(*use))
      value = op->getResult(0);
    else
      return std::nullopt;
  }
  return std::nullopt;
}

int64_t timesAddedUp(Operation *op) {
  if (op->getNumResults() != 1 || !isa<stablehlo::WhileOp>(op->getParentOp()) ||
      !(isContraction(op) ||
        isa<stablehlo::ReduceOp, stablehlo::ScatterOp>(op)))
    return 1;
  int64_t times = 1;
  auto multiply = [&](stablehlo::WhileOp loop) {
    int64_t trips = std::max<int64_t>(knownTripCount(loop).value_or(1), 1);
    times = times > INT32_MAX / trips ? times : times * trips;
  };
  Value value = op->getResult(0);
  while (OpOperand *use = onlyUse(value)) {
    Operation *user = use->getOwner();
    if (isa<sdy::ReshardOp>(user) || soleLinearOperand(user) == use) {
      value = user->getResult(0);
      continue;
    }
    // If the return of an enclosing loop uses the result, that loop carries it.
    if (isa<stablehlo::ReturnOp>(user)) {
      auto loop = dyn_cast<stablehlo::WhileOp>(user->getParentOp());
      unsigned index = use->getOperandNumber();
      if (!loop || user->getParentRegion() != &loop.getBody() ||
          !carriedSum(loop, index))
        break;
      multiply(loop);
      value = loop->getResult(index);
      continue;
    }
    std::optional<Carrier> carrier;
    if (user->getNumResults() == 1)
      carrier = carrierOf(user->getResult(0));
    if (!carrier)
      break;
    auto [loop, index] = *carrier;
    std::optional<CarriedSum> sum = carriedSum(loop, index);
    if (!sum || !llvm::is_contained(sum->terms, use))
      break;
    // Slices written one after another are reduced together, once.
    if (isAdditive(user))
      multiply(loop);
    value = loop->getResult(index);
  }
  return times;
}

} // namespace shardwright
