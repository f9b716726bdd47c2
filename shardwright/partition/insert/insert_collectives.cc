//===- insert_collectives.cc - make all communication explicit ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk in program order. Each op is decided on with its operands as they
// are at hand; what it produces stays as it is until a user asks for another
// layout. The propagated sharding of a result is what its users are expected to
// ask for. Where values meet (loops, branches, returns, manual computations)
// the sharding given there is binding.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/insert/insert_collectives.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/insert/carried_sums.h"
#include "shardwright/partition/insert/delay_reductions.h"
#include "shardwright/partition/insert/fuse_collectives.h"
#include "shardwright/partition/insert/plan_memo.h"
#include "shardwright/partition/insert/reduce_parts.h"
#include "shardwright/partition/insert/reduce_unmerged.h"
#include "shardwright/partition/insert/split_sort.h"
#include "shardwright/partition/insert/split_top_k.h"
#include "shardwright/partition/insert/wanted_sums.h"
#include "shardwright/partition/layout/sharding_reader.h"
#include "shardwright/partition/layout/value_versions.h"
#include "shardwright/partition/ops/linear_ops.h"
#include "shardwright/partition/ops/op_problem.h"
#include "shardwright/partition/ops/op_windows.h"
#include "shardwright/partition/ops/trip_count.h"
#include "shardwright/partition/prepare/compose_slices.h"
#include "shardwright/partition/prepare/inline_calls.h"
#include "shardwright/partition/prepare/scatter_as_update.h"
#include "shardwright/partition/support/op_name_map.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright {
namespace {

class Inserter {
public:
  Inserter(MeshTable &meshes, PlanMemo &memo, PlanObserver *observer)
      : meshes(meshes), versions(meshes, observer), memo(memo),
        observer(observer) {}
  LogicalResult runOnFunction(func::FuncOp func, const InlinedOps &found);
  /// What is done to sums when all collectives are there.
  void improveReductions();
  /// Erases what nothing uses in blocks that were visited, backwards.
  void eraseUnused(Region &region);

private:
  LogicalResult visitBlock(Block &block, ArrayRef<LayoutRef> returns);
  void note(Block::iterator begin, Block::iterator end, BlockOrder::Ops &ops);
  LogicalResult visit(Operation *op);
  LogicalResult visitWhile(stablehlo::WhileOp op);
  LogicalResult visitBranches(Operation *op);
  LogicalResult visitManual(sdy::ManualComputationOp op);
  LogicalResult visitCollective(sdy::CollectiveOpInterface op);
  void visitReshard(Operation *op, Value input, Value result,
                    sdy::TensorShardingAttr sharding);
  void visitPlain(Operation *op);
  void visitByRule(Operation *op);
  std::optional<OpPlan> planByRule(Operation *op, ArrayRef<LayoutRef> wanted);
  /// Marks the operands that the op takes as partial sums because its results
  /// are wanted as such, and notes along which axes.
  void carrySums(Operation *op, DecideProblem &problem);
  TensorSharding wantedOn(int32_t mesh, Operation *op, Layout want,
                          const DecideProblem &problem, int64_t i);
  /// How often the op runs for each time that an operand of it moves, in front
  /// of the loops that it comes from outside of; none where all move each time.
  SmallVector<int64_t, 3> timesMoved(Operation *op);
  void carryOut(Operation *op, const OpPlan &plan);
  /// The operand in that layout; counts what this gathers in front of loops.
  void useIn(OpOperand &use, LayoutRef layout);
  void complete(OpResult result, const OpPlan &plan, ReducerKind kind,
                Value init);
  void visitWhole(Operation *op);
  void visitOnDevice(Operation *op, int64_t device);
  void visitProducer(Operation *op);

  LayoutRef propagated(Value value) {
    auto result = dyn_cast<OpResult>(value);
    return &meshes.toLayout(result ? shardings.of(result)
                                   : sdy::getSharding(value),
                            value.getType());
  }
  /// Where the users are expected to want the value.
  LayoutRef wanted(Value value);
  /// What callers and the runtime are told must be what is done: the attribute
  /// for the layout that was made of `sharding`; null for none.
  sdy::TensorShardingAttr settled(sdy::TensorShardingAttr sharding,
                                  const Layout &layout) {
    if (!sharding || layout.mesh >= 0 || sharding.emptyAxes())
      return meshes.toAttr(layout);
    return sdy::TensorShardingAttr::getFullyClosed(
        sharding.getContext(), sharding.getRank(), sharding.getMeshOrRef());
  }
  /// That of the first operand which cannot be made anew anywhere.
  LayoutRef sortedLayout(stablehlo::SortOp sort);
  void defineResults(Operation *op, ArrayRef<LayoutRef> layouts);
  /// Those of `user`, or of their owners.
  void replicateOperands(MutableArrayRef<OpOperand> uses,
                         Operation *user = nullptr);
  /// And what its regions use from outside.
  void replicateOperands(Operation *op);
  /// The mesh that the op computes on: that of its largest sharded tensor.
  int32_t chooseMesh(Operation *op, ArrayRef<LayoutRef> wanted);
  /// The sharding on `mesh`; none if the layout is on a mesh with other axes.
  std::optional<TensorSharding> on(int32_t mesh, const Layout &layout);

  MeshTable &meshes;
  ValueVersions versions;
  PlanMemo &memo;
  PlanObserver *observer;
  ShardingReader shardings;
  /// Of the function that is visited.
  std::optional<WantedSums> wantedSums;
  /// Whose bodies are being visited, and how often they run, if that is known.
  SmallVector<std::pair<Region *, std::optional<int64_t>>, 2> loops;
  /// Bytes of what was gathered in front of the outermost of them.
  double held = 0;
  /// Of what was made: ops that add up, those in a loop before the loop;
  /// collectives that reduce, and whether any other slices.
  SmallVector<Operation *> sums;
  SmallVector<sdy::AllReduceOp> reduces;
  bool scatters = false, slices = false;
  /// What a reshard or an op's own sharding asked for with unreduced axes. It
  /// may be summed already: the sum of an op that does not work on parts.
  llvm::SmallDenseSet<Value, 4> askedUnreduced;
  /// What a name says of its ops.
  struct NameTraits {
    /// They go to visitPlain().
    bool isPlain = false;
    bool mayHaveEffects = false;
    bool addsUp = false;
    bool isSdy = false;
    /// Their blocks are visited.
    bool isVisited = false;
  };
  NameTraits traitsOf(Operation *op);
  OpNameMap<NameTraits> traits;
  /// Where ops were before their visit, and, backwards, where they are after
  /// it.
  const BlockOrder *order = nullptr;
  BlockOrder backwards;
};

/// Others see how often it is done.
static bool hasEffects(Operation *op) {
  if (auto call = dyn_cast<stablehlo::CustomCallOp>(op))
    return call.getHasSideEffect();
  return isa<stablehlo::InfeedOp, stablehlo::OutfeedOp, stablehlo::RecvOp,
             stablehlo::SendOp>(op);
}

Inserter::NameTraits Inserter::traitsOf(Operation *op) {
  return traits.get(op->getName(), [&] {
    NameTraits its;
    its.isVisited = isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp,
                        sdy::ManualComputationOp>(op);
    its.isSdy = isa_and_nonnull<sdy::SdyDialect>(op->getDialect());
    // See visit().
    its.isPlain = !its.isVisited && (!its.isSdy || isa<sdy::ConstantOp>(op)) &&
                  !isa<stablehlo::OptimizationBarrierOp, stablehlo::ReduceOp,
                       stablehlo::SortOp>(op);
    its.mayHaveEffects = hasEffects(op) || isa<stablehlo::CustomCallOp>(op);
    its.addsUp = addsUp(op);
    return its;
  });
}

LayoutRef Inserter::wanted(Value value) {
  // A constraint right behind says it better than propagation.
  sdy::TensorShardingAttr asked;
  for (Operation *user : value.getUsers()) {
    sdy::TensorShardingAttr sharding;
    if (auto reshard = dyn_cast<sdy::ReshardOp>(user))
      sharding = reshard.getSharding();
    else if (auto constraint = dyn_cast<sdy::ShardingConstraintOp>(user))
      sharding = constraint.getSharding();
    if (!sharding || (asked && asked != sharding))
      return wantedSums->withSums(value, propagated(value));
    asked = sharding;
  }
  return asked ? &meshes.toLayout(asked, value.getType())
               : wantedSums->withSums(value, propagated(value));
}

void Inserter::defineResults(Operation *op, ArrayRef<LayoutRef> layouts) {
  // It has been propagated so, most often.
  if (layouts.size() != 1 || op->getNumRegions() != 0 ||
      shardings.of(op->getResult(0)) != layouts.front()->attr) {
    for (OpResult result : op->getResults())
      if (sdy::TensorShardingAttr asked = shardings.of(result);
          asked && !asked.getUnreducedAxes().empty())
        askedUnreduced.insert(result);
    setResultLayouts(op, layouts, meshes);
  }
  // What is not defined is replicated, as scalars most often are.
  for (auto [result, layout] : llvm::zip(op->getResults(), layouts))
    if (isShardable(result.getType()) || !layout->isReplicated())
      versions.define(result, layout);
}

/// Nothing adds up what has no static shape.
static LogicalResult checkSummable(Operation *op,
                                   sdy::TensorShardingAttr sharding, Type type,
                                   StringRef what, int64_t i) {
  if (!sharding || sharding.getUnreducedAxes().empty() || isStaticTensor(type))
    return success();
  return op->emitError("has ")
         << what << " " << i << " of type " << type
         << " with unreduced axes; only values of static shape can be partial "
         << "sums: reduce it before";
}

LogicalResult Inserter::runOnFunction(func::FuncOp func,
                                      const InlinedOps &found) {
  order = &found.order;
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
    versions.define(arg, layout);
  }
  SmallVector<LayoutRef> returns;
  for (auto [i, type] : llvm::enumerate(func.getResultTypes())) {
    sdy::TensorShardingAttr sharding = sdy::getFuncResultSharding(func, i);
    if (failed(checkSummable(func, sharding, type, "result", i)))
      return failure();
    Layout layout = meshes.toEvenLayout(sharding, type);
    if (sdy::TensorShardingAttr attr = settled(sharding, layout))
      sdy::setFuncResultSharding(func, i, attr);
    returns.push_back(meshes.known(layout));
  }
  return visitBlock(func.getBody().front(), returns);
}

LogicalResult Inserter::visitBlock(Block &block, ArrayRef<LayoutRef> returns) {
  // A visit erases no other op than its own, and puts new ones right beside it.
  Operation *terminator = block.getTerminator();
  Operation *before = nullptr;
  BlockOrder::Ops ops;
  auto noteUpTo = [&](Operation *end) {
    note(before ? std::next(Block::iterator(before)) : block.begin(),
         Block::iterator(end), ops);
    before = end->getPrevNode();
  };
  BlockOrder::Walk ahead = order->walk(block);
  for (Operation *op = &block.front(); op != terminator;) {
    ahead.reach(op);
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
  std::reverse(ops.begin(), ops.end());
  backwards.note(block, std::move(ops));
  return success();
}

/// Collectives are not pure, but these are ours.
static void eraseIfUnused(Operation &op) {
  if (op.use_empty() &&
      (isOpTriviallyDead(&op) || isa<sdy::CollectiveOpInterface>(op)))
    op.erase();
}

static void eraseAllUnused(Region &region) {
  for (Block &block : llvm::reverse(region))
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      for (Region &nested : llvm::reverse(op.getRegions()))
        eraseAllUnused(nested);
      eraseIfUnused(op);
    }
}

/// While the ops are in the caches.
void Inserter::note(Block::iterator begin, Block::iterator end,
                    BlockOrder::Ops &ops) {
  for (Operation &op : llvm::make_range(begin, end)) {
    ops.push_back(&op);
    NameTraits its = traitsOf(&op);
    if (its.addsUp)
      sums.push_back(&op);
    if (its.isSdy) {
      if (auto reduce = dyn_cast<sdy::AllReduceOp>(op))
        reduces.push_back(reduce);
      scatters |= isa<sdy::ReduceScatterOp>(op);
      slices |= isa<sdy::AllSliceOp>(op);
    }
    // Nothing else changes what they use of each other.
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
        SmallVector<LayoutRef> layouts;
        for (auto [use, result] :
             llvm::zip(op->getOpOperands(), op->getResults())) {
          layouts.push_back(wantedSums->withSums(result, propagated(result)));
          use.set(versions.get(use.get(), layouts.back(), op));
        }
        defineResults(op, layouts);
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
        const Layout &layout = *sortedLayout(sort);
        auto parts = splitTopK(sort, layout, meshes);
        if (parts.size() == 1 && sort->getNumResults())
          parts = splitSort(sort, layout, *wanted(sort->getResult(0)), meshes);
        for (Operation *part : parts)
          visitPlain(part);
        return success();
      })
      .Default([&](Operation *) {
        visitPlain(op);
        return success();
      });
}

LayoutRef Inserter::sortedLayout(stablehlo::SortOp sort) {
  for (Value input : sort.getInputs())
    if (!ValueVersions::isFree(versions.get(input).front().value))
      return versions.get(input).front().layout;
  return versions.get(sort.getInputs().front()).front().layout;
}

/// The one device that the op is for, if its results say so.
static std::optional<int64_t> onlyDevice(Operation *op) {
  for (Value result : op->getResults())
    if (sdy::TensorShardingAttr sharding = sdy::getSharding(result))
      if (sdy::MeshAttr mesh = sdy::getMeshAttr(op, sharding);
          mesh && mesh.isMaximal())
        return mesh.getDeviceIds().front();
  return std::nullopt;
}

/// Done there with whole operands; all devices get its results. What has no
/// effects is done everywhere instead, which sends less.
void Inserter::visitOnDevice(Operation *op, int64_t device) {
  replicateOperands(op);
  SmallVector<LayoutRef> layouts;
  for (Value result : op->getResults())
    layouts.push_back(meshes.whole(dimsOf(result.getType()).size()));
  defineResults(op, layouts);
  op->setDiscardableAttr(
      kDeviceAttrName,
      IntegerAttr::get(IntegerType::get(op->getContext(), 64), device));
}

void Inserter::visitPlain(Operation *op) {
  if (traitsOf(op).mayHaveEffects && meshes.numDevices() > 1 && hasEffects(op))
    if (std::optional<int64_t> device = onlyDevice(op))
      return visitOnDevice(op, *device);
  if (op->getNumResults() == 1 && ValueVersions::isFree(op->getResult(0)))
    visitProducer(op);
  else
    visitByRule(op);
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

/// Collectives that are there already say where their operand goes.
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

/// The value is complete on every device, also where it is wanted as a sum: one
/// device keeps it then.
void Inserter::visitProducer(Operation *op) {
  replicateOperands(op);
  defineResults(op, meshes.known(wanted(op->getResult(0))->completed()));
}

LogicalResult Inserter::visitWhile(stablehlo::WhileOp op) {
  SmallVector<LayoutRef> layouts;
  for (OpResult result : op->getResults())
    layouts.push_back(wantedSums->withCarriedSums(result, propagated(result)));
  for (auto [use, layout] : llvm::zip(op->getOpOperands(), layouts))
    use.set(versions.get(use.get(), layout, op));
  // Now: its block arguments have the shardings of its results.
  defineResults(op, layouts);
  for (Region *region : {&op.getCond(), &op.getBody()})
    for (auto [arg, layout] : llvm::zip(region->getArguments(), layouts))
      versions.define(arg, layout);
  if (failed(visitBlock(op.getCond().front(), meshes.whole(0))))
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
  SmallVector<LayoutRef> layouts;
  for (OpResult result : op->getResults())
    layouts.push_back(wantedSums->withCarriedSums(result, propagated(result)));
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
  // The free axes may have to be cut; the manual ones are in the body's types.
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
    versions.define(arg, layouts->first);
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
    inner.push_back(meshes.known(layouts->first));
    outer.push_back(meshes.known(layouts->second));
  }
  if (failed(visitBlock(op.getBody().front(), inner)))
    return failure();
  for (auto [result, layout] : llvm::zip(op->getResults(), outer))
    versions.define(result, layout);
  return success();
}

void Inserter::replicateOperands(MutableArrayRef<OpOperand> uses,
                                 Operation *user) {
  for (OpOperand &use : uses)
    use.set(versions.get(use.get(),
                         meshes.whole(dimsOf(use.get().getType()).size()),
                         user ? user : use.getOwner()));
}

void Inserter::replicateOperands(Operation *op) {
  replicateOperands(op->getOpOperands());
  // Regions of ops that we know nothing of may use values from outside.
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      for (OpOperand &use : inner->getOpOperands())
        if (!region.isAncestor(use.get().getParentRegion()))
          replicateOperands(use, op);
    });
}

void Inserter::visitWhole(Operation *op) {
  bool sharded = false;
  for (Value operand : op->getOperands())
    sharded |= !versions.get(operand).front().layout->isReplicated();
  SmallVector<LayoutRef> layouts;
  for (Value result : op->getResults()) {
    sharded |= !propagated(result)->isReplicated();
    layouts.push_back(meshes.whole(dimsOf(result.getType()).size()));
  }
  if (sharded)
    remark::missed(op->getLoc(),
                   remark::RemarkOpts::name("Whole").category("partition"))
        << op->getName().getStringRef()
        << " is computed whole on every device: it has no sharding rule";
  replicateOperands(op);
  defineResults(op, layouts);
}

int32_t Inserter::chooseMesh(Operation *op, ArrayRef<LayoutRef> wanted) {
  int32_t mesh = -1;
  double largest = -1;
  auto offer = [&](const Layout &layout, Type type) {
    if (layout.mesh < 0)
      return;
    double size = elementBytes(type);
    for (int64_t n : dimsOf(type))
      size *= double(n);
    if (size > largest) {
      largest = size;
      mesh = layout.mesh;
    }
  };
  for (Value operand : op->getOperands())
    for (const auto &version : versions.get(operand))
      offer(*version.layout, operand.getType());
  for (auto [result, layout] : llvm::zip(op->getResults(), wanted))
    offer(*layout, result.getType());
  return mesh;
}

std::optional<TensorSharding> Inserter::on(int32_t mesh, const Layout &layout) {
  if (layout.mesh == mesh || layout.isReplicated())
    return layout.sharding;
  return std::nullopt;
}

/// Of its first operand, the op takes some rows.
static bool readsInPart(Operation *op) {
  return isa<stablehlo::DynamicSliceOp, stablehlo::GatherOp>(op) &&
         isShardable(op->getOperand(0).getType()) &&
         cast<ShapedType>(op->getResult(0).getType()).hasStaticShape();
}

/// It takes them one after another in the loop of that body: from starts that
/// are computed from what the loop counts with.
static bool readsInOrder(Operation *op, Region *body) {
  auto slice = dyn_cast<stablehlo::DynamicSliceOp>(op);
  if (!slice || !readsInPart(op))
    return false;
  constexpr size_t kMaxOps = 16;
  SmallVector<Value> open(slice.getStartIndices());
  llvm::SmallDenseSet<Value, 8> seen;
  bool counts = false;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!body->isAncestor(value.getParentRegion()) ||
        !seen.insert(value).second)
      continue;
    Operation *from = value.getDefiningOp();
    if (auto arg = dyn_cast<BlockArgument>(value)) {
      if (arg.getOwner() != &body->front())
        return false;
      Value next =
          body->front().getTerminator()->getOperand(arg.getArgNumber());
      auto sum = next.getDefiningOp<stablehlo::AddOp>();
      bool isCounter =
          sum && ((sum.getLhs() == value && scalarConstant(sum.getRhs())) ||
                  (sum.getRhs() == value && scalarConstant(sum.getLhs())));
      if (!isCounter && next != value)
        return false;
      counts |= isCounter;
      continue;
    }
    if (seen.size() > kMaxOps || from->getNumRegions() != 0 ||
        !dimsOf(value.getType()).empty())
      return false;
    llvm::append_range(open, from->getOperands());
  }
  return counts;
}

void Inserter::visitByRule(Operation *op) {
  SmallVector<LayoutRef> want;
  for (Value result : op->getResults())
    want.push_back(wanted(result));
  memo.begin(op);
  for (Value operand : op->getOperands()) {
    ArrayRef<ValueVersions::Version> all = versions.get(operand);
    memo.add(ValueVersions::isFree(all.front().value));
    for (const auto &version : all)
      memo.add(version.layout);
  }
  bool wantsSum = false;
  for (LayoutRef layout : want) {
    memo.add(layout);
    wantsSum |= !layout->sharding.unreduced.empty();
  }
  // What carrySums() looks at.
  for (Value operand : op->getOperands())
    if (wantsSum)
      memo.add(isZeroSplat(operand));
  // Whether rows are counted more than once depends on initial values.
  if (isa<stablehlo::ReduceWindowOp>(op))
    memo.add(getScan(op).has_value());
  memo.add(timesAddedUp(op));
  SmallVector<int64_t, 3> moved = timesMoved(op);
  for (int64_t times : moved)
    memo.add(times);
  if (!moved.empty()) {
    memo.add(int64_t(held));
    memo.add(readsInOrder(op, loops.back().first));
  }
  const std::optional<OpPlan> *plan = memo.find();
  if (!plan)
    plan = memo.keep(planByRule(op, want));
  if (*plan)
    carryOut(op, **plan);
  else
    visitWhole(op);
}

SmallVector<int64_t, 3> Inserter::timesMoved(Operation *op) {
  SmallVector<int64_t, 3> times;
  if (loops.empty() || llvm::all_of(op->getOperands(), [&](Value operand) {
        return loops.back().first->isAncestor(operand.getParentRegion());
      }))
    return times;
  times.assign(op->getNumOperands(), 1);
  // Where it is not known how often rows are taken: each of them once.
  int64_t rows = 1;
  if (readsInOrder(op, loops.back().first))
    rows = std::max<int64_t>(
        cast<ShapedType>(op->getOperand(0).getType()).getNumElements() /
            std::max<int64_t>(
                cast<ShapedType>(op->getResult(0).getType()).getNumElements(),
                1),
        1);
  for (auto [body, known] : llvm::reverse(loops)) {
    SmallVector<bool, 3> inside;
    for (Value operand : op->getOperands())
      inside.push_back(body->isAncestor(operand.getParentRegion()));
    // What is the same in every iteration leaves the loop.
    if (llvm::none_of(llvm::zip(op->getOperands(), inside), [](auto both) {
          auto [operand, isInside] = both;
          return isInside && !ValueVersions::isFree(operand);
        }))
      break;
    for (auto [i, n] : llvm::enumerate(times)) {
      int64_t trips = std::max<int64_t>(known.value_or(i == 0 ? rows : 1), 1);
      if (!inside[i] && n <= INT32_MAX / trips)
        n *= trips;
    }
  }
  return times;
}

/// The decision first, then what costs more, each once.
static void sortWays(std::vector<WeighedWay> &ways,
                     const OpDecision &decision) {
  auto isSame = [](const WeighedWay &a, const WeighedWay &b) {
    return a.operands == b.operands && a.results == b.results;
  };
  std::vector<WeighedWay> sorted;
  sorted.push_back({decision.operands, decision.results, decision.cost});
  // Of equal cost, in the order in which they were thought of.
  SmallVector<std::pair<double, size_t>> order;
  for (auto [i, way] : llvm::enumerate(ways))
    order.push_back({way.cost, i});
  llvm::sort(order);
  for (auto [cost, i] : order)
    if (llvm::none_of(sorted, [&](const WeighedWay &other) {
          return isSame(ways[i], other);
        }))
      sorted.push_back(std::move(ways[i]));
  ways = std::move(sorted);
}

/// As it is wanted, as far as this can be said on `mesh`.
TensorSharding Inserter::wantedOn(int32_t mesh, Operation *op, Layout want,
                                  const DecideProblem &problem, int64_t i) {
  if (want.mesh >= 0 && want.mesh != mesh) {
    want.sharding.unreduced.clear();
    if (!meshes.sameAxes(want.mesh, mesh))
      want = Layout::replicated(want.sharding.rank());
  }
  // Only sums can stay partial.
  if (getCombiner(op) != ReducerKind::Add)
    want.sharding.unreduced.clear();
  settleUneven(want.sharding, problem, i);
  return std::move(want.sharding);
}

/// Both sets are parts of one set of axes.
static void addAxes(AxisList &axes, AxisRefs more) {
  axes.append(withoutAxes(more, commonAxes(axes, more)));
  sortAndMerge(axes);
}

void Inserter::carrySums(Operation *op, DecideProblem &problem) {
  AxisList wanted = problem.results.empty()
                        ? AxisList()
                        : problem.results[0].layouts[0].unreduced;
  for (const TensorSite &site : problem.results)
    wanted = commonAxes(wanted, site.layouts[0].unreduced);
  if (wanted.empty())
    return;
  // A value that is complete, too, was only placed on one device: an op on its
  // summands would multiply the neutral element, and 0 * inf is no zero.
  auto carriedBy = [&](const TensorSite &site) {
    AxisList axes;
    for (const TensorSharding &layout : site.layouts) {
      AxisList sums = commonAxes(layout.unreduced, wanted);
      if (sums.empty())
        return sums;
      addAxes(axes, sums);
    }
    return axes;
  };
  SmallVector<bool, 4> flags = linearOperands(
      op, [&](unsigned i) { return !carriedBy(problem.operands[i]).empty(); });
  AxisList carried;
  for (auto [flag, site, value] :
       llvm::zip(flags, problem.operands, op->getOperands()))
    if (flag) {
      addAxes(carried, carriedBy(site));
      site.carriesSum = !isZeroSplat(value);
    }
  problem.carried = commonAxes(wanted, carried);
}

/// None for an op without a rule.
std::optional<OpPlan> Inserter::planByRule(Operation *op,
                                           ArrayRef<LayoutRef> wanted) {
  std::optional<ShardingRule> rule = getPartitionRule(op);
  if (!rule)
    return std::nullopt;
  OpPlan plan;
  plan.mesh = chooseMesh(op, wanted);
  if (plan.mesh < 0) {
    for (Value result : op->getResults())
      plan.results.push_back(meshes.whole(dimsOf(result.getType()).size()));
    return plan;
  }

  int32_t mesh = plan.mesh;
  DecideProblem problem = makeProblem(op, *rule);
  for (auto [value, site] : llvm::zip(op->getOperands(), problem.operands)) {
    site.isFree = ValueVersions::isFree(versions.get(value).front().value);
    for (const auto &version : versions.get(value))
      if (auto sharding = on(mesh, *version.layout))
        site.layouts.push_back(*sharding);
    plan.broughtHere.push_back(nullptr);
    if (site.layouts.empty()) {
      // Only on other meshes: bring it here, as it lies if the axes are equal.
      const Layout &there = *versions.get(value).front().layout;
      plan.broughtHere.back() = meshes.sameAxes(there.mesh, mesh)
                                    ? meshes.known(Layout{mesh, there.sharding})
                                    : meshes.whole(there.sharding.rank());
      site.layouts.push_back(plan.broughtHere.back()->sharding);
    }
  }
  for (auto [i, site] : llvm::enumerate(problem.results))
    site.layouts.push_back(wantedOn(mesh, op, *wanted[i], problem, i));
  carrySums(op, problem);
  problem.sumShare = 1 / double(timesAddedUp(op));
  SmallVector<int64_t, 3> moved = timesMoved(op);
  for (auto [site, times] : llvm::zip(problem.operands, moved))
    site.moveShare = 1 / double(times);
  if (!moved.empty()) {
    const CostModel &costs = meshes.planner(mesh).getCosts();
    problem.heldBytes = costs.heldBytes - held;
    if (readsInPart(op))
      problem.operands[0].isReadInPart = true;
    // Other ops are decided on by bytes: those that take rows anywhere, too.
    if (readsInOrder(op, loops.back().first))
      problem.repeated = costs.repeated;
  }

  if (observer)
    problem.weighed = &plan.ways;
  OpDecision decision = decide(problem, meshes.planner(mesh));
  if (observer)
    sortWays(plan.ways, decision);
  auto layoutOf = [&](const TensorSharding &sharding) {
    return meshes.known(Layout{sharding.isReplicated() ? -1 : mesh, sharding});
  };
  for (const TensorSharding &sharding : decision.operands)
    plan.operands.push_back(layoutOf(sharding));
  for (const TensorSharding &sharding : decision.results)
    plan.results.push_back(layoutOf(sharding));
  plan.reduces = !decision.reduceAxes.empty();
  if (plan.reduces) {
    for (const Completion &completion : decision.completions)
      plan.after.push_back(layoutOf(completion.after));
    plan.completions = std::move(decision.completions);
  }
  return plan;
}

static double localBytes(Value value, const Layout &layout) {
  Type type = value.getType();
  return localBytes(dimsOf(type), elementBytes(type), layout.sharding);
}

void Inserter::useIn(OpOperand &use, LayoutRef layout) {
  Operation *op = use.getOwner();
  Value before = use.get();
  if (loops.empty()) {
    if (Value value = versions.get(before, layout, op); value != before)
      use.set(value);
    return;
  }
  ArrayRef<ValueVersions::Version> at = versions.get(before);
  size_t count = at.size();
  double own = localBytes(before, *at.front().layout);
  Value value = versions.get(before, layout, op);
  if (value == before)
    return;
  if (double bytes = localBytes(value, *layout);
      bytes > own && versions.get(before).size() > count &&
      !loops.back().first->isAncestor(value.getParentRegion()))
    held += bytes;
  use.set(value);
}

void Inserter::carryOut(Operation *op, const OpPlan &plan) {
  if (observer && plan.mesh >= 0)
    op->setLoc(observer->onPlan(op, plan.mesh, plan.ways, meshes));
  for (auto [use, layout] : llvm::zip(op->getOpOperands(), plan.broughtHere))
    if (layout)
      use.set(versions.get(use.get(), layout, op));
  for (auto [use, layout] : llvm::zip(op->getOpOperands(), plan.operands))
    useIn(use, layout);
  defineResults(op, plan.results);
  if (!plan.reduces)
    return;

  ReducerKind kind = *getCombiner(op);
  SmallVector<Value> inits(op->getNumResults());
  if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op))
    inits = takeInits(reduce, kind);
  for (OpResult result : op->getResults())
    complete(result, plan, kind, inits[result.getResultNumber()]);
}

/// The result is a sum (or the like) of what the devices have: reduces it as
/// planned, and adds what each device would have started with, once.
void Inserter::complete(OpResult result, const OpPlan &plan, ReducerKind kind,
                        Value init) {
  Operation *op = result.getOwner();
  size_t i = result.getResultNumber();
  const Completion &completion = plan.completions[i];
  if (completion.isEmpty() && !init)
    return;
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : result.getUses())
    uses.push_back(&use);
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Location loc = op->getLoc();
  Value whole = result;
  if (!completion.isEmpty()) {
    if (observer)
      loc = observer->onCompletion(result, *plan.results[i], completion,
                                   *plan.after[i], meshes);
    whole = buildCompletion(builder, loc, result, plan.mesh, completion, kind,
                            meshes);
  }
  if (init) {
    // The scalars follow the values among the operands.
    const Layout &at = *plan.operands[op->getNumOperands() / 2 + i];
    whole = foldInit(builder, whole, init, at, kind, *plan.after[i], meshes);
  }
  for (OpOperand *use : uses)
    use->set(whole);
  versions.define(whole, plan.after[i]);
  if (askedUnreduced.contains(result))
    askedUnreduced.insert(whole);
}

void Inserter::eraseUnused(Region &region) {
  for (Block &block : llvm::reverse(region)) {
    BlockOrder::Walk ahead = backwards.walk(block);
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      ahead.reach(&op);
      if (op.getNumRegions() != 0 && traitsOf(&op).isVisited)
        for (Region &nested : llvm::reverse(op.getRegions()))
          eraseUnused(nested);
      eraseIfUnused(op);
    }
  }
}

void Inserter::improveReductions() {
  if (reduces.empty() && !scatters)
    return;
  delayReductions(meshes, sums, reduces);
  if (slices)
    fuseCollectives(reduces, meshes);
}

} // namespace

LogicalResult insertCollectives(ModuleOp module,
                                const PartitionOptions &options) {
  InlinedOps found;
  if (failed(inlineCalls(module, &found)))
    return failure();
  composeSlices(module, found.joins);
  widenSlices(found.joins);
  for (Operation *op : found.folds) {
    if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op))
      reduceUnmerged(reduce);
    else
      updateInPlaceOfScatter(cast<stablehlo::ScatterOp>(op));
  }
  FailureOr<MeshTable> meshes =
      MeshTable::create(module, plannerCosts(module, options), options.effort);
  if (failed(meshes))
    return failure();
  PlanMemo memo;
  for (auto func : module.getOps<func::FuncOp>()) {
    Inserter inserter(*meshes, memo, options.observer);
    if (failed(inserter.runOnFunction(func, found)))
      return failure();
    inserter.improveReductions();
    inserter.eraseUnused(func.getBody());
  }
  return success();
}

} // namespace shardwright
