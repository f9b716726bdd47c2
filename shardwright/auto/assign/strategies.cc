//===- strategies.cc - ways to compute an op along one axis ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/assign/strategies.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/cost/predicted_seconds.h"
#include "shardwright/partition/ops/linear_ops.h"
#include "shardwright/partition/ops/op_problem.h"
#include "shardwright/partition/ops/op_traits.h"
#include "shardwright/partition/ops/op_work.h"
#include "shardwright/rules/rule_interface.h"

using namespace mlir;

namespace shardwright {

/// Bytes that the op reads of an operand.
static double bytesRead(Operation *op, unsigned i, OpCosts &costs) {
  Value operand = op->getOperand(i);
  if (llvm::is_contained(op->getOperands().take_front(i), operand))
    return 0;
  double size = bytesOf(operand.getType());
  // Updates in place touch what is updated; scatters also read it.
  if (isa<stablehlo::DynamicUpdateSliceOp>(op))
    return i == 1 ? size : 0;
  if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op)) {
    size_t inputs = scatter.getInputs().size();
    return i < inputs ? 0 : i == inputs ? size : 2 * size;
  }
  if (Operation *from = operand.getDefiningOp())
    if (from->hasTrait<OpTrait::ConstantLike>() ||
        (getPartitionTraits(op).fusion != Fusion::Alone &&
         costs.heldBytes(operand) == 0))
      return 0;
  if (isSlicing(op))
    return std::min(size, bytesOf(op->getResult(0).getType()));
  return size;
}

OpTraffic readTraffic(Operation *op, OpCosts &costs) {
  OpTraffic work;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    work.operandBytes.push_back(bytesRead(op, i, costs));
  bool isHeld = op->getNumResults() == 0;
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    double bytes = costs.heldBytes(result);
    isHeld |= bytes > 0;
    if (isa<stablehlo::DynamicUpdateSliceOp>(op))
      bytes = bytesOf(op->getOperand(1).getType());
    if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op))
      bytes = bytesOf(scatter.getUpdates()[i].getType());
    work.resultBytes.push_back(bytes);
  }
  if (getPartitionTraits(op).work == Work::None) {
    work.operandBytes.assign(op->getNumOperands(), 0);
    work.resultBytes.assign(op->getNumResults(), 0);
    return work;
  }
  if (op->getNumOperands() > 0 || op->getNumResults() > 0) {
    work.operations = countOperations(op);
    work.operationsPerSecond = costs.operationsPerSecond(op);
  }
  work.isLaunched = isHeld;
  work.isContraction = isContraction(op);
  work.columns = countColumns(op);
  return work;
}

ShardedOp ShardedOp::read(Operation *op, OpCosts &costs) {
  ShardedOp read;
  read.op = op;
  read.rule = getPartitionRule(op);
  if (read.rule)
    read.problem = makeProblem(op, *read.rule);
  // The rule's address changes with the struct's.
  read.problem.rule = nullptr;
  read.work = readTraffic(op, costs);
  return read;
}

StrategyMaker::StrategyMaker(const Mesh &mesh, ArrayRef<int32_t> axes,
                             const MachineModel &machine)
    : mesh(mesh), axes(axes), machine(machine) {}

double StrategyMaker::collectiveSeconds(CollectiveKind kind, int32_t axis,
                                        double local) const {
  return shardwright::collectiveSeconds(
      machine, kind, local, size(axis),
      machine.linkOf(mesh.axisName(axes[axis])));
}

FactorAxes StrategyMaker::factorAxes(const ShardedOp &op,
                                     const AxisFactors &factors) const {
  FactorAxes list(op.rule->factors.size());
  for (auto [a, f] : llvm::enumerate(factors))
    if (f >= 0)
      list[f].push_back(mesh.fullAxis(axes[a]));
  return list;
}

/// The layout of the axis in a sharding.
static AxisLayout layoutIn(const TensorSharding &sharding, AxisRef axis) {
  for (auto [d, dim] : llvm::enumerate(sharding.dims))
    for (AxisRef own : dim.axes)
      if (overlaps(own, axis))
        return AxisLayout(d);
  return kReplicatedLayout;
}

bool StrategyMaker::layouts(const ShardedOp &op, const AxisFactors &factors,
                            int32_t axis, OpStrategy &strategy) const {
  FactorAxes list = factorAxes(op, factors);
  AxisRef ref = mesh.fullAxis(axes[axis]);
  auto add = [&](const TensorSite &site, const TensorMapping &mapping,
                 auto &layouts) {
    auto sharding = shardingFromFactors(*op.rule, mapping, list, site.shape);
    if (!sharding)
      return false;
    // Plans write even shards only.
    for (auto [dim, rows] : llvm::zip(sharding->dims, site.shape))
      if (rows % dim.shards() != 0)
        return false;
    layouts.push_back(layoutIn(*sharding, ref));
    return true;
  };
  for (auto [site, mapping] : llvm::zip(op.problem.operands, op.rule->operands))
    if (!add(site, mapping, strategy.operands))
      return false;
  for (auto [site, mapping] : llvm::zip(op.problem.results, op.rule->results))
    if (!add(site, mapping, strategy.results))
      return false;
  return strategy.factor < 0 ||
         addHalo(op, list, axis, strategy.factor, strategy);
}

bool StrategyMaker::addHalo(const ShardedOp &op, const FactorAxes &factors,
                            int32_t axis, int32_t factor,
                            OpStrategy &strategy) const {
  for (const FactorWindow &window : op.problem.windows) {
    if (window.factor != factor)
      continue;
    const TensorSite &site = op.problem.operands[window.operand];
    int64_t rows = site.shape[window.operandDim];
    int64_t shards = totalSize(factors[factor]);
    // Windows over fewer rows than shards are replicated.
    if (rows < shards)
      return false;
    auto sharding = shardingFromFactors(
        *op.rule, op.rule->operands[window.operand], factors, site.shape);
    double local = localBytes(site.shape, site.elementBytes, *sharding);
    double row = local / (double(rows) / double(shards));
    if (window.isScan) {
      strategy.haloSeconds +=
          collectiveSeconds(CollectiveKind::AllGather, axis, row);
      continue;
    }
    std::optional<RowWindow> needed = window.map.ofShards(shards);
    if (!needed || (window.isEven && window.map.outSize % shards != 0))
      return false;
    double bytes = window.map.reversed && rows % shards == 0
                       ? local
                       : row * rowsReceived(*needed, rows, shards);
    if (bytes > 0)
      strategy.haloSeconds +=
          collectiveSeconds(CollectiveKind::Permute, axis, bytes);
  }
  return true;
}

void StrategyMaker::addPartial(const ShardedOp &op,
                               std::vector<OpStrategy> &list) const {
  // Products of partial values are reduced first, as the partitioner does.
  if (isProduct(op.op, ReductionKind::Sum))
    return;
  SmallVector<bool, 4> linear = commutingOperands(
      op.op, ReductionKind::Sum, [](unsigned) { return true; });
  if (!llvm::is_contained(linear, true))
    return;
  OpStrategy strategy;
  for (bool isLinear : linear)
    strategy.operands.push_back(isLinear ? kPartialLayout : kReplicatedLayout);
  strategy.results.assign(op.op->getNumResults(), kPartialLayout);
  list.push_back(std::move(strategy));
}

std::vector<OpStrategy> StrategyMaker::make(const ShardedOp &op,
                                            const AxisFactors &others,
                                            int32_t axis) const {
  std::vector<OpStrategy> list;
  OpStrategy none;
  none.operands.assign(op.op->getNumOperands(), kReplicatedLayout);
  none.results.assign(op.op->getNumResults(), kReplicatedLayout);
  list.push_back(none);
  if (!op.rule)
    return list;
  DecideProblem problem = op.problem;
  problem.rule = &*op.rule;
  for (auto [f, factor] : llvm::enumerate(op.rule->factors)) {
    if (factor.size <= 1 || !mayShard(problem, f))
      continue;
    AxisFactors factors = others;
    factors[axis] = int8_t(f);
    OpStrategy strategy;
    strategy.factor = int32_t(f);
    if (!layouts(op, factors, axis, strategy))
      continue;
    // A factor that no tensor shows takes no axis.
    if (llvm::all_of(strategy.operands, [](AxisLayout l) { return l < 0; }) &&
        llvm::all_of(strategy.results, [](AxisLayout l) { return l < 0; }))
      continue;
    if (factor.kind == FactorKind::Reduction) {
      strategy.results.assign(op.op->getNumResults(), kPartialLayout);
      strategy.mustReduce =
          op.problem.reduction != ReductionKind::Sum ||
          !llvm::all_of(op.op->getResultTypes(),
                        [](Type type) { return canAdd(type); });
    }
    list.push_back(std::move(strategy));
  }
  addPartial(op, list);
  return list;
}

double StrategyMaker::kernelSeconds(const ShardedOp &op,
                                    const AxisFactors &factors) const {
  const OpTraffic &work = op.work;
  double shards = 1, columnShards = 1;
  for (auto [a, f] : llvm::enumerate(factors)) {
    if (f < 0)
      continue;
    shards *= double(size(int32_t(a)));
    if (work.columns.number != 0 && isColumn(*op.rule, f))
      columnShards *= double(size(int32_t(a)));
  }
  double bytes = 0;
  if (shards == 1) {
    for (double size : work.operandBytes)
      bytes += size;
    for (double size : work.resultBytes)
      bytes += size;
  } else {
    auto add = [&](double size, const TensorMapping &mapping) {
      double parts = 1;
      for (auto [a, f] : llvm::enumerate(factors))
        if (f >= 0 && llvm::any_of(mapping, [&, f = f](const DimMapping &dim) {
              return llvm::is_contained(dim, int32_t(f));
            }))
          parts *= double(this->size(int32_t(a)));
      bytes += size / parts;
    };
    for (auto [size, mapping] : llvm::zip(work.operandBytes, op.rule->operands))
      add(size, mapping);
    for (auto [size, mapping] : llvm::zip(work.resultBytes, op.rule->results))
      add(size, mapping);
  }
  return shardwright::kernelSeconds(
      machine,
      {work.operations / shards, work.operationsPerSecond, bytes,
       work.isContraction, work.columns.of(columnShards), work.isLaunched});
}

} // namespace shardwright
