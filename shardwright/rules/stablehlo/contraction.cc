//===- contraction.cc - rules of dot, dot_general and convolution ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/rules/families.h"

using namespace mlir;
using namespace shardwright;

static std::optional<ShardingRule> dotGeneralRule(stablehlo::DotGeneralOp op,
                                                  const RuleOptions &) {
  stablehlo::DotDimensionNumbersAttr numbers = op.getDotDimensionNumbersAttr();
  ArrayRef<int64_t> lhs = shapeOf(op.getLhs()), rhs = shapeOf(op.getRhs());
  ArrayRef<int64_t> lhsBatch = numbers.getLhsBatchingDimensions();
  ArrayRef<int64_t> rhsBatch = numbers.getRhsBatchingDimensions();
  ArrayRef<int64_t> lhsContract = numbers.getLhsContractingDimensions();
  ArrayRef<int64_t> rhsContract = numbers.getRhsContractingDimensions();

  RuleBuilder builder(op);
  int64_t out = 0;
  for (auto [l, r] : llvm::zip(lhsBatch, rhsBatch))
    builder.add({l, r}, {out++}, sizeAt(lhs, l));
  for (auto [l, size] : llvm::enumerate(lhs))
    if (int64_t d = l;
        !llvm::is_contained(lhsBatch, d) && !llvm::is_contained(lhsContract, d))
      builder.add({d, kNoDim}, {out++}, size);
  for (auto [r, size] : llvm::enumerate(rhs))
    if (int64_t d = r;
        !llvm::is_contained(rhsBatch, d) && !llvm::is_contained(rhsContract, d))
      builder.add({kNoDim, d}, {out++}, size);
  for (auto [l, r] : llvm::zip(lhsContract, rhsContract))
    builder.add({l, r}, {kNoDim}, sizeAt(lhs, l), kReduction);
  return builder.finish();
}

/// Vectors and matrices; contracts the last dimension of the left side with the
/// first of the right.
static std::optional<ShardingRule> dotRule(stablehlo::DotOp op,
                                           const RuleOptions &) {
  ArrayRef<int64_t> lhs = shapeOf(op.getLhs()), rhs = shapeOf(op.getRhs());
  if (lhs.empty() || rhs.empty() || lhs.size() > 2 || rhs.size() > 2)
    return std::nullopt;
  int64_t numRows = lhs.size() - 1;
  RuleBuilder builder(op);
  if (numRows)
    builder.add({0, kNoDim}, {0}, lhs[0]);
  if (rhs.size() == 2)
    builder.add({kNoDim, 1}, {numRows}, rhs[1]);
  builder.add({numRows, 0}, {kNoDim}, rhs[0], kReduction);
  return builder.finish();
}

/// A spatial dimension of the input has two factors: the position of the window
/// and the offset in the window. With `addUnshared`, the result or the kernel
/// gets a factor of its own where the input has no room for the shared one.
static void addSpatialFactors(RuleBuilder &builder, int64_t inDim,
                              int64_t inSize, int64_t kernelDim,
                              int64_t kernelSize, int64_t outDim,
                              int64_t outSize, bool addUnshared) {
  int64_t left = inSize;
  auto addWindow = [&] {
    int64_t size = std::min(left, outSize);
    if (size > 1) {
      builder.add({inDim, kNoDim}, {outDim}, size, FactorKind::Permutation);
      left /= size;
    } else if (addUnshared && outSize > 1) {
      builder.add({kNoDim, kNoDim}, {outDim}, outSize, FactorKind::Permutation);
    }
  };
  auto addKernel = [&] {
    int64_t size = std::min(left, kernelSize);
    if (size > 1) {
      builder.add({inDim, kernelDim}, {kNoDim}, size, kReduction);
      left /= size;
    } else if (addUnshared && kernelSize > 1) {
      builder.add({kNoDim, kernelDim}, {kNoDim}, kernelSize,
                  FactorKind::Permutation);
    }
  };
  if (outSize >= kernelSize) {
    addWindow();
    addKernel();
  } else {
    addKernel();
    addWindow();
  }
}

static std::optional<ShardingRule> convolutionRule(stablehlo::ConvolutionOp op,
                                                   const RuleOptions &options) {
  stablehlo::ConvDimensionNumbersAttr numbers = op.getDimensionNumbersAttr();
  ArrayRef<int64_t> in = shapeOf(op.getLhs()), kernel = shapeOf(op.getRhs()),
                    out = shapeOf(op->getResult(0));
  int64_t batchGroups = op.getBatchGroupCount();
  int64_t featureGroups = op.getFeatureGroupCount();
  int64_t inBatch = numbers.getInputBatchDimension();
  int64_t inFeature = numbers.getInputFeatureDimension();
  int64_t kernelIn = numbers.getKernelInputFeatureDimension();
  int64_t kernelOut = numbers.getKernelOutputFeatureDimension();
  int64_t outBatch = numbers.getOutputBatchDimension();
  int64_t outFeature = numbers.getOutputFeatureDimension();

  RuleBuilder builder(op);
  if (batchGroups > 1)
    builder.add({inBatch, kernelOut}, {outFeature}, batchGroups);
  builder.add({inBatch, kNoDim}, {outBatch}, sizeAt(out, outBatch));
  if (!options.conservative)
    for (auto [i, k, o] : llvm::zip(numbers.getInputSpatialDimensions(),
                                    numbers.getKernelSpatialDimensions(),
                                    numbers.getOutputSpatialDimensions()))
      addSpatialFactors(
          builder, i, sizeAt(in, i), k, sizeAt(kernel, k), o, sizeAt(out, o),
          !options.extraRules && options.shardy >= ShardyVersion::Jaxlib0_12_0);
  if (featureGroups > 1)
    builder.add({inFeature, kernelOut}, {outFeature}, featureGroups);
  builder.add({inFeature, kernelIn}, {kNoDim}, sizeAt(kernel, kernelIn),
              kReduction);
  int64_t perGroup = sizeAt(out, outFeature) / batchGroups / featureGroups;
  if (perGroup > 1)
    builder.add({kNoDim, kernelOut}, {outFeature}, perGroup);
  return builder.finish();
}

void shardwright::attachContractionRules(MLIRContext &context) {
  constexpr PartitionTraits dot{.contraction = Contraction::Dot};
  // Whether padding rows matter depends on its groups: partition/ops/.
  constexpr PartitionTraits convolution{
      .hasWindows = true, .contraction = Contraction::Convolution};
  attachRule<stablehlo::ConvolutionOp, &convolutionRule, kByProperties,
             convolution>(context);
  attachRule<stablehlo::DotGeneralOp, &dotGeneralRule, kByProperties, dot>(
      context);
  attachRule<stablehlo::DotOp, &dotRule, kByProperties, dot>(context);
}
