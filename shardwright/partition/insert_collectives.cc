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

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/fuse_collectives.h"
#include "shardwright/partition/op_problem.h"
#include "shardwright/partition/partition.h"
#include "shardwright/partition/reduce_parts.h"
#include "shardwright/partition/value_versions.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright {
namespace {

class Inserter {
public:
  explicit Inserter(MeshTable &meshes) : meshes(meshes), versions(meshes) {}
  LogicalResult runOnFunction(func::FuncOp func);

private:
  LogicalResult visitBlock(Block &block, ArrayRef<Layout> returns);
  LogicalResult visit(Operation *op);
  LogicalResult visitWhile(stablehlo::WhileOp op);
  LogicalResult visitBranches(Operation *op);
  LogicalResult visitManual(sdy::ManualComputationOp op);
  LogicalResult visitCollective(sdy::CollectiveOpInterface op);
  void visitReshard(Operation *op, Value input, Value result,
                    sdy::TensorShardingAttr sharding);
  void visitPlain(Operation *op);
  void visitByRule(Operation *op, const ShardingRule &rule);
  void visitWhole(Operation *op);
  void visitProducer(Operation *op);

  Layout propagated(Value value) {
    return meshes.toLayout(sdy::getSharding(value), value.getType());
  }
  /// Where the users are expected to want the value.
  Layout wanted(Value value);
  /// What callers and the runtime are told must be what is done: the attribute
  /// for the layout that was made of `sharding`; null for none.
  sdy::TensorShardingAttr settled(sdy::TensorShardingAttr sharding,
                                  const Layout &layout) {
    if (!sharding || layout.mesh >= 0 || sharding.emptyAxes())
      return meshes.toAttr(layout);
    return sdy::TensorShardingAttr::getFullyClosed(
        sharding.getContext(), sharding.getRank(), sharding.getMeshOrRef());
  }
  void defineResults(Operation *op, ArrayRef<Layout> layouts);
  void replicateOperands(Operation *op);
  /// The mesh that the op computes on: that of its largest sharded tensor.
  int32_t chooseMesh(Operation *op);
  /// The sharding on `mesh`; none if the layout is on a mesh with other axes.
  std::optional<TensorSharding> on(int32_t mesh, const Layout &layout);

  MeshTable &meshes;
  ValueVersions versions;
};

Layout Inserter::wanted(Value value) {
  // A constraint right behind says it better than propagation.
  sdy::TensorShardingAttr asked;
  for (Operation *user : value.getUsers()) {
    sdy::TensorShardingAttr sharding;
    if (auto reshard = dyn_cast<sdy::ReshardOp>(user))
      sharding = reshard.getSharding();
    else if (auto constraint = dyn_cast<sdy::ShardingConstraintOp>(user))
      sharding = constraint.getSharding();
    if (!sharding || (asked && asked != sharding))
      return propagated(value);
    asked = sharding;
  }
  return asked ? meshes.toLayout(asked, value.getType()) : propagated(value);
}

void Inserter::defineResults(Operation *op, ArrayRef<Layout> layouts) {
  setResultLayouts(op, layouts, meshes);
  for (auto [result, layout] : llvm::zip(op->getResults(), layouts))
    if (isShardable(result.getType()))
      versions.define(result, layout);
}

LogicalResult Inserter::runOnFunction(func::FuncOp func) {
  if (func.isDeclaration())
    return success();
  if (!func.getBody().hasOneBlock())
    return func.emitError("function has ")
           << func.getBody().getBlocks().size()
           << " blocks; only structured control flow can be partitioned";
  for (BlockArgument arg : func.getArguments()) {
    Layout layout = meshes.toEvenLayout(sdy::getSharding(arg), arg.getType());
    if (sdy::TensorShardingAttr attr = settled(sdy::getSharding(arg), layout))
      sdy::setSharding(arg, attr);
    versions.define(arg, layout);
  }
  Layouts returns;
  for (auto [i, type] : llvm::enumerate(func.getResultTypes())) {
    sdy::TensorShardingAttr sharding = sdy::getFuncResultSharding(func, i);
    Layout layout = meshes.toEvenLayout(sharding, type);
    if (sdy::TensorShardingAttr attr = settled(sharding, layout))
      sdy::setFuncResultSharding(func, i, attr);
    returns.push_back(std::move(layout));
  }
  return visitBlock(func.getBody().front(), returns);
}

LogicalResult Inserter::visitBlock(Block &block, ArrayRef<Layout> returns) {
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
    if (failed(visit(&op)))
      return failure();
  Operation *terminator = block.getTerminator();
  if (terminator->getNumOperands() != returns.size())
    return terminator->emitError("returns ")
           << terminator->getNumOperands() << " values where " << returns.size()
           << " are expected";
  for (auto [use, layout] : llvm::zip(terminator->getOpOperands(), returns))
    use.set(versions.get(use.get(), layout, terminator));
  return success();
}

LogicalResult Inserter::visit(Operation *op) {
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
        Layouts layouts;
        for (auto [use, result] :
             llvm::zip(op->getOpOperands(), op->getResults())) {
          layouts.push_back(propagated(result));
          use.set(versions.get(use.get(), layouts.back(), op));
        }
        defineResults(op, layouts);
        return success();
      })
      .Case([&](stablehlo::ReduceOp reduce) {
        for (Operation *part : splitReduce(
                 reduce,
                 versions.get(reduce.getInputs().front()).front().layout,
                 meshes))
          visitPlain(part);
        return success();
      })
      .Default([&](Operation *) {
        visitPlain(op);
        return success();
      });
}

void Inserter::visitPlain(Operation *op) {
  if (op->getNumResults() == 1 && ValueVersions::isFree(op->getResult(0)))
    visitProducer(op);
  else if (auto rule = getPartitionRule(op))
    visitByRule(op, *rule);
  else
    visitWhole(op);
}

void Inserter::visitReshard(Operation *op, Value input, Value result,
                            sdy::TensorShardingAttr sharding) {
  Layout layout = meshes.toLayout(sharding, result.getType());
  result.replaceAllUsesWith(versions.get(input, layout, op));
  op->erase();
}

/// Collectives that are there already say where their operand goes.
LogicalResult Inserter::visitCollective(sdy::CollectiveOpInterface op) {
  Layout layout =
      meshes.toLayout(op.getOutSharding(), op->getResult(0).getType());
  Value input = op.getTensor();
  if (isa<sdy::AllReduceOp, sdy::ReduceScatterOp>(op) &&
      versions.get(input).front().layout.sharding.unreduced.empty() &&
      meshes.numDevices() > 1)
    return op->emitOpError("reduces a value whose sharding has no unreduced "
                           "axes; give the operand an unreduced sharding");
  op->getResult(0).replaceAllUsesWith(versions.get(input, layout, op));
  op->erase();
  return success();
}

void Inserter::visitProducer(Operation *op) {
  defineResults(op, wanted(op->getResult(0)));
}

LogicalResult Inserter::visitWhile(stablehlo::WhileOp op) {
  Layouts layouts;
  for (Value result : op->getResults())
    layouts.push_back(propagated(result));
  for (auto [use, layout] : llvm::zip(op->getOpOperands(), layouts))
    use.set(versions.get(use.get(), layout, op));
  for (Region *region : {&op.getCond(), &op.getBody()})
    for (auto [arg, layout] : llvm::zip(region->getArguments(), layouts))
      versions.define(arg, layout);
  if (failed(visitBlock(op.getCond().front(), Layout::replicated(0))) ||
      failed(visitBlock(op.getBody().front(), layouts)))
    return failure();
  defineResults(op, layouts);
  return success();
}

LogicalResult Inserter::visitBranches(Operation *op) {
  Layouts layouts;
  for (Value result : op->getResults())
    layouts.push_back(propagated(result));
  for (Region &region : op->getRegions())
    if (failed(visitBlock(region.front(), layouts)))
      return failure();
  defineResults(op, layouts);
  return success();
}

LogicalResult Inserter::visitManual(sdy::ManualComputationOp op) {
  // The free axes may have to be cut; the manual ones are in the body's types.
  auto settle = [&](Type outside, Type inside, auto getInner, auto getOuter,
                    auto setAddingManual, StringRef what,
                    int64_t i) -> FailureOr<std::pair<Layout, Layout>> {
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
  Layouts inner, outer;
  Operation *terminator = op.getBody().front().getTerminator();
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    auto layouts = settle(
        result.getType(), terminator->getOperand(i).getType(),
        [&] { return op.getOutShardingWithoutManualAxes(i); },
        [&] { return op.getOutSharding(i); },
        [&](auto s) { op.setOutShardingAddingManualAxes(i, s); }, "result", i);
    if (failed(layouts))
      return failure();
    inner.push_back(layouts->first);
    outer.push_back(layouts->second);
  }
  if (failed(visitBlock(op.getBody().front(), inner)))
    return failure();
  for (auto [result, layout] : llvm::zip(op->getResults(), outer))
    versions.define(result, layout);
  return success();
}

void Inserter::replicateOperands(Operation *op) {
  auto whole = [&](OpOperand &use) {
    if (isShardable(use.get().getType()))
      use.set(versions.get(
          use.get(), Layout::replicated(dimsOf(use.get().getType()).size()),
          op));
  };
  for (OpOperand &use : op->getOpOperands())
    whole(use);
  // Regions of ops that we know nothing of may use values from outside.
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      for (OpOperand &use : inner->getOpOperands())
        if (!region.isAncestor(use.get().getParentRegion()))
          whole(use);
    });
}

void Inserter::visitWhole(Operation *op) {
  bool sharded = false;
  for (Value operand : op->getOperands())
    sharded |= !versions.get(operand).front().layout.isReplicated();
  Layouts layouts;
  for (Value result : op->getResults()) {
    sharded |= !propagated(result).isReplicated();
    layouts.push_back(Layout::replicated(dimsOf(result.getType()).size()));
  }
  if (sharded)
    remark::missed(op->getLoc(),
                   remark::RemarkOpts::name("Whole").category("partition"))
        << op->getName().getStringRef()
        << " is computed whole on every device: it has no sharding rule";
  replicateOperands(op);
  defineResults(op, layouts);
}

int32_t Inserter::chooseMesh(Operation *op) {
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
      offer(version.layout, operand.getType());
  for (Value result : op->getResults())
    offer(wanted(result), result.getType());
  return mesh;
}

std::optional<TensorSharding> Inserter::on(int32_t mesh, const Layout &layout) {
  if (layout.mesh == mesh || layout.isReplicated())
    return layout.sharding;
  return std::nullopt;
}

void Inserter::visitByRule(Operation *op, const ShardingRule &rule) {
  int32_t mesh = chooseMesh(op);
  Layouts layouts;
  for (Value result : op->getResults())
    layouts.push_back(Layout::replicated(dimsOf(result.getType()).size()));
  if (mesh < 0)
    return defineResults(op, layouts);

  DecideProblem problem = makeProblem(op, rule);
  for (auto [use, site] : llvm::zip(op->getOpOperands(), problem.operands)) {
    Value value = use.get();
    site.isFree = ValueVersions::isFree(versions.get(value).front().value);
    for (const auto &version : versions.get(value))
      if (auto sharding = on(mesh, version.layout))
        site.layouts.push_back(*sharding);
    if (site.layouts.empty()) {
      // Only on other meshes: bring it here, as it lies if the axes are equal.
      Layout there = versions.get(value).front().layout;
      Layout here = meshes.sameAxes(there.mesh, mesh)
                        ? Layout{mesh, there.sharding}
                        : Layout::replicated(there.sharding.rank());
      use.set(versions.get(value, here, op));
      site.layouts.push_back(here.sharding);
    }
  }
  for (auto [result, site] : llvm::zip(op->getResults(), problem.results)) {
    Layout want = wanted(result);
    if (want.mesh >= 0 && want.mesh != mesh &&
        !meshes.sameAxes(want.mesh, mesh))
      want = Layout::replicated(want.sharding.rank());
    // Only sums can stay partial.
    if (getCombiner(op) != ReducerKind::Add)
      want.sharding.unreduced.clear();
    settleUneven(want.sharding, problem, result.getResultNumber());
    site.layouts.push_back(want.sharding);
  }

  OpDecision decision = decide(problem, meshes.planner(mesh));
  auto layoutOf = [&](const TensorSharding &sharding) {
    return Layout{sharding.isReplicated() ? -1 : mesh, sharding};
  };
  for (auto [use, sharding] : llvm::zip(op->getOpOperands(), decision.operands))
    use.set(versions.get(use.get(), layoutOf(sharding), op));
  for (auto [layout, sharding] : llvm::zip(layouts, decision.results))
    layout = layoutOf(sharding);
  defineResults(op, layouts);
  if (decision.reduceAxes.empty())
    return;

  ReducerKind kind = *getCombiner(op);
  SmallVector<Value> inits(op->getNumResults());
  if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op))
    inits = takeInits(reduce, kind);
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : result.getUses())
      uses.push_back(&use);
    const Completion &completion = decision.completions[i];
    Layout after = layoutOf(completion.after);
    Value whole =
        buildCompletion(builder, op->getLoc(), result, mesh,
                        decision.results[i], completion, kind, meshes);
    if (inits[i])
      whole = foldInit(builder, whole, inits[i], kind, after, meshes);
    for (OpOperand *use : uses)
      use->set(whole);
    versions.define(whole, after);
  }
}

/// Erases what nothing uses: collectives are not pure, but these are ours.
void eraseUnused(func::FuncOp func) {
  SmallVector<Operation *> ops;
  // Backwards what is inside of an operation comes before it.
  func.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty() &&
        (isOpTriviallyDead(op) || isa<sdy::CollectiveOpInterface>(op)))
      op->erase();
}

} // namespace

LogicalResult insertCollectives(ModuleOp module,
                                const PartitionOptions &options) {
  if (failed(inlineCalls(module)))
    return failure();
  widenSlices(module);
  FailureOr<MeshTable> meshes =
      MeshTable::create(module, options.costs, options.effort);
  if (failed(meshes))
    return failure();
  for (auto func : module.getOps<func::FuncOp>()) {
    if (failed(Inserter(*meshes).runOnFunction(func)))
      return failure();
    fuseCollectives(func, *meshes);
    eraseUnused(func);
  }
  return success();
}

} // namespace shardwright
