//===- op_problem.cc - which dimensions of an op may be sharded -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op's sharding rule says how dimensions correspond. This file decides which
// of these dimensions have a local form when they are sharded; the others are
// gathered.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/ops/op_problem.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/ops/op_traits.h"
#include "shardwright/partition/ops/op_windows.h"
#include "shardwright/partition/support/tensor_types.h"
#include "shardwright/rules/batch_partitionable.h"
#include "shardwright/rules/rule_interface.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright {

/// For dimensions out of which rows are taken: the device that owns a row sends
/// it to all (a masked sum), so the operand's dimension gets a reduction
/// factor.
static void addMaskedOwnerReduction(Operation *op, ShardingRule &rule) {
  auto slice = dyn_cast<stablehlo::SliceOp>(op);
  if (!slice && !isa<stablehlo::DynamicSliceOp>(op))
    return;
  ArrayRef<int64_t> in = dimsOf(op->getOperand(0).getType());
  ArrayRef<int64_t> out = dimsOf(op->getResult(0).getType());
  for (size_t d = 0; d < in.size(); ++d) {
    // A static slice of more than one row can be sharded like the operand.
    if (in[d] == out[d] || (slice && out[d] != 1))
      continue;
    for (int32_t f : rule.results[0][d])
      rule.factors[f] = {out[d], FactorKind::PassThrough};
    rule.operands[0][d] = {int32_t(rule.factors.size())};
    rule.factors.push_back({in[d], FactorKind::Reduction});
  }
}

/// For windows that cover part of a dimension: each owner writes the rows in
/// its shard.
static void letOwnersTake(stablehlo::ScatterOp op, ShardingRule &rule) {
  for (WindowRows window :
       partialWindows(op, dimsOf(op.getInputs().front().getType())))
    for (int32_t f : rule.operands[0][window.dim])
      rule.factors[f].kind = FactorKind::PassThrough;
}

/// Windows that tile a dimension belong to the shards that contain them: the
/// source's factor becomes the major factor of the operand's dimension.
static void alignWindows(stablehlo::SelectAndScatterOp op, ShardingRule &rule) {
  ArrayRef<int64_t> in = dimsOf(op.getOperand().getType());
  ArrayRef<int64_t> out = dimsOf(op.getSource().getType());
  for (size_t d = 0; d < in.size(); ++d) {
    const DimMapping &whole = rule.operands[0][d],
                     &windows = rule.operands[1][d];
    int64_t stride = op.getWindowStrides() ? (*op.getWindowStrides())[d] : 1;
    if (whole == windows || whole.size() != 1 || windows.size() != 1)
      continue;
    if (!windowsTile(op, d)) {
      // Both operands move their rows to the shards of the result.
      if (exchangesWindows(op))
        rule.operands[1][d] = whole;
      continue;
    }
    int32_t lead = windows.front(), rest = whole.front();
    rule.factors[lead] = {out[d], FactorKind::PassThrough};
    rule.factors[rest] = {stride, FactorKind::NeedReplication};
    rule.operands[0][d] = rule.results[0][d] = {lead, rest};
  }
}

std::optional<ShardingRule> getPartitionRule(Operation *op) {
  // For random numbers, every device draws all of them and slices its part.
  // Shapes that are values describe the global program.
  if (takesShapeAsOperand(op) ||
      isa<stablehlo::RngOp, stablehlo::RngBitGeneratorOp>(op))
    return std::nullopt;
  // The rule attached to a custom call describes propagation; it does not imply
  // that the call can run on shards.
  bool isOpaque = isa<stablehlo::CustomCallOp>(op) &&
                  op->getDiscardableAttr(sdy::kShardingRuleAttr);
  std::optional<ShardingRule> rule =
      isOpaque ? batchedCallRule(op)
               : getShardingRule(op, {.extraRules = true});
  if (!rule || rule->operands.size() != op->getNumOperands() ||
      rule->results.size() != op->getNumResults())
    return std::nullopt;
  auto fits = [](Type type, const TensorMapping &mapping) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor ? tensor.hasStaticShape() &&
                        tensor.getRank() == int64_t(mapping.size())
                  : mapping.empty();
  };
  for (auto [value, mapping] : llvm::zip(op->getOperands(), rule->operands))
    if (!fits(value.getType(), mapping))
      return std::nullopt;
  for (auto [value, mapping] : llvm::zip(op->getResults(), rule->results))
    if (!fits(value.getType(), mapping))
      return std::nullopt;
  addMaskedOwnerReduction(op, *rule);
  if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op))
    letOwnersTake(scatter, *rule);
  if (auto scatter = dyn_cast<stablehlo::SelectAndScatterOp>(op))
    alignWindows(scatter, *rule);
  return rule;
}

std::optional<ReducerKind> getCombiner(Operation *op) {
  if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op))
    return uniformReducer(reduce.getBody());
  if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op))
    return uniformReducer(scatter.getUpdateComputation());
  if (isSlicing(op)) {
    Type type = getElementTypeOrSelf(op->getResult(0));
    if (type.isInteger(1))
      return ReducerKind::Or;
    // Float types without zero have no sign either, so the maximum works as an
    // `or` of bits.
    if (auto number = dyn_cast<FloatType>(type);
        number && !APFloat::semanticsHasZero(number.getFloatSemantics()))
      return ReducerKind::Max;
  }
  // Contractions add. A masked gather or slice is zero on all devices but one.
  // Other ops declare sums by a reduction factor.
  return ReducerKind::Add;
}

namespace {

/// Marks the factors of these dimensions as unshardable.
void keepDims(DecideProblem &problem, const TensorMapping &mapping,
              ArrayRef<int64_t> dims) {
  for (int64_t d : dims)
    for (int32_t f : mapping[d])
      problem.keepUnsharded[f] = true;
}

void keepDimsWhere(DecideProblem &problem, const TensorMapping &mapping,
                   llvm::function_ref<bool(int64_t)> where) {
  for (int64_t d = 0; d < int64_t(mapping.size()); ++d)
    if (where(d))
      keepDims(problem, mapping, d);
}

/// Marks operand dimensions of which a gather or scatter takes one row without
/// an index: they have no local form.
void keepUnindexed(DecideProblem &problem, const TensorMapping &mapping,
                   ArrayRef<int64_t> inserted, ArrayRef<int64_t> indexed) {
  for (int64_t d : inserted)
    if (!llvm::is_contained(indexed, d))
      keepDims(problem, mapping, d);
}

/// True if the op treats all rows along a pass-through factor alike and does
/// not move rows, so that padding rows do no harm.
bool worksRowByRow(Operation *op) {
  // A call with side effects must not see padding rows.
  if (auto call = dyn_cast<stablehlo::CustomCallOp>(op))
    return !call.getHasSideEffect();
  // The others have padding rows that affect no other row along a pass-through
  // factor only, or their local form handles them.
  return ignoresPaddingRows(op) || isDot(op) || isSlicing(op) ||
         isa<stablehlo::BatchNormGradOp, stablehlo::BatchNormInferenceOp,
             stablehlo::BatchNormTrainingOp, stablehlo::DynamicUpdateSliceOp,
             stablehlo::ScatterOp, stablehlo::PadOp, stablehlo::ReduceOp,
             stablehlo::ReshapeOp, stablehlo::ReverseOp>(op);
}

/// True if the op's local form masks padding rows or never reads them.
bool masksReduction(Operation *op) {
  if (isDot(op) || isSlicing(op))
    return true;
  // Index vectors of padding rows are out of bounds.
  if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op))
    return !scatter.getScatterDimensionNumbers()
                .getScatterDimsToOperandDims()
                .empty();
  if (!isa<stablehlo::ReduceOp>(op))
    return false;
  std::optional<ReducerKind> kind = getCombiner(op);
  return kind && llvm::all_of(op->getResultTypes(), [&](Type type) {
           return bool(identityElement(*kind, getElementTypeOrSelf(type)));
         });
}

/// True if the factor is the only factor of each dimension that has it.
bool isWholeDim(const ShardingRule &rule, const DecideProblem &problem,
                int32_t f) {
  auto holdsAlone = [&](const TensorSite &site, const TensorMapping &mapping) {
    for (auto [size, factors] : llvm::zip(site.shape, mapping))
      if (llvm::is_contained(factors, f) &&
          (factors.size() != 1 || size != rule.factors[f].size))
        return false;
    return true;
  };
  for (auto [site, mapping] : llvm::zip(problem.operands, rule.operands))
    if (!holdsAlone(site, mapping))
      return false;
  for (auto [site, mapping] : llvm::zip(problem.results, rule.results))
    if (!holdsAlone(site, mapping))
      return false;
  return true;
}

TensorSite siteOf(Value value) {
  TensorSite site;
  site.shape.assign(dimsOf(value.getType()).begin(),
                    dimsOf(value.getType()).end());
  site.elementBytes = elementBytes(value.getType());
  return site;
}

/// Marks factors that only one operand side has, unless the other side is equal
/// for all shards.
void keepOneSided(DecideProblem &problem, Operation *op) {
  const ShardingRule &rule = *problem.rule;
  for (auto [f, factor] : llvm::enumerate(rule.factors)) {
    if (factor.kind != FactorKind::PassThrough)
      continue;
    bool inOperands = false, inResults = false;
    for (int64_t i = 0; i < rule.numTensors(); ++i)
      (i < int64_t(rule.operands.size()) ? inOperands : inResults) |=
          rule.holds(i, f);
    if (!inResults || (!inOperands && !isa<stablehlo::BroadcastInDimOp>(op)))
      problem.keepUnsharded[f] = true;
  }
}

void keepSpatialDims(DecideProblem &problem, stablehlo::ConvolutionOp conv) {
  const ShardingRule &rule = *problem.rule;
  auto dims = conv.getDimensionNumbers();
  keepDims(problem, rule.operands[0], dims.getInputSpatialDimensions());
  keepDims(problem, rule.operands[1], dims.getKernelSpatialDimensions());
  keepDims(problem, rule.results[0], dims.getOutputSpatialDimensions());
}

/// Indexed dimensions may be sharded, because indices are compared with the
/// shard's range. Dimensions of which one row is taken without an index may
/// not.
void keepTakenOnce(DecideProblem &problem, stablehlo::GatherOp gather) {
  auto dims = gather.getDimensionNumbers();
  for (auto [d, size] : llvm::enumerate(gather.getSliceSizes()))
    if (size == 1 && problem.operands[0].shape[d] != 1 &&
        !llvm::is_contained(dims.getOperandBatchingDims(), int64_t(d)) &&
        !llvm::is_contained(dims.getStartIndexMap(), int64_t(d)))
      keepDims(problem, problem.rule->operands[0], int64_t(d));
}

/// Partial results need a reducer with an identity for each type.
void requireIdentities(DecideProblem &problem, Operation *op,
                       TypeRange inputs) {
  if (problem.canReduce)
    problem.canReduce = llvm::all_of(inputs, [&](Type type) {
      return bool(
          identityElement(*getCombiner(op), getElementTypeOrSelf(type)));
    });
}

/// Restrictions that depend on the kind of the op.
void restrictByName(DecideProblem &problem, Operation *op) {
  const ShardingRule &rule = *problem.rule;
  llvm::TypeSwitch<Operation *>(op)
      .Case<stablehlo::DotGeneralOp, stablehlo::DotOp>(
          [&](auto) { problem.isContraction = true; })
      .Case([&](stablehlo::ConvolutionOp conv) {
        problem.isContraction = true;
        keepSpatialDims(problem, conv);
      })
      .Case([&](stablehlo::DynamicUpdateSliceOp) {
        // If the update covers part of a dimension, every device holds the full
        // update and writes the rows in its shard.
        keepDimsWhere(problem, rule.operands[1], [&](int64_t d) {
          return problem.operands[0].shape[d] != problem.operands[1].shape[d];
        });
      })
      .Case([&](stablehlo::GatherOp gather) { keepTakenOnce(problem, gather); })
      .Case([&](stablehlo::ScatterOp scatter) {
        auto dims = scatter.getScatterDimensionNumbers();
        keepUnindexed(problem, rule.operands[0], dims.getInsertedWindowDims(),
                      dims.getScatterDimsToOperandDims());
        requireIdentities(problem, op, scatter.getInputs().getTypes());
      })
      .Case([&](stablehlo::ReduceOp reduce) {
        requireIdentities(problem, op, reduce.getInputs().getTypes());
      })
      .Case([&](stablehlo::GetDimensionSizeOp) {
        problem.keepUnsharded.assign(rule.factors.size(), true);
      });
}

/// Adds windows whose halo can be exchanged: the factor is the only one of the
/// result's dimension and the major one of the operand's.
void addWindows(DecideProblem &problem, Operation *op) {
  const ShardingRule &rule = *problem.rule;
  for (const OpWindow &window : getWindows(op)) {
    const DimMapping &made = rule.results[0][window.resultDim];
    const DimMapping &read = rule.operands[window.operand][window.operandDim];
    if (window.kernelDim >= 0) {
      // Each shard of the kernel computes a partial sum, if the kernel's factor
      // is the major one of the operand's rows.
      const DimMapping &kernel = rule.operands[1][window.kernelDim];
      if (kernel.size() != 1 || read.empty() ||
          read.front() != kernel.front() ||
          rule.factors[kernel.front()].size != window.map.outSize ||
          rule.factors[kernel.front()].kind != FactorKind::Reduction)
        continue;
      problem.keepUnsharded[kernel.front()] = false;
      problem.windows.push_back(
          {kernel.front(), window.operand, window.operandDim, window.map});
      problem.windows.back().isEven = true;
      continue;
    }
    if (read.size() == 1 &&
        rule.factors[read.front()].kind == FactorKind::Reduction)
      continue;
    if (made.size() != 1 || read.empty() || read.front() != made.front()) {
      keepDims(problem, rule.results[0], window.resultDim);
      keepDims(problem, rule.operands[window.operand], window.operandDim);
      continue;
    }
    problem.keepUnsharded[made.front()] = false;
    problem.windows.push_back({made.front(), window.operand, window.operandDim,
                               window.map, window.isScan});
  }
}

/// Marks the factors along which the op computes on uneven shards.
void markUneven(DecideProblem &problem, Operation *op) {
  const ShardingRule &rule = *problem.rule;
  bool rowByRow = worksRowByRow(op);
  for (auto [f, factor] : llvm::enumerate(rule.factors)) {
    bool works = factor.kind == FactorKind::PassThrough ? rowByRow
                 : factor.kind == FactorKind::Reduction ? masksReduction(op)
                                                        : false;
    bool exchanges =
        llvm::any_of(problem.windows, [&](const FactorWindow &window) {
          return window.factor == int32_t(f);
        });
    problem.mayBeUneven.push_back(exchanges ||
                                  (works && isWholeDim(rule, problem, f)));
  }
}

} // namespace

DecideProblem makeProblem(Operation *op, const ShardingRule &rule) {
  DecideProblem problem;
  problem.rule = &rule;
  problem.keepUnsharded.assign(rule.factors.size(), false);
  std::optional<ReducerKind> combiner = getCombiner(op);
  problem.canReduce = combiner.has_value();
  problem.reduction = combiner ? reductionKindOf(*combiner) : std::nullopt;
  for (Value operand : op->getOperands())
    problem.operands.push_back(siteOf(operand));
  for (Value result : op->getResults())
    problem.results.push_back(siteOf(result));
  keepOneSided(problem, op);
  restrictByName(problem, op);
  addWindows(problem, op);
  markUneven(problem, op);
  return problem;
}

} // namespace shardwright
