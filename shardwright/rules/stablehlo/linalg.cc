//===- linalg.cc - rules of linear algebra, fft, random bits and norms ----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/rules/families.h"

using namespace mlir;
using namespace shardwright;

static std::optional<ShardingRule> choleskyRule(stablehlo::CholeskyOp op,
                                                const RuleOptions &) {
  ArrayRef<int64_t> shape = shapeOf(op.getA());
  RuleBuilder builder(op);
  for (auto [d, size] : llvm::enumerate(shape))
    builder.all(d, size, d + 2 < shape.size() ? kPass : kNeedReplication);
  return builder.finish();
}

static std::optional<ShardingRule>
triangularSolveRule(stablehlo::TriangularSolveOp op, const RuleOptions &) {
  ArrayRef<int64_t> a = shapeOf(op.getA()), b = shapeOf(op.getB());
  int64_t rank = a.size();
  if (rank < 2 || b.size() != a.size())
    return std::nullopt;
  RuleBuilder builder(op);
  for (int64_t d = 0; d < rank - 2; ++d)
    builder.all(d, a[d]);
  int64_t rows = rank - 2, cols = rank - 1;
  bool transposed = op.getTransposeA() == stablehlo::Transpose::TRANSPOSE ||
                    op.getTransposeA() == stablehlo::Transpose::ADJOINT;
  // One dimension of a is contracted with b, the other with the solution.
  if (op.getLeftSide()) {
    int64_t meetsB = transposed ? cols : rows;
    int64_t meetsX = transposed ? rows : cols;
    builder.add({meetsB, rows}, {kNoDim}, a[meetsB], kNeedReplication);
    builder.add({kNoDim, cols}, {cols}, b[cols], kNeedReplication);
    builder.add({meetsX, kNoDim}, {rows}, a[meetsX], kNeedReplication);
  } else {
    int64_t meetsB = transposed ? rows : cols;
    int64_t meetsX = transposed ? cols : rows;
    builder.add({kNoDim, rows}, {rows}, b[rows], kNeedReplication);
    builder.add({meetsB, cols}, {kNoDim}, a[meetsB], kNeedReplication);
    builder.add({meetsX, kNoDim}, {cols}, a[meetsX], kNeedReplication);
  }
  return builder.finish();
}

/// A real transform changes the size of the last dimension.
static std::optional<ShardingRule> fftRule(stablehlo::FftOp op,
                                           const RuleOptions &) {
  ArrayRef<int64_t> in = shapeOf(op.getOperand()),
                    out = shapeOf(op->getResult(0));
  size_t numBatch = in.size() - std::min(in.size(), op.getFftLength().size());
  RuleBuilder builder(op);
  for (auto [d, size] : llvm::enumerate(in)) {
    if (d < numBatch)
      builder.all(d, size);
    else
      builder.all(d, size, kNeedReplication,
                  /*blocked=*/d + 1 == in.size() && d < out.size() &&
                      out[d] != size);
  }
  return builder.finish();
}

/// The state must stay together; the position determines the bits.
static std::optional<ShardingRule>
rngBitGeneratorRule(stablehlo::RngBitGeneratorOp op, const RuleOptions &) {
  RuleBuilder builder(op);
  for (auto [d, size] : llvm::enumerate(shapeOf(op.getInitialState())))
    builder.add({int64_t(d)}, {int64_t(d), kNoDim}, size, kNeedReplication,
                /*blocked=*/true);
  for (auto [d, size] : llvm::enumerate(shapeOf(op.getOutput())))
    builder.add({kNoDim}, {kNoDim, int64_t(d)}, size);
  return builder.finish();
}

/// Bounds and shape do not relate to the result's dimensions.
static std::optional<ShardingRule> rngRule(stablehlo::RngOp op,
                                           const RuleOptions &options) {
  if (!options.extraRules)
    return std::nullopt;
  RuleBuilder builder(op);
  for (auto [d, size] : llvm::enumerate(shapeOf(op->getResult(0))))
    builder.allResults(d, size, kPass);
  return builder.finish();
}

/// Adds a factor for each dimension of the first operand. `dimsOf` gives the
/// dimensions of operands and results for dimension d of that operand and
/// dimension `channel` of the vectors by feature (kNoDim: d is another one).
template <typename OpTy, typename Fn>
static std::optional<ShardingRule> batchNormRule(OpTy op, FactorKind otherKind,
                                                 Fn dimsOf) {
  RuleBuilder builder(op);
  for (auto [i, size] : llvm::enumerate(shapeOf(op.getOperand()))) {
    int64_t d = i;
    bool isFeature = d == int64_t(op.getFeatureIndex());
    auto [operands, results] = dimsOf(d, isFeature ? int64_t(0) : kNoDim);
    builder.add(operands, results, size, isFeature ? kPass : otherKind);
  }
  return builder.finish();
}

using FactorDims = std::pair<SmallVector<int64_t>, SmallVector<int64_t>>;

static std::optional<ShardingRule>
batchNormInferenceRule(stablehlo::BatchNormInferenceOp op,
                       const RuleOptions &) {
  return batchNormRule(op, kPass, [](int64_t d, int64_t channel) {
    return FactorDims{{d, channel, channel, channel, channel}, {d}};
  });
}

/// Statistics over all dimensions except the feature dimension affect every
/// element, so only the feature dimension can be sharded.
static std::optional<ShardingRule>
batchNormTrainingRule(stablehlo::BatchNormTrainingOp op,
                      const RuleOptions &options) {
  if (!options.extraRules)
    return std::nullopt;
  return batchNormRule(op, kNeedReplication, [](int64_t d, int64_t channel) {
    return FactorDims{{d, channel, channel}, {d, channel, channel}};
  });
}

static std::optional<ShardingRule>
batchNormGradRule(stablehlo::BatchNormGradOp op, const RuleOptions &options) {
  if (!options.extraRules)
    return std::nullopt;
  return batchNormRule(op, kNeedReplication, [](int64_t d, int64_t channel) {
    return FactorDims{{d, channel, channel, channel, d}, {d, channel, channel}};
  });
}

void shardwright::attachLinalgRules(MLIRContext &context) {
  using namespace stablehlo;
  constexpr PropagationTraits byRule{};
  constexpr PartitionTraits rows{.ignoresPaddingRows = true};
  attachRule<CholeskyOp, &choleskyRule, byRule, rows>(context);
  attachRule<TriangularSolveOp, &triangularSolveRule, byRule, rows>(context);
  attachRule<FftOp, &fftRule, byRule, rows>(context);
  attachRule<RngBitGeneratorOp, &rngBitGeneratorRule>(context);
  attachRule<RngOp, &rngRule>(context);
  attachRule<BatchNormInferenceOp, &batchNormInferenceRule>(context);
  attachRule<BatchNormTrainingOp, &batchNormTrainingRule>(context);
  attachRule<BatchNormGradOp, &batchNormGradRule>(context);
}
