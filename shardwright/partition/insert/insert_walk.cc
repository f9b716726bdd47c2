//===- insert_walk.cc - walk that inserts collectives ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Visits blocks, loops, branches and manual computations in program order. The
// shardings of loops, branches, returns and manual computations are binding.
// All other ops are planned (plan_op.cc) and rewritten (apply_plan.cc) one by
// one.
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/insert/delay_reductions.h"
#include "shardwright/partition/insert/erase_unused.h"
#include "shardwright/partition/insert/inserter.h"
#include "shardwright/partition/insert/reduce_parts.h"
#include "shardwright/partition/insert/split_sort.h"
#include "shardwright/partition/insert/split_top_k.h"
#include "shardwright/partition/ops/op_traits.h"
#include "shardwright/partition/ops/trip_count.h"
#include "shardwright/partition/support/tensor_types.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright {

Inserter::NameTraits Inserter::traitsOf(Operation *op) {
  return traits.get(op->getName(), [&] {
    NameTraits its;
    its.isVisited = isControlFlow(op) || isa<sdy::ManualComputationOp>(op);
    its.isSdy = isa_and_nonnull<sdy::SdyDialect>(op->getDialect());
    // See visit().
    its.isPlain = !its.isVisited && (!its.isSdy || isa<sdy::ConstantOp>(op)) &&
                  !isa<stablehlo::OptimizationBarrierOp, stablehlo::ReduceOp,
                       stablehlo::SortOp>(op);
    its.mayHaveEffects = isHostTransfer(op) || isa<stablehlo::CustomCallOp>(op);
    its.addsUp = addsUp(op);
    return its;
  });
}

/// Fails on unreduced axes of a value that no collective can reduce: one
/// without a static shape, or a maximum of elements without an order.
static LogicalResult checkSummable(Operation *op,
                                   sdy::TensorShardingAttr sharding, Type type,
                                   StringRef what, int64_t i) {
  if (!sharding || sharding.getUnreducedAxes().empty())
    return success();
  ReductionKind kind = sdy::kindFromAttr(sharding.getReductionOp());
  if (!hasKind(type, kind))
    return op->emitError("has ")
           << what << " " << i << " of type " << type << " with unreduced axes "
           << "of kind '" << stringify(kind) << "', but its elements have no "
           << "order; use kind 'sum' or reduce it before";
  if (isStaticTensor(type))
    return success();
  return op->emitError("has ")
         << what << " " << i << " of type " << type
         << " with unreduced axes; only values of static shape can be partial "
         << "sums: reduce it before";
}

sdy::TensorShardingAttr Inserter::settled(sdy::TensorShardingAttr sharding,
                                          const Layout &layout) const {
  if (!sharding || layout.mesh >= 0 || sharding.emptyAxes())
    return meshes.toAttr(layout);
  return sdy::TensorShardingAttr::getFullyClosed(
      sharding.getContext(), sharding.getRank(), sharding.getMeshOrRef());
}

LogicalResult Inserter::runOnFunction(func::FuncOp func,
                                      const InlinedOps &found) {
  versions.reserve(found.count);
  if (func.isDeclaration())
    return success();
  if (!func.getBody().hasOneBlock())
    return func.emitError("function has ")
           << func.getBody().getBlocks().size()
           << " blocks; only structured control flow can be partitioned";
  wantedSums.emplace(func, meshes);
  for (BlockArgument arg : func.getArguments()) {
    if (failed(checkSummable(func, sdy::getSharding(arg), arg.getType(),
                             "argument", arg.getArgNumber())))
      return failure();
    Layout layout = meshes.toEvenLayout(sdy::getSharding(arg), arg.getType());
    if (sdy::TensorShardingAttr attr = settled(sdy::getSharding(arg), layout))
      sdy::setSharding(arg, attr);
    versions.define(arg, planOf(arg, [&] { return meshes.intern(layout); }));
  }
  SmallVector<LayoutRef> returns;
  for (auto [i, type] : llvm::enumerate(func.getResultTypes())) {
    sdy::TensorShardingAttr sharding = sdy::getFuncResultSharding(func, i);
    if (failed(checkSummable(func, sharding, type, "result", i)))
      return failure();
    Layout layout = meshes.toEvenLayout(sharding, type);
    if (sdy::TensorShardingAttr attr = settled(sharding, layout))
      sdy::setFuncResultSharding(func, i, attr);
    returns.push_back(meshes.intern(layout));
  }
  return visitBlock(func.getBody().front(), returns);
}

LogicalResult Inserter::visitBlock(Block &block, ArrayRef<LayoutRef> returns) {
  // A visit erases only the visited op, and inserts ops right beside it.
  Operation *terminator = block.getTerminator();
  Operation *before = nullptr;
  auto noteUpTo = [&](Operation *end) {
    note(before ? std::next(Block::iterator(before)) : block.begin(),
         Block::iterator(end));
    before = end->getPrevNode();
  };
  for (Operation *op = &block.front(); op != terminator;) {
    Operation *next = op->getNextNode();
    if (failed(visit(op)))
      return failure();
    noteUpTo(next);
    op = next;
  }
  if (terminator->getNumOperands() != returns.size())
    return terminator->emitError("returns ")
           << terminator->getNumOperands() << " values where " << returns.size()
           << " are expected";
  for (auto [use, layout] : llvm::zip(terminator->getOpOperands(), returns))
    use.set(versions.get(use.get(), layout, terminator));
  noteUpTo(terminator);
  return success();
}

/// Records new and visited ops while they are in the caches.
void Inserter::note(Block::iterator begin, Block::iterator end) {
  for (Operation &op : llvm::make_range(begin, end)) {
    NameTraits its = traitsOf(&op);
    if (its.addsUp)
      sums.push_back(&op);
    if (its.isSdy) {
      if (auto reduce = dyn_cast<sdy::AllReduceOp>(op))
        reduces.push_back(reduce);
      scatters |= isa<sdy::ReduceScatterOp>(op);
      slices |= isa<sdy::AllSliceOp>(op);
    }
    // Uses within regions that are not visited do not change any more.
    if (!its.isVisited)
      for (Region &region : op.getRegions())
        eraseAllUnused(region);
  }
}

LogicalResult Inserter::visit(Operation *op) {
  if (traitsOf(op).isPlain) {
    visitPlain(op);
    return success();
  }
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](sdy::ReshardOp reshard) {
        visitReshard(op, reshard.getInput(), reshard.getResult(),
                     reshard.getSharding());
        return success();
      })
      .Case([&](sdy::ShardingConstraintOp constraint) {
        visitReshard(op, constraint.getInput(), constraint.getResult(),
                     constraint.getSharding());
        return success();
      })
      .Case([&](sdy::PropagationBarrierOp barrier) {
        barrier.getResult().replaceAllUsesWith(barrier.getInput());
        op->erase();
        return success();
      })
      .Case([&](sdy::ShardingGroupOp) {
        op->erase();
        return success();
      })
      .Case([&](sdy::CollectiveOpInterface collective) {
        return visitCollective(collective);
      })
      .Case<sdy::DataFlowEdgeOp, sdy::FuncDataFlowEdgeOp,
            sdy::NamedComputationOp>([&](Operation *left) {
        return left->emitOpError("is left from propagation; run "
                                 "sdy-propagation-pipeline, which removes it");
      })
      .Case(
          [&](sdy::ManualComputationOp manual) { return visitManual(manual); })
      .Case([&](stablehlo::WhileOp loop) { return visitWhile(loop); })
      .Case<stablehlo::CaseOp, stablehlo::IfOp>(
          [&](Operation *branch) { return visitBranches(branch); })
      .Case([&](stablehlo::OptimizationBarrierOp barrier) {
        visitBarrier(barrier);
        return success();
      })
      .Case([&](stablehlo::ReduceOp reduce) {
        for (Operation *part : splitReduce(
                 reduce,
                 *versions.get(reduce.getInputs().front()).front().layout,
                 meshes))
          visitPlain(part);
        return success();
      })
      .Case([&](stablehlo::SortOp sort) {
        visitSort(sort);
        return success();
      })
      .Default([&](Operation *) {
        visitPlain(op);
        return success();
      });
}

/// Constants and similar ops are computed on every device, even if they are
/// wanted as partial sums: then one device keeps the value.
void Inserter::visitPlain(Operation *op) {
  if (op->getNumResults() == 1 &&
      ReshardCache::isRematerializable(op->getResult(0))) {
    Value result = op->getResult(0);
    replicateOperands(op);
    defineResults(op, planOf(result, [&] {
                    return meshes.intern(wanted(result)->completed());
                  }));
    return;
  }
  applyPlan(op, planOf(op));
}

void Inserter::visitBarrier(stablehlo::OptimizationBarrierOp op) {
  SmallVector<LayoutRef> layouts;
  for (auto [use, result] : llvm::zip(op->getOpOperands(), op->getResults())) {
    layouts.push_back(planOf(result, [&, result = Value(result)] {
      return wantedSums->withSums(result, propagated(result));
    }));
    use.set(versions.get(use.get(), layouts.back(), op));
  }
  defineResults(op, layouts);
}

void Inserter::visitSort(stablehlo::SortOp op) {
  const Layout &layout = *sortedLayout(op);
  auto parts = splitTopK(op, layout, meshes);
  if (parts.size() == 1 && op->getNumResults())
    parts = splitSort(op, layout, *wanted(op->getResult(0)), meshes);
  for (Operation *part : parts)
    visitPlain(part);
}

LayoutRef Inserter::sortedLayout(stablehlo::SortOp sort) {
  for (Value input : sort.getInputs())
    if (!ReshardCache::isRematerializable(versions.get(input).front().value))
      return versions.get(input).front().layout;
  return versions.get(sort.getInputs().front()).front().layout;
}

void Inserter::visitReshard(Operation *op, Value input, Value result,
                            sdy::TensorShardingAttr sharding) {
  LayoutRef layout = &meshes.toLayout(sharding, result.getType());
  Value made = versions.get(input, layout, op);
  if (!layout->sharding.unreduced.empty())
    askedUnreduced.insert(made);
  result.replaceAllUsesWith(made);
  op->erase();
}

/// Replaces a collective of the input program by a reshard of its operand to
/// the layout of its result.
LogicalResult Inserter::visitCollective(sdy::CollectiveOpInterface op) {
  LayoutRef layout =
      &meshes.toLayout(op.getOutSharding(), op->getResult(0).getType());
  Value input = op.getTensor();
  if (isa<sdy::AllReduceOp, sdy::ReduceScatterOp>(op) &&
      versions.get(input).front().layout->sharding.unreduced.empty() &&
      !askedUnreduced.contains(input) && meshes.numDevices() > 1)
    return op->emitOpError("reduces a value whose sharding has no unreduced "
                           "axes; give the operand an unreduced sharding");
  Value made = versions.get(input, layout, op);
  if (!layout->sharding.unreduced.empty())
    askedUnreduced.insert(made);
  op->getResult(0).replaceAllUsesWith(made);
  op->erase();
  return success();
}

LogicalResult Inserter::visitWhile(stablehlo::WhileOp op) {
  SmallVector<LayoutRef> layouts = planCarried(op);
  for (auto [use, layout] : llvm::zip(op->getOpOperands(), layouts))
    use.set(versions.get(use.get(), layout, op));
  // Before the regions: block arguments take the shardings of the results.
  defineResults(op, layouts);
  for (Region *region : {&op.getCond(), &op.getBody()})
    for (auto [arg, layout] : llvm::zip(region->getArguments(), layouts))
      versions.define(arg, layout);
  if (failed(visitBlock(op.getCond().front(), meshes.replicated(0))))
    return failure();
  loops.push_back({&op.getBody(), knownTripCount(op)});
  if (failed(visitBlock(op.getBody().front(), layouts)))
    return failure();
  loops.pop_back();
  if (loops.empty())
    held = 0;
  return success();
}

LogicalResult Inserter::visitBranches(Operation *op) {
  SmallVector<LayoutRef> layouts = planCarried(op);
  replicateOperands(op->getOpOperands());
  for (Region &region : op->getRegions()) {
    if (failed(visitBlock(region.front(), layouts)))
      return failure();
    versions.leaveBranch(region);
  }
  defineResults(op, layouts);
  return success();
}

LogicalResult Inserter::visitManual(sdy::ManualComputationOp op) {
  // Free axes that do not divide a dimension are dropped; manual axes are fixed
  // by the types in the body.
  auto settle = [&](Type outside, Type inside, auto getInner, auto getOuter,
                    auto setAddingManual, StringRef what,
                    int64_t i) -> FailureOr<std::pair<Layout, Layout>> {
    if (failed(checkSummable(op, getOuter(), outside, what, i)))
      return failure();
    Layout inner = meshes.toEvenLayout(getInner(), inside);
    sdy::TensorShardingAttr free = meshes.toAttr(inner);
    if (!free)
      free = sdy::TensorShardingAttr::getFullyClosed(
          op.getContext(), dimsOf(inside).size(), getOuter().getMeshOrRef());
    if (isa<RankedTensorType>(inside))
      setAddingManual(free);
    Layout outer = meshes.toEvenLayout(getOuter(), outside);
    for (auto [d, size] : llvm::enumerate(dimsOf(inside)))
      if (dimsOf(outside)[d] / outer.sharding.dims[d].shards() !=
          size / inner.sharding.dims[d].shards())
        return op->emitOpError("has ")
               << what << " " << i << " of which dimension " << d << " of size "
               << dimsOf(outside)[d] << " is not divisible by its manual axes";
    return std::pair(inner, outer);
  };
  for (auto [i, use] : llvm::enumerate(op->getOpOperands())) {
    BlockArgument arg = op.getBody().getArgument(i);
    auto layouts = settle(
        use.get().getType(), arg.getType(),
        [&] { return op.getInShardingWithoutManualAxes(i); },
        [&] { return op.getInSharding(i); },
        [&](auto s) { op.setInShardingAddingManualAxes(i, s); }, "operand", i);
    if (failed(layouts))
      return failure();
    versions.define(arg,
                    planOf(arg, [&] { return meshes.intern(layouts->first); }));
    use.set(versions.get(use.get(), layouts->second, op));
  }
  SmallVector<LayoutRef> inner, outer;
  Operation *terminator = op.getBody().front().getTerminator();
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    auto layouts = settle(
        result.getType(), terminator->getOperand(i).getType(),
        [&] { return op.getOutShardingWithoutManualAxes(i); },
        [&] { return op.getOutSharding(i); },
        [&](auto s) { op.setOutShardingAddingManualAxes(i, s); }, "result", i);
    if (failed(layouts))
      return failure();
    inner.push_back(meshes.intern(layouts->first));
    outer.push_back(meshes.intern(layouts->second));
  }
  if (failed(visitBlock(op.getBody().front(), inner)))
    return failure();
  for (auto [result, layout] : llvm::zip(op->getResults(), outer))
    versions.define(result, layout);
  return success();
}

} // namespace shardwright
