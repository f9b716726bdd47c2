//===- shape.cc - rules of data movement ops ------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/rules/families.h"
#include "shardwright/rules/reshape_factors.h"

#include "mlir/IR/Matchers.h"
#include "shardwright/dialect/sdy/sdy.h"

using namespace mlir;
using namespace shardwright;

constexpr FactorKind kPermutation = FactorKind::Permutation;

static std::optional<ShardingRule>
broadcastInDimRule(stablehlo::BroadcastInDimOp op, const RuleOptions &) {
  ArrayRef<int64_t> in = shapeOf(op.getOperand()),
                    out = shapeOf(op->getResult(0));
  ArrayRef<int64_t> dims = op.getBroadcastDimensions();
  RuleBuilder builder(op);
  for (auto [o, size] : llvm::enumerate(out)) {
    auto found = llvm::find(dims, int64_t(o));
    int64_t d = found - dims.begin();
    if (found == dims.end() || d >= int64_t(in.size())) {
      builder.add({kNoDim}, {int64_t(o)}, size);
    } else if (in[d] == 1 && size != 1) {
      builder.add({d}, {kNoDim}, 1);
      builder.add({kNoDim}, {int64_t(o)}, size);
    } else {
      builder.add({d}, {int64_t(o)}, size);
    }
  }
  return builder.finish();
}

/// New dimensions come first.
static std::optional<ShardingRule> broadcastRule(stablehlo::BroadcastOp op,
                                                 const RuleOptions &options) {
  if (!options.extraRules)
    return std::nullopt;
  ArrayRef<int64_t> out = shapeOf(op->getResult(0));
  int64_t numNew =
      int64_t(out.size()) - int64_t(shapeOf(op->getOperand(0)).size());
  RuleBuilder builder(op);
  for (auto [o, size] : llvm::enumerate(out))
    builder.add({std::max(int64_t(o) - numNew, kNoDim)}, {int64_t(o)}, size);
  return builder.finish();
}

static std::optional<ShardingRule> transposeRule(stablehlo::TransposeOp op,
                                                 const RuleOptions &) {
  RuleBuilder builder(op);
  for (auto [dim, size, o] :
       llvm::zip(op.getPermutation(), shapeOf(op->getResult(0)),
                 llvm::seq<int64_t>(op.getPermutation().size())))
    builder.add({dim}, {o}, size);
  return builder.finish();
}

/// True if Shardy's rules of 0.12 apply, of which some let axes propagate along
/// dimensions whose shards need rows of others.
static bool usesRulesOf0_12(const RuleOptions &options) {
  return !options.extraRules && options.shardy >= ShardyVersion::Jaxlib0_12_0;
}

static std::optional<ShardingRule> reshapeRule(stablehlo::ReshapeOp op,
                                               const RuleOptions &options) {
  bool isNew = usesRulesOf0_12(options);
  std::optional<SmallVector<ReshapeFactor>> factors = reshapeFactors(
      shapeOf(op.getOperand()), shapeOf(op->getResult(0)), isNew);
  if (!factors)
    return std::nullopt;
  auto kindOf = [&](const ReshapeFactor &factor) {
    if (!factor.isAligned)
      return kPermutation;
    bool isShared = factor.inDim >= 0 && factor.outDim >= 0;
    return isShared || !isNew ? kPass : kNeedReplication;
  };
  RuleBuilder builder(op);
  for (const ReshapeFactor &factor : *factors)
    builder.add({factor.inDim}, {factor.outDim}, factor.size, kindOf(factor));
  return builder.finish();
}

static std::optional<ShardingRule>
bitcastConvertRule(stablehlo::BitcastConvertOp op, const RuleOptions &) {
  ArrayRef<int64_t> in = shapeOf(op.getOperand()),
                    out = shapeOf(op->getResult(0));
  RuleBuilder builder(op);
  builder.pointwise(in.size() <= out.size() ? in : out);
  // The bits of one wide element form the last dimension.
  if (in.size() < out.size())
    builder.add({kNoDim}, {int64_t(out.size()) - 1}, out.back(),
                kNeedReplication);
  else if (in.size() > out.size())
    builder.add({int64_t(in.size()) - 1}, {kNoDim}, in.back(),
                kNeedReplication);
  return builder.finish();
}

/// True if slices of one array are concatenated in another order: when sharded,
/// each element moves at most to a neighbour.
static bool joinsSlices(stablehlo::ConcatenateOp op) {
  auto sliceOf = [](Value value) {
    return value.getDefiningOp<stablehlo::SliceOp>();
  };
  auto source = [&](Value value) {
    auto slice = sliceOf(value);
    return slice ? slice.getOperand() : value;
  };
  ValueRange inputs = op.getInputs();
  bool all = llvm::all_of(inputs, sliceOf);
  bool any = llvm::any_of(inputs, sliceOf);
  return all || (any && llvm::all_of(inputs, [&](Value value) {
                   return source(value) == source(inputs.front());
                 }));
}

static std::optional<ShardingRule> concatenateRule(stablehlo::ConcatenateOp op,
                                                   const RuleOptions &options) {
  RuleBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(shapeOf(op->getResult(0)))) {
    if (dim != op.getDimension())
      builder.all(dim, size);
    else if (!options.conservative)
      builder.all(dim, size, joinsSlices(op) ? kPermutation : kNeedReplication);
  }
  return builder.finish();
}

/// A dimension whose size changes shifts data.
static std::optional<ShardingRule> sliceRule(stablehlo::SliceOp op,
                                             const RuleOptions &options) {
  return RuleBuilder(op)
      .mismatch(shapeOf(op.getOperand()), shapeOf(op->getResult(0)),
                kPermutation, options.conservative)
      .finish();
}

static std::optional<ShardingRule> padRule(stablehlo::PadOp op,
                                           const RuleOptions &options) {
  ArrayRef<int64_t> in = shapeOf(op.getOperand()),
                    out = shapeOf(op->getResult(0));
  RuleBuilder builder(op);
  for (auto [d, size] : llvm::enumerate(in)) {
    bool keepsSize = sizeAt(out, d) == size;
    int64_t low = sizeAt(op.getEdgePaddingLow(), d),
            high = sizeAt(op.getEdgePaddingHigh(), d),
            interior = sizeAt(op.getInteriorPadding(), d);
    // Shardy of 0.10.2 compares sizes, but padding by 1 and -1 also shifts.
    bool isKept = keepsSize;
    if (options.extraRules)
      isKept &= low == 0 && (size <= 1 || interior == 0);
    else if (usesRulesOf0_12(options))
      isKept = low == 0 && high == 0 && interior == 0;
    if (isKept)
      builder.all(d, size);
    else
      builder.all(d, size, kPermutation,
                  options.conservative && (options.extraRules || !keepsSize));
  }
  return builder.finish();
}

static std::optional<ShardingRule> dynamicSliceRule(Operation *op,
                                                    const RuleOptions &) {
  return RuleBuilder(op)
      .mismatch(shapeOf(op->getOperand(0)), shapeOf(op->getResult(0)),
                kNeedReplication, /*blocked=*/true)
      .finish();
}

/// True for sdy.constant, too, which folders do not see as a constant.
static bool isConstant(Value value) {
  Operation *def = value.getDefiningOp();
  return def &&
         (isa<sdy::ConstantOp>(def) || def->hasTrait<OpTrait::ConstantLike>());
}

static std::optional<ShardingRule>
dynamicUpdateSliceRule(stablehlo::DynamicUpdateSliceOp op,
                       const RuleOptions &options) {
  ArrayRef<int64_t> in = shapeOf(op.getOperand()),
                    update = shapeOf(op.getUpdate());
  FactorKind kind = kPass, updateKind = kPass;
  if (usesRulesOf0_12(options))
    kind = updateKind = kPermutation;
  else if (!llvm::all_of(op.getStartIndices(), isConstant))
    updateKind = kNeedReplication;
  RuleBuilder builder(op);
  for (auto [d, size, updateSize] :
       llvm::zip(llvm::seq<int64_t>(in.size()), in, update)) {
    if (size == updateSize) {
      builder.all(d, size);
    } else {
      builder.add({d, kNoDim}, {d}, size, kind);
      builder.add({kNoDim, d}, {kNoDim}, updateSize, updateKind);
    }
  }
  return builder.finish();
}

static std::optional<ShardingRule> reverseRule(stablehlo::ReverseOp op,
                                               const RuleOptions &) {
  RuleBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(shapeOf(op->getResult(0))))
    builder.all(dim, size,
                llvm::is_contained(op.getDimensions(), int64_t(dim))
                    ? kPermutation
                    : kPass);
  return builder.finish();
}

namespace {

/// Elementwise only if the rank stays the same.
struct BitcastConvertModel
    : ShardingRuleOpInterface::ExternalModel<BitcastConvertModel,
                                             stablehlo::BitcastConvertOp> {
  std::optional<ShardingRule>
  buildShardingRule(Operation *op, const RuleOptions &options) const {
    if (!hasStaticShapes(op))
      return std::nullopt;
    return bitcastConvertRule(cast<stablehlo::BitcastConvertOp>(op), options);
  }
  PropagationTraits getPropagationTraits(Operation *op) const {
    return shapeOf(op->getOperand(0)) == shapeOf(op->getResult(0))
               ? kElementwise
               : kByProperties;
  }
  PartitionTraits getPartitionTraits(Operation *) const {
    return {.ignoresPaddingRows = true, .fusion = Fusion::WithUsers};
  }
};

} // namespace

void shardwright::attachShapeRules(MLIRContext &context) {
  using namespace stablehlo;
  BitcastConvertOp::attachInterface<BitcastConvertModel>(context);
  constexpr PropagationTraits moves{.schedule = Schedule::PassThroughOp,
                                    .basis = RuleBasis::Properties},
      reshapes{.schedule = Schedule::PassThroughOp,
               .basis = RuleBasis::Properties,
               .preservesConstants = true},
      // The rule does not depend on where a slice starts.
      slices{.basis = RuleBasis::Types, .preservesConstants = true},
      broadcasts{.schedule = Schedule::BackwardFirst,
                 .basis = RuleBasis::Properties,
                 .preservesConstants = true,
                 .expandsScalar = true},
      reads{.schedule = Schedule::ForwardFirst, .basis = RuleBasis::Properties},
      // In Shardy of 0.10.2, the rule depends on whether the position is
      // constant.
      writes{.schedule = Schedule::ForwardFirst};
  constexpr PartitionTraits rows{.ignoresPaddingRows = true,
                                 .fusion = Fusion::WithUsers},
      windows{.hasWindows = true, .fusion = Fusion::WithUsers},
      joins{.ignoresPaddingRows = true,
            .hasWindows = true,
            .fusion = Fusion::WithProducers},
      view{.work = Work::None, .fusion = Fusion::WithUsers};
  attachRule<BroadcastInDimOp, &broadcastInDimRule, broadcasts, rows>(context);
  attachRule<BroadcastOp, &broadcastRule, kByProperties>(context);
  attachRule<ConcatenateOp, &concatenateRule, PropagationTraits{}, joins>(
      context);
  attachRule<DynamicSliceOp, &dynamicSliceRule, reads,
             PartitionTraits{.slicing = Slicing::Dynamic,
                             .fusion = Fusion::WithUsers}>(context);
  attachRule<DynamicUpdateSliceOp, &dynamicUpdateSliceRule, writes,
             PartitionTraits{.fusion = Fusion::WithProducers}>(context);
  attachRule<PadOp, &padRule, kByProperties, windows>(context);
  attachRule<ReshapeOp, &reshapeRule, reshapes, view>(context);
  attachRule<ReverseOp, &reverseRule, kByProperties, windows>(context);
  attachRule<SliceOp, &sliceRule, slices,
             PartitionTraits{.hasWindows = true,
                             .slicing = Slicing::Static,
                             .fusion = Fusion::WithUsers}>(context);
  attachRule<TransposeOp, &transposeRule, moves, rows>(context);
}
