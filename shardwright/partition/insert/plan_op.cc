//===- plan_op.cc - decide how an op computes -----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Changes no IR: reads the layouts of operands and the wanted layouts of
// results, and returns an OpPlan.
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/insert/carried_sums.h"
#include "shardwright/partition/insert/inserter.h"
#include "shardwright/partition/ops/linear_ops.h"
#include "shardwright/partition/ops/op_kernel.h"
#include "shardwright/partition/ops/op_problem.h"
#include "shardwright/partition/ops/op_traits.h"
#include "shardwright/partition/ops/op_windows.h"
#include "shardwright/partition/prepare/compose_slices.h"
#include "shardwright/partition/support/tensor_types.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace shardwright {

//===----------------------------------------------------------------------===//
// Wanted layouts of results
//===----------------------------------------------------------------------===//

LayoutRef Inserter::propagated(Value value) {
  auto result = dyn_cast<OpResult>(value);
  return &meshes.toLayout(
      result ? shardings.of(result) : sdy::getSharding(value), value.getType());
}

LayoutRef Inserter::wanted(Value value) {
  // A constraint on the value has precedence over the propagated sharding.
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

SmallVector<LayoutRef> Inserter::planCarried(Operation *op) {
  SmallVector<LayoutRef> layouts;
  for (OpResult result : op->getResults())
    layouts.push_back(planOf(result, [&] {
      return wantedSums->withCarriedSums(result, propagated(result));
    }));
  return layouts;
}

TensorSharding Inserter::wantedOn(int32_t mesh, Operation *op, Layout want,
                                  const DecideProblem &problem, int64_t i) {
  if (want.mesh >= 0 && want.mesh != mesh) {
    want.sharding.unreduced.clear();
    if (!meshes.sameAxes(want.mesh, mesh))
      want = Layout::replicated(want.sharding.rank());
  }
  if (!mayBePartial(op, want.sharding.unreduced.kind))
    want.sharding.unreduced.clear();
  settleUneven(want.sharding, problem, i);
  return std::move(want.sharding);
}

//===----------------------------------------------------------------------===//
// Ops that run on all devices or on one
//===----------------------------------------------------------------------===//

/// The device of the op, if the mesh of its shardings is one device. An op
/// without results may have a sharding too, such as a call of the host.
static std::optional<int64_t> onlyDevice(Operation *op) {
  for (sdy::TensorShardingAttr sharding :
       op->getNumResults() ? sdy::getShardings(op->getResults())
                           : sdy::getShardings(op))
    if (sdy::MeshAttr mesh =
            sharding ? sdy::getMeshAttr(op, sharding) : sdy::MeshAttr();
        mesh && mesh.isMaximal())
      return mesh.getDeviceIds().front();
  return std::nullopt;
}

OpPlan Inserter::planReplicated(Operation *op) {
  OpPlan plan;
  if (rates)
    plan.work = secondsOfKernel(op, *rates);
  for (Value result : op->getResults()) {
    LayoutRef layout = meshes.replicated(dimsOf(result.getType()).size());
    plan.results.push_back({layout, {}, layout});
  }
  return plan;
}

void Inserter::remarkReplicated(Operation *op) {
  bool isSharded = false;
  for (Value operand : op->getOperands())
    isSharded |= !versions.get(operand).front().layout->isReplicated();
  for (Value result : op->getResults())
    isSharded |= !propagated(result)->isReplicated();
  if (isSharded)
    remark::missed(op->getLoc(),
                   remark::RemarkOpts::name("Whole").category("partition"))
        << op->getName().getStringRef()
        << " is computed in full size on every device: it has no sharding rule";
}

//===----------------------------------------------------------------------===//
// Reads in loops
//===----------------------------------------------------------------------===//

/// True if the op takes some rows of its first operand.
static bool readsInPart(Operation *op) {
  return isDynamicSlicing(op) && isShardable(op->getOperand(0).getType()) &&
         cast<ShapedType>(op->getResult(0).getType()).hasStaticShape();
}

/// True if the op slices rows in order in the loop with this body: its starts
/// are computed from the loop's counters.
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

SmallVector<int64_t, 3> Inserter::timesMoved(Operation *op) {
  SmallVector<int64_t, 3> times;
  if (loops.empty() || llvm::all_of(op->getOperands(), [&](Value operand) {
        return loops.back().first->isAncestor(operand.getParentRegion());
      }))
    return times;
  times.assign(op->getNumOperands(), 1);
  // If the trip count is unknown, assume that the loop takes each row once.
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
    // A loop-invariant op is hoisted out of the loop.
    if (llvm::none_of(llvm::zip(op->getOperands(), inside), [](auto both) {
          auto [operand, isInside] = both;
          return isInside && !ReshardCache::isRematerializable(operand);
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

void Inserter::amortizeMoves(Operation *op, int32_t mesh,
                             DecideProblem &problem) {
  SmallVector<int64_t, 3> moved = timesMoved(op);
  if (moved.empty())
    return;
  for (auto [site, times] : llvm::zip(problem.operands, moved))
    site.amortization = 1 / double(times);
  const CostModel &costs = meshes.planner(mesh).getCosts();
  problem.heldBytes = costs.heldBytes - held;
  if (readsInPart(op))
    problem.operands[0].isReadInPart = true;
  // Other ops, also those that read rows in any order, are decided by bytes
  // only.
  if (readsInOrder(op, loops.back().first))
    problem.repeated = costs.repeated;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Adds `more` to `axes`; both are subsets of one set of axes.
static void addAxes(AxisList &axes, AxisRefs more) {
  axes.append(withoutAxes(more, commonAxes(axes, more)));
  sortAndMerge(axes);
}

void Inserter::carrySums(Operation *op, DecideProblem &problem) {
  UnreducedAxes wanted;
  if (!problem.results.empty())
    wanted = problem.results[0].layouts[0].unreduced;
  for (const TensorSite &site : problem.results)
    wanted = commonUnreduced(wanted, site.layouts[0].unreduced);
  if (wanted.empty())
    return;
  // A value that is also available reduced was made partial by keeping it on
  // one device: an op on its summands would multiply by zeros, and 0 * inf is
  // NaN.
  auto carriedBy = [&](const TensorSite &site) {
    AxisList axes;
    for (const TensorSharding &layout : site.layouts) {
      AxisList sums = commonUnreduced(layout.unreduced, wanted);
      if (sums.empty())
        return sums;
      addAxes(axes, sums);
    }
    return axes;
  };
  SmallVector<bool, 4> flags =
      commutingOperands(op, wanted.kind, [&](unsigned i) {
        return !carriedBy(problem.operands[i]).empty();
      });
  AxisList carried;
  for (auto [flag, site, value] :
       llvm::zip(flags, problem.operands, op->getOperands()))
    if (flag) {
      AxisList own = carriedBy(site);
      addAxes(carried, own);
      // A replicated value is a partial maximum as it is.
      site.carriesSum = wanted.kind == ReductionKind::Sum ? !isZeroSplat(value)
                                                          : !own.empty();
    }
  problem.carried = UnreducedAxes::of(commonAxes(wanted, carried), wanted.kind);
}

//===----------------------------------------------------------------------===//
// Ops with a sharding rule
//===----------------------------------------------------------------------===//

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

/// Puts the decision first, then the other candidates by cost, without
/// duplicates.
static void sortWays(std::vector<WeighedWay> &ways,
                     const OpDecision &decision) {
  auto isSame = [](const WeighedWay &a, const WeighedWay &b) {
    return a.operands == b.operands && a.results == b.results;
  };
  std::vector<WeighedWay> sorted;
  sorted.push_back({decision.operands, decision.results, decision.cost,
                    !ways.empty() && ways.front().isSeconds});
  // Candidates of equal cost stay in the order of evaluation.
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

/// The sharding on `mesh`; none if the layout is on a mesh with other axes.
static std::optional<TensorSharding> shardingOn(int32_t mesh,
                                                const Layout &layout) {
  if (layout.mesh == mesh || layout.isReplicated())
    return layout.sharding;
  return std::nullopt;
}

void Inserter::placeOperands(Operation *op, OpPlan &plan,
                             DecideProblem &problem) {
  for (auto [value, site] : llvm::zip(op->getOperands(), problem.operands)) {
    site.isRematerializable =
        ReshardCache::isRematerializable(versions.get(value).front().value);
    for (const auto &version : versions.get(value))
      if (auto sharding = shardingOn(plan.mesh, *version.layout))
        site.layouts.push_back(*sharding);
    OperandPlan &operand = plan.operands.emplace_back();
    if (!site.layouts.empty())
      continue;
    // On a mesh with equal axes the value keeps its sharding.
    const Layout &there = *versions.get(value).front().layout;
    operand.broughtHere = meshes.sameAxes(there.mesh, plan.mesh)
                              ? meshes.intern(Layout{plan.mesh, there.sharding})
                              : meshes.replicated(there.sharding.rank());
    site.layouts.push_back(operand.broughtHere->sharding);
  }
}

OpPlan Inserter::planByRule(Operation *op, ArrayRef<LayoutRef> wanted) {
  std::optional<ShardingRule> rule = getPartitionRule(op);
  int32_t mesh = rule ? chooseMesh(op, wanted) : -1;
  if (mesh < 0) {
    OpPlan plan = planReplicated(op);
    plan.replicatesOperands = !rule;
    return plan;
  }

  OpPlan plan;
  plan.mesh = mesh;
  DecideProblem problem = makeProblem(op, *rule);
  placeOperands(op, plan, problem);
  for (auto [i, site] : llvm::enumerate(problem.results))
    site.layouts.push_back(wantedOn(mesh, op, *wanted[i], problem, i));
  carrySums(op, problem);
  problem.sumShare = 1 / double(timesAddedUp(op));
  amortizeMoves(op, mesh, problem);

  if (rates)
    describeKernel(op, *rates, problem);
  if (observer)
    problem.weighed = &plan.ways;
  OpDecision decision = decide(problem, meshes.planner(mesh));
  if (observer)
    sortWays(plan.ways, decision);
  auto layoutOf = [&](const TensorSharding &sharding) {
    return meshes.intern(Layout{sharding.isReplicated() ? -1 : mesh, sharding});
  };
  for (auto [operand, sharding] : llvm::zip(plan.operands, decision.operands))
    operand.layout = layoutOf(sharding);
  for (const TensorSharding &sharding : decision.results) {
    LayoutRef computed = layoutOf(sharding);
    plan.results.push_back({computed, {}, computed});
  }
  if (!decision.reduceAxes.empty())
    for (auto [result, resolution, share] :
         llvm::zip(plan.results, decision.resolutions, decision.sumShares)) {
      result.completed = layoutOf(resolution.after);
      result.resolution = std::move(resolution);
      result.sumShare = share;
    }
  plan.reduceAxes = std::move(decision.reduceAxes);
  plan.factors = std::move(decision.factors);
  plan.work = decision.work;
  plan.halo = decision.halo;
  return plan;
}

void Inserter::askMemo(Operation *op, ArrayRef<LayoutRef> wanted) {
  memo.begin(op);
  for (Value operand : op->getOperands()) {
    ArrayRef<ReshardCache::Version> all = versions.get(operand);
    memo.add(ReshardCache::isRematerializable(all.front().value));
    for (const auto &version : all)
      memo.add(version.layout);
  }
  bool wantsSum = false;
  for (LayoutRef layout : wanted) {
    memo.add(layout);
    wantsSum |= !layout->sharding.unreduced.empty();
  }
  // carrySums() depends on this.
  for (Value operand : op->getOperands())
    if (wantsSum)
      memo.add(isZeroSplat(operand));
  // getScan() depends on the initial values.
  if (isa<stablehlo::ReduceWindowOp>(op))
    memo.add(getScan(op).has_value());
  // The op's kernel depends on its users, and on those of its operands.
  if (rates) {
    memo.add(int64_t(placeOf(op)));
    for (OpOperand &use : op->getOpOperands())
      memo.add(isReadInKernel(use));
  }
  memo.add(timesAddedUp(op));
  SmallVector<int64_t, 3> moved = timesMoved(op);
  for (int64_t times : moved)
    memo.add(times);
  if (!moved.empty()) {
    memo.add(int64_t(held));
    memo.add(readsInOrder(op, loops.back().first));
  }
}

const OpPlan *Inserter::decideOp(Operation *op) {
  // Ops without effects run on all devices, which sends less.
  if (traitsOf(op).mayHaveEffects && meshes.numDevices() > 1 &&
      hasSideEffect(op))
    if (std::optional<int64_t> device = onlyDevice(op)) {
      OpPlan plan = planReplicated(op);
      plan.replicatesOperands = true;
      plan.device = device;
      return memo.store(std::move(plan));
    }
  SmallVector<LayoutRef> want;
  for (Value result : op->getResults())
    want.push_back(wanted(result));
  askMemo(op, want);
  const OpPlan *known = memo.find();
  if (!known)
    known = memo.keep(planByRule(op, want));
  if (known->replicatesOperands)
    remarkReplicated(op);
  return known;
}

const OpPlan &Inserter::planOf(Operation *op) {
  if (!plan)
    return *decideOp(op);
  const OpPlan *&entry = plan->ops[op];
  if (!entry)
    entry = decideOp(op);
  return *entry;
}

} // namespace shardwright
