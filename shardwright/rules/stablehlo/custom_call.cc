//===- custom_call.cc - rules of known custom calls -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/rules/batch_partitionable.h"
#include "shardwright/rules/families.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace shardwright;

/// Kind of the factors of a matrix (the last two dimensions). Shardy passes
/// their axes through if `upstreamPasses`, although a shard of a matrix cannot
/// be computed alone.
static FactorKind matrixKind(bool upstreamPasses, const RuleOptions &options) {
  return upstreamPasses && !options.extraRules ? kPass : kNeedReplication;
}

static bool hasCounts(Operation *op, unsigned numOperands,
                      unsigned numResults) {
  return op->getNumOperands() == numOperands &&
         op->getNumResults() == numResults;
}

/// Adds factors for the batch dimensions of a call on matrices, not for the
/// last two.
static void addBatch(RuleBuilder &builder, ArrayRef<int64_t> shape) {
  builder.pointwise(shape.drop_back(2));
}

static std::optional<ShardingRule>
matrixPointwiseRule(Operation *op, const RuleOptions &options) {
  if (!options.extraRules)
    return pointwiseRule(op, options);
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  RuleBuilder builder(op);
  for (auto [d, size] : llvm::enumerate(shape))
    builder.all(d, size, d + 2 < shape.size() ? kPass : kNeedReplication);
  return builder.finish();
}

/// Results: eigenvectors, then eigenvalues, of symmetric matrices.
static std::optional<ShardingRule> eighRule(Operation *op,
                                            const RuleOptions &options) {
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  if (!hasCounts(op, 1, 2) || shape.size() < 2)
    return std::nullopt;
  int64_t rows = shape.size() - 2, cols = rows + 1;
  FactorKind kind = matrixKind(/*upstreamPasses=*/true, options);
  RuleBuilder builder(op);
  addBatch(builder, shape);
  builder.add({rows}, {rows, kNoDim}, shape[rows], kind);
  builder.add({cols}, {cols, rows}, shape[cols], kind);
  return builder.finish();
}

/// Results: the packed factors, then the scalars of the reflectors ("taus").
static std::optional<ShardingRule> qrRule(Operation *op, const RuleOptions &) {
  if (!hasCounts(op, 1, 2))
    return std::nullopt;
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(0)),
                    taus = shapeOf(op->getResult(1));
  if (shape.size() < 2 || taus.size() + 1 != shape.size())
    return std::nullopt;
  int64_t rows = shape.size() - 2, cols = rows + 1;
  RuleBuilder builder(op);
  addBatch(builder, shape);
  builder.add({rows}, {rows, kNoDim}, shape[rows], kNeedReplication);
  builder.add({cols}, {cols, kNoDim}, shape[cols], kNeedReplication);
  builder.add({kNoDim}, {kNoDim, rows}, taus[rows], kNeedReplication);
  return builder.finish();
}

static std::optional<ShardingRule> householderRule(Operation *op,
                                                   const RuleOptions &) {
  if (!hasCounts(op, 2, 1))
    return std::nullopt;
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(0)),
                    taus = shapeOf(op->getOperand(1));
  if (shape.size() < 2 || taus.size() + 1 != shape.size())
    return std::nullopt;
  int64_t rows = shape.size() - 2, cols = rows + 1;
  RuleBuilder builder(op);
  addBatch(builder, shape);
  builder.add({rows, kNoDim}, {rows}, shape[rows], kNeedReplication);
  builder.add({cols, kNoDim}, {cols}, shape[cols], kNeedReplication);
  builder.add({kNoDim, rows}, {kNoDim}, taus[rows], kNeedReplication);
  return builder.finish();
}

static std::optional<ShardingRule> topKRule(Operation *op,
                                            const RuleOptions &options) {
  if (!hasCounts(op, 1, 2))
    return std::nullopt;
  ArrayRef<int64_t> in = shapeOf(op->getOperand(0));
  if (options.extraRules && !in.empty() && in == shapeOf(op->getResult(0))) {
    // Shardy recognizes a shortened dimension by its size; but if all rows
    // stay, the dimension is sorted all the same.
    RuleBuilder builder(op);
    for (auto [i, size] : llvm::enumerate(in))
      builder.all(i, size, i + 1 == in.size() ? kNeedReplication : kPass);
    return builder.finish();
  }
  return RuleBuilder(op)
      .mismatch(shapeOf(op->getOperand(0)), shapeOf(op->getResult(0)),
                kNeedReplication, /*blocked=*/true)
      .finish();
}

/// The custom call that XLA's CPU library implements. Shardy has a rule for it
/// since 0.12.
static std::optional<ShardingRule> topKCallRule(Operation *op,
                                                const RuleOptions &options) {
  if (options.extraRules)
    return topKRule(op, options);
  if (options.shardy < ShardyVersion::Jaxlib0_12_0)
    return std::nullopt;
  return RuleBuilder(op)
      .mismatch(shapeOf(op->getOperand(0)), shapeOf(op->getResult(0)),
                kNeedReplication, /*blocked=*/true)
      .finish();
}

/// The dimension that the call's configuration says it reduces, or -1.
static int64_t reductionDim(Operation *op) {
  for (StringRef name : {"mhlo.backend_config", "backend_config"})
    if (auto options = op->getAttrOfType<DictionaryAttr>(name))
      if (auto dim = options.getAs<IntegerAttr>("reduction_dim"))
        return dim.getInt();
  return -1;
}

/// Operands: values, positions and two initial values. Results: best values and
/// their positions.
static std::optional<ShardingRule>
partialReduceRule(Operation *op, const RuleOptions &options) {
  if (!hasCounts(op, 4, 2))
    return std::nullopt;
  ArrayRef<int64_t> in = shapeOf(op->getOperand(0)),
                    out = shapeOf(op->getResult(0));
  if (in.size() != out.size())
    return std::nullopt;
  FactorKind reducedKind = options.extraRules ? kNeedReplication : kPass;
  // Shardy recognizes a reduced dimension by its size; but with as many results
  // as rows, the dimension is sorted all the same.
  int64_t reduced = options.extraRules ? reductionDim(op) : -1;
  RuleBuilder builder(op);
  for (auto [i, inSize, outSize] :
       llvm::zip(llvm::seq<int64_t>(in.size()), in, out)) {
    if (i == reduced && inSize == outSize) {
      builder.all(i, inSize, kNeedReplication);
    } else if (inSize == outSize) {
      builder.all(i, inSize);
    } else {
      builder.add({i, i, kNoDim, kNoDim}, {kNoDim, kNoDim}, inSize,
                  reducedKind);
      builder.add({kNoDim, kNoDim, kNoDim, kNoDim}, {i, i}, outSize,
                  kNeedReplication, /*blocked=*/true);
    }
  }
  return builder.finish();
}

/// Combines two halves of 64-bit values; the state of a generator must stay
/// unsharded.
static std::optional<ShardingRule> x64CombineRule(Operation *op,
                                                  const RuleOptions &options) {
  bool isState = llvm::any_of(op->getUsers(), [](Operation *user) {
    return isa<stablehlo::RngBitGeneratorOp>(user);
  });
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  if (!isState || shape.size() != 1)
    return pointwiseRule(op, options);
  return RuleBuilder(op)
      .all(0, shape[0], kNeedReplication, /*blocked=*/true)
      .finish();
}

/// Extra rules: Shardy does not know the calls below.
template <auto rule>
static std::optional<ShardingRule> extraRule(Operation *op,
                                             const RuleOptions &options) {
  return options.extraRules ? rule(op, options) : std::nullopt;
}

/// A pointwise rule if all values have the same shape.
static std::optional<ShardingRule> sameShapeRule(Operation *op,
                                                 const RuleOptions &options) {
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  auto isSame = [&](Type type) { return shapeOf(type) == shape; };
  if (!llvm::all_of(op->getOperandTypes(), isSame) ||
      !llvm::all_of(op->getResultTypes(), isSame))
    return std::nullopt;
  return pointwiseRule(op, options);
}

/// LU factors, pivots and permutations of square matrices.
static std::optional<ShardingRule> luRule(Operation *op, const RuleOptions &) {
  return batchRule(op, int64_t(shapeOf(op->getOperand(0)).size()) - 2);
}

/// Images: batch, height, width, channels.
static std::optional<ShardingRule> resizeRule(Operation *op,
                                              const RuleOptions &) {
  ArrayRef<int64_t> in = shapeOf(op->getOperand(0)),
                    out = shapeOf(op->getResult(0));
  if (!hasCounts(op, 1, 1) || in.size() != 4 || out.size() != 4)
    return std::nullopt;
  RuleBuilder builder(op);
  for (int64_t d = 0; d < 4; ++d) {
    bool isImage = d == 1 || d == 2;
    builder.all(d, in[d], isImage ? kNeedReplication : kPass,
                /*blocked=*/isImage);
  }
  return builder.finish();
}

using Rule = std::optional<ShardingRule> (*)(Operation *, const RuleOptions &);

static const llvm::StringMap<Rule> &rulesByTarget() {
  static const llvm::StringMap<Rule> rules{
      {"annotate_device_placement", &pointwiseRule},
      {"CompactWyHelper", &pointwiseRule},
      {"InspectSharding", &pointwiseRule},
      {"LayoutConstraint", &pointwiseRule},
      {"mhlo.erf", &pointwiseRule},
      {"MoveToDevice", &pointwiseRule},
      {"MoveToHost", &pointwiseRule},
      {"X64SplitHigh", &pointwiseRule},
      {"X64SplitLow", &pointwiseRule},
      {"xla.megascale.provide_metadata", &pointwiseRule},
      {"_SPMDInternalOp_MultiPad", &pointwiseRule},
      {"_SPMDInternalOp_RotateRight", &pointwiseRule},
      {"_SPMDInternalOp_MultiRotate", &pointwiseRule},
      {"_SPMDInternalOp_MultiSlice", &pointwiseRule},
      {"_SPMDInternalOp_Wrap", &pointwiseRule},
      {"Cholesky", &matrixPointwiseRule},
      {"InvertDiagBlocksLowerTriangular", &matrixPointwiseRule},
      {"InvertDiagBlocksUpperTriangular", &matrixPointwiseRule},
      {"X64Combine", &x64CombineRule},
      {"Eigh", &eighRule},
      {"Qr", &qrRule},
      {"QrDecompositionBlock", &qrRule},
      {"ProductOfElementaryHouseholderReflectors", &householderRule},
      {"mhlo.topk", &topKRule},
      {"ApproxTopK", &partialReduceRule},
      {"PartialReduce", &partialReduceRule},
      {"cu_threefry2x32", &extraRule<sameShapeRule>},
      {"cu_threefry2x32_ffi", &extraRule<sameShapeRule>},
      {"hip_threefry2x32_ffi", &extraRule<sameShapeRule>},
      {"LuDecomposition", &extraRule<luRule>},
      {"ResizeBilinear", &extraRule<resizeRule>},
      {"ResizeBilinearGrad", &extraRule<resizeRule>},
      {"ResizeNearest", &extraRule<resizeRule>},
      {"ResizeNearestGrad", &extraRule<resizeRule>},
      {"StochasticConvert", &extraRule<sameShapeRule>},
      {"TopK", &topKCallRule},
  };
  return rules;
}

/// Not used for calls that carry their own rule.
static std::optional<ShardingRule> customCallRule(stablehlo::CustomCallOp op,
                                                  const RuleOptions &options) {
  if (op->getNumOperands() == 0 || op->getNumResults() == 0)
    return std::nullopt;
  Rule rule = rulesByTarget().lookup(op.getCallTargetName());
  if (rule)
    return rule(op, options);
  return options.extraRules ? batchedCallRule(op) : std::nullopt;
}

namespace {

struct CustomCallModel
    : ShardingRuleOpInterface::ExternalModel<CustomCallModel,
                                             stablehlo::CustomCallOp> {
  std::optional<ShardingRule>
  buildShardingRule(Operation *op, const RuleOptions &options) const {
    if (!hasStaticShapes(op))
      return std::nullopt;
    return customCallRule(cast<stablehlo::CustomCallOp>(op), options);
  }
  PropagationTraits getPropagationTraits(Operation *op) const {
    StringRef target = cast<stablehlo::CustomCallOp>(op).getCallTargetName();
    if (target == "MoveToHost" || target == "MoveToDevice")
      return {.schedule = Schedule::PassThroughOp};
    return {};
  }
  std::string getKindWithoutRule(Operation *op) const {
    static const llvm::StringSet<> silent = {"sdy_testonly",
                                             "tpu_custom_call",
                                             "xla_python_cpu_callback",
                                             "xla_python_gpu_callback",
                                             "xla_ffi_python_cpu_callback",
                                             "xla_ffi_python_gpu_callback",
                                             "xla.debug.Log"};
    StringRef target = cast<stablehlo::CustomCallOp>(op).getCallTargetName();
    return silent.contains(target) ? "" : "custom call @" + target.str();
  }
};

} // namespace

void shardwright::attachCustomCallRules(MLIRContext &context) {
  stablehlo::CustomCallOp::attachInterface<CustomCallModel>(context);
}
