//===- live_ranges.cc - which values are alive together -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/assign/live_ranges.h"

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/ops/op_traits.h"
#include "shardwright/support/id_map.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace shardwright {

/// Ops whose regions run in place, op by op.
static bool runsRegions(Operation *op) { return isControlFlow(op); }

void LiveRanges::number(Block &block) {
  for (Operation &op : block) {
    beginOf[&op] = size;
    if (runsRegions(&op))
      for (Region &region : op.getRegions())
        if (!region.empty())
          number(region.front());
    endOf[&op] = size++;
  }
}

void LiveRanges::addValue(Value value, const ProgramModel &model,
                          OpCosts &costs) {
  auto it = model.classOf.find(value);
  if (it == model.classOf.end())
    return;
  Range range;
  range.value = it->second;
  Block *block = value.getParentBlock();
  if (Operation *op = value.getDefiningOp()) {
    // Fused values are not in memory, and results of @main are counted there.
    if (!runsRegions(op) && costs.heldBytes(value) == 0)
      return;
    range.begin = range.end = endOf.lookup(op);
  } else {
    Operation *parent = block->getParentOp();
    range.begin = beginOf.lookup(parent);
    range.end = endOf.lookup(parent);
  }
  range.firstUse = size;
  for (OpOperand &use : value.getUses()) {
    Operation *user = block->findAncestorOpInBlock(*use.getOwner());
    if (!user)
      continue;
    if (isa<func::ReturnOp>(user))
      return;
    // A loop takes over what it begins with.
    bool isInit = user == use.getOwner() && isa<stablehlo::WhileOp>(user);
    range.firstUse = std::min(range.firstUse, beginOf.lookup(user));
    range.lastUse = std::max(range.lastUse, isInit ? beginOf.lookup(user)
                                                   : endOf.lookup(user));
  }
  range.end = std::max(range.end, range.lastUse);
  ranges.push_back(range);
}

void LiveRanges::addBlock(Block &block, const ProgramModel &model,
                          OpCosts &costs) {
  for (Operation &op : block) {
    for (Value result : op.getResults())
      addValue(result, model, costs);
    if (!runsRegions(&op))
      continue;
    for (Region &region : op.getRegions()) {
      if (region.empty())
        continue;
      // The regions of a loop share what it carries.
      if (!isa<stablehlo::WhileOp>(op) || region.getRegionNumber() == 1)
        for (Value argument : region.front().getArguments())
          addValue(argument, model, costs);
      addBlock(region.front(), model, costs);
    }
  }
}

void LiveRanges::addBorder(Operation *op, const PlannerInput &input,
                           const ProgramModel &model) {
  auto main = cast<func::FuncOp>(op);
  IdSet donatedResults, donors;
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    if (auto alias =
            main.getArgAttrOfType<IntegerAttr>(i, "tf.aliasing_output"))
      donatedResults.insert(alias.getInt());
    if (auto donor = main.getArgAttrOfType<BoolAttr>(i, "jax.buffer_donor");
        donor && donor.getValue())
      donors.insert(i);
  }
  Block &body = main.getBody().front();
  for (auto [classes, group] : llvm::zip(model.classesOfGroup, input.groups)) {
    if (group.isInner)
      continue;
    int32_t value = classes.front();
    Range whole;
    whole.value = value;
    whole.end = size - 1;
    whole.firstUse = size;
    // Donors give their memory to results of their group, one each.
    int64_t given = 0;
    for (Value argument : group.values) {
      given += donors.contains(cast<BlockArgument>(argument).getArgNumber());
      Range range = whole;
      for (Operation *user : argument.getUsers()) {
        Operation *at = body.findAncestorOpInBlock(*user);
        if (!at || isa<func::ReturnOp>(at))
          continue;
        range.firstUse = std::min(range.firstUse, beginOf.lookup(at));
        range.lastUse = std::max(range.lastUse, endOf.lookup(at));
      }
      ranges.push_back(range);
    }
    for (int32_t result : group.results)
      if (!donatedResults.contains(result) && given-- <= 0)
        ranges.push_back(whole);
  }
}

LiveRanges::LiveRanges(const PlannerInput &input, const ProgramModel &model,
                       OpCosts &costs) {
  func::FuncOp main = sdy::getMainFunc(input.module);
  number(main.getBody().front());
  addBorder(main, input, model);
  addBlock(main.getBody().front(), model, costs);
}

LiveSet LiveRanges::peakSet(llvm::function_ref<double(int32_t)> held,
                            llvm::function_ref<double(int32_t)> copied,
                            llvm::function_ref<double(int32_t)> whole,
                            double &peak) const {
  std::vector<double> change(size + 1);
  for (const Range &range : ranges) {
    double bytes = held(range.value), copies = copied(range.value);
    change[range.begin] += bytes;
    change[range.end + 1] -= bytes;
    if (copies > 0 && range.lastUse >= range.firstUse) {
      change[range.firstUse] += copies;
      change[range.lastUse + 1] -= copies;
    }
  }
  double now = 0;
  int32_t at = 0;
  peak = 0;
  for (int32_t i = 0; i < size; ++i) {
    now += change[i];
    // Rounding does not choose between equal places.
    if (now > peak * (1 + 1e-9)) {
      peak = now;
      at = i;
    }
  }
  llvm::MapVector<int32_t, LiveSet::Held> sums;
  for (const Range &range : ranges) {
    bool isHeld = range.begin <= at && at <= range.end;
    bool isCopied = range.firstUse <= at && at <= range.lastUse;
    if (!isHeld && !isCopied)
      continue;
    LiveSet::Held &sum = sums[range.value];
    sum.value = range.value;
    sum.bytes += isHeld ? whole(range.value) : 0;
    sum.copyBytes += isCopied ? whole(range.value) : 0;
  }
  LiveSet set;
  set.place = at;
  for (auto &[value, sum] : sums)
    set.held.push_back(sum);
  return set;
}

} // namespace shardwright
