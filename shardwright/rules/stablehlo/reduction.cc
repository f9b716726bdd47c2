//===- reduction.cc - rules of reductions, windows and sort ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/rules/families.h"

using namespace mlir;
using namespace shardwright;

constexpr FactorKind kPermutation = FactorKind::Permutation;

/// Operands: n inputs and n scalar initial values.
static std::optional<ShardingRule> reduceRule(stablehlo::ReduceOp op,
                                              const RuleOptions &) {
  int64_t numInputs = op.getInputs().size();
  if (numInputs == 0)
    return std::nullopt;
  RuleBuilder builder(op);
  int64_t out = 0;
  for (auto [d, size] : llvm::enumerate(shapeOf(op.getInputs().front()))) {
    bool isReduced = llvm::is_contained(op.getDimensions(), int64_t(d));
    SmallVector<int64_t> inputs(numInputs, d);
    SmallVector<int64_t> results(op->getNumResults(),
                                 isReduced ? kNoDim : out++);
    builder.add(inputs, results, size, isReduced ? kReduction : kPass);
  }
  return builder.finish();
}

/// True if the window does not change dimension `dim`.
template <typename OpTy>
static bool isUntouched(std::optional<ArrayRef<int64_t>> window, OpTy op,
                        int64_t dim) {
  auto isOne = [&](std::optional<ArrayRef<int64_t>> values) {
    return !values || dim >= int64_t(values->size()) || (*values)[dim] == 1;
  };
  if (!isOne(window) || !isOne(op.getWindowStrides()))
    return false;
  std::optional<DenseIntElementsAttr> padding = op.getPadding();
  if (!padding || padding->getNumElements() < 2 * (dim + 1))
    return true;
  auto values = padding->getValues<int64_t>();
  return values[2 * dim] == 0 && values[2 * dim + 1] == 0;
}

static std::optional<ShardingRule>
reduceWindowRule(stablehlo::ReduceWindowOp op, const RuleOptions &options) {
  if (op->getNumResults() == 0)
    return std::nullopt;
  RuleBuilder builder(op);
  for (auto [d, size] : llvm::enumerate(shapeOf(op->getResult(0)))) {
    bool isKept = isUntouched(op.getWindowDimensions(), op, d);
    // Shardy ignores base dilation.
    if (options.extraRules && op.getBaseDilations())
      isKept &= sizeAt(*op.getBaseDilations(), d) == 1;
    if (isKept)
      builder.all(d, size);
    else
      builder.all(d, size, kPermutation, options.conservative);
  }
  return builder.finish();
}

static std::optional<ShardingRule>
selectAndScatterRule(stablehlo::SelectAndScatterOp op,
                     const RuleOptions &options) {
  RuleBuilder builder(op);
  ArrayRef<int64_t> source = shapeOf(op.getSource());
  for (auto [i, size] : llvm::enumerate(shapeOf(op->getResult(0)))) {
    int64_t d = i;
    if (isUntouched(op.getWindowDimensions(), op, d)) {
      builder.all(d, size);
      continue;
    }
    if (d >= int64_t(source.size()))
      return std::nullopt;
    builder.add({kNoDim, d, kNoDim}, {kNoDim}, source[d], kNeedReplication,
                options.conservative);
    builder.add({d, kNoDim, kNoDim}, {d}, size, kPermutation,
                options.conservative);
  }
  return builder.finish();
}

static std::optional<ShardingRule> sortRule(stablehlo::SortOp op,
                                            const RuleOptions &) {
  if (op->getNumResults() == 0)
    return std::nullopt;
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  // Shardy does not handle negative dimensions; results would be wrong.
  int64_t rank = shape.size(), sortDim = op.getDimension();
  if (sortDim < 0)
    sortDim += rank;
  // An axis on the sort dimension is useful only if it can move to another
  // dimension.
  bool nowhereToMove = true;
  for (int64_t d = 0; d < rank; ++d)
    nowhereToMove &= d == sortDim || shape[d] == 1;
  RuleBuilder builder(op);
  for (int64_t d = 0; d < rank; ++d) {
    if (d == sortDim)
      builder.all(d, shape[d], kNeedReplication, nowhereToMove);
    else
      builder.all(d, shape[d]);
  }
  return builder.finish();
}

void shardwright::attachReductionRules(MLIRContext &context) {
  constexpr PartitionTraits windows{.ignoresPaddingRows = true,
                                    .hasWindows = true};
  attachRule<stablehlo::ReduceOp, &reduceRule, kByProperties,
             PartitionTraits{.fusion = Fusion::WithProducers}>(context);
  attachRule<stablehlo::ReduceWindowOp, &reduceWindowRule, kByProperties,
             windows>(context);
  attachRule<stablehlo::SelectAndScatterOp, &selectAndScatterRule,
             kByProperties, windows>(context);
  attachRule<stablehlo::SortOp, &sortRule, kByProperties,
             PartitionTraits{.ignoresPaddingRows = true}>(context);
}
