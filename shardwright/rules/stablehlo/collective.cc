//===- collective.cc - rules of StableHLO's collectives -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/rules/families.h"

using namespace mlir;
using namespace shardwright;

/// Shardy assumes that all pairs have the shape of the first result.
static std::optional<ShardingRule> allReduceRule(stablehlo::AllReduceOp op,
                                                 const RuleOptions &options) {
  auto sameShape = [&](Type type) {
    return shapeOf(type) == shapeOf(op->getResult(0));
  };
  if (op->getNumResults() == 0 || !options.extraRules ||
      llvm::all_of(op->getResultTypes(), sameShape))
    return pointwiseRule(op, options);
  // Each pair is reduced separately.
  RuleBuilder builder(op);
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    for (auto [d, size] : llvm::enumerate(shapeOf(op->getResult(i)))) {
      SmallVector<int64_t> dims(op->getNumResults(), kNoDim);
      dims[i] = d;
      builder.add(dims, dims, size);
    }
  }
  return builder.finish();
}

/// Several values, or operands that give roots, are unrelated.
static std::optional<ShardingRule>
collectiveBroadcastRule(stablehlo::CollectiveBroadcastOp op,
                        const RuleOptions &options) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1)
    return std::nullopt;
  return pointwiseRule(op, options);
}

/// In `changed` dimensions, sizes or the order of the data differ, so operand
/// and result are unrelated there.
static std::optional<ShardingRule> exchangeRule(Operation *op,
                                                ArrayRef<int64_t> changed) {
  if (op->getNumOperands() == 0 || op->getNumResults() == 0)
    return std::nullopt;
  ArrayRef<int64_t> in = shapeOf(op->getOperand(0)),
                    out = shapeOf(op->getResult(0));
  RuleBuilder builder(op);
  for (auto [d, size] : llvm::enumerate(in))
    if (!llvm::is_contained(changed, int64_t(d)))
      builder.all(d, size);
  for (int64_t d : changed) {
    if (d < 0 || d >= int64_t(in.size()) || d >= int64_t(out.size()))
      return std::nullopt;
    builder.allOperands(d, in[d], kNeedReplication);
    builder.allResults(d, out[d], kNeedReplication);
  }
  return builder.finish();
}

static std::optional<ShardingRule> allGatherRule(stablehlo::AllGatherOp op,
                                                 const RuleOptions &) {
  return exchangeRule(op, {int64_t(op.getAllGatherDim())});
}

static std::optional<ShardingRule>
reduceScatterRule(stablehlo::ReduceScatterOp op, const RuleOptions &) {
  return exchangeRule(op, {int64_t(op.getScatterDimension())});
}

static std::optional<ShardingRule> allToAllRule(stablehlo::AllToAllOp op,
                                                const RuleOptions &) {
  int64_t split = op.getSplitDimension(), concat = op.getConcatDimension();
  if (split == concat)
    return exchangeRule(op, {split});
  return exchangeRule(op, {split, concat});
}

void shardwright::attachCollectiveRules(MLIRContext &context) {
  using namespace stablehlo;
  constexpr PropagationTraits byRule{};
  constexpr PartitionTraits collective{.isCollective = true};
  attachRule<AllReduceOp, &allReduceRule, byRule, collective>(context);
  attachRule<CollectivePermuteOp, &pointwiseRule, byRule, collective>(context);
  attachRule<CrossReplicaSumOp, &pointwiseRule>(context);
  attachRule<CollectiveBroadcastOp, &collectiveBroadcastRule, byRule,
             collective>(context);
  attachRule<AllGatherOp, &allGatherRule, byRule, collective>(context);
  attachRule<ReduceScatterOp, &reduceScatterRule, byRule, collective>(context);
  attachRule<AllToAllOp, &allToAllRule, byRule, collective>(context);
}
