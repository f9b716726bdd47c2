//===- chlo.cc - rules of CHLO's ops --------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The usual pipeline expands CHLO before propagation; these rules are for ops
// that stay. Shardy has no rule for any of them (XLA has its own for top_k,
// scan and ragged_dot, which these follow), so all are extra rules. Ops with
// the Elementwise trait need none.
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/chlo/chlo.h"
#include "shardwright/rules/families.h"

using namespace mlir;
using namespace shardwright;

constexpr FactorKind kPermutation = FactorKind::Permutation;

/// Aligns operands with the result at the last dimension, unless the attribute
/// maps the dimensions of the operand of lower rank. Dimensions of size 1 are
/// broadcast.
static std::optional<ShardingRule>
broadcastingRule(Operation *op, const RuleOptions &options) {
  if (!options.extraRules)
    return std::nullopt;
  ArrayRef<int64_t> out = shapeOf(op->getResult(0));
  auto dims = op->getAttrOfType<DenseI64ArrayAttr>("broadcast_dimensions");
  auto dimOf = [&](Value operand, int64_t o) {
    ArrayRef<int64_t> shape = shapeOf(operand);
    int64_t d = o - (int64_t(out.size()) - int64_t(shape.size()));
    if (dims && shape.size() < out.size()) {
      auto found = llvm::find(dims.asArrayRef(), o);
      d = found == dims.asArrayRef().end() ? kNoDim
                                           : found - dims.asArrayRef().begin();
    }
    return d >= 0 && sizeAt(shape, d) == out[o] ? d : kNoDim;
  };
  RuleBuilder builder(op);
  for (auto [i, size] : llvm::enumerate(out)) {
    int64_t o = i;
    SmallVector<int64_t> operands;
    for (Value operand : op->getOperands())
      operands.push_back(dimOf(operand, o));
    builder.add(operands, {o}, size);
  }
  return builder.finish();
}

/// Only the shape of the operand matters.
static std::optional<ShardingRule>
constantLikeRule(Operation *op, const RuleOptions &options) {
  return options.extraRules ? pointwiseRule(op, options) : std::nullopt;
}

static std::optional<ShardingRule> topKRule(chlo::TopKOp op,
                                            const RuleOptions &options) {
  if (!options.extraRules)
    return std::nullopt;
  return RuleBuilder(op)
      .mismatch(shapeOf(op.getOperand()), shapeOf(op.getValues()),
                kNeedReplication, /*blocked=*/true)
      .finish();
}

/// A loop over one dimension of the inputs. Carried values have the shape of
/// one slice, or are unrelated to the inputs.
static std::optional<ShardingRule> scanRule(chlo::ScanOp op,
                                            const RuleOptions &options) {
  if (!options.extraRules)
    return std::nullopt;
  Value array = !op.getInputs().empty()    ? op.getInputs().front()
                : !op.getOutputs().empty() ? Value(op.getOutputs().front())
                                           : Value();
  if (!array)
    return std::nullopt;
  ArrayRef<int64_t> shape = shapeOf(array);
  int64_t scanDim = op.getDimension();
  if (scanDim >= int64_t(shape.size()))
    return std::nullopt;
  SmallVector<int64_t> slice(shape);
  slice.erase(slice.begin() + scanDim);

  // All arrays share the dimension of the loop, and other dimensions if their
  // sizes agree.
  auto dimsOf = [&](ValueRange arrays, ValueRange carried, int64_t d) {
    SmallVector<int64_t> dims;
    for (Value value : arrays)
      dims.push_back(d == scanDim || shapeOf(value) == shape ? d : kNoDim);
    for (Value value : carried) {
      bool isSlice = d != scanDim && shapeOf(value) == ArrayRef(slice);
      dims.push_back(!isSlice ? kNoDim : d < scanDim ? d : d - 1);
    }
    return dims;
  };
  bool isAssociative = op.getIsAssociative().value_or(false);
  RuleBuilder builder(op);
  for (auto [i, size] : llvm::enumerate(shape)) {
    int64_t d = i;
    FactorKind kind = d != scanDim    ? kPass
                      : isAssociative ? kPermutation
                                      : kNeedReplication;
    builder.add(dimsOf(op.getInputs(), op.getInits(), d),
                dimsOf(op.getOutputs(), op.getCarries(), d), size, kind);
  }
  return builder.finish();
}

/// A dot whose left side is split into groups along one dimension: rows (with a
/// right side per group), the contracted dimension, or a batch dimension.
static std::optional<ShardingRule> raggedDotRule(chlo::RaggedDotOp op,
                                                 const RuleOptions &options) {
  if (!options.extraRules)
    return std::nullopt;
  chlo::RaggedDotDimensionNumbersAttr numbers =
      op.getRaggedDotDimensionNumbersAttr();
  if (numbers.getLhsRaggedDimensions().size() != 1)
    return std::nullopt;
  ArrayRef<int64_t> lhs = shapeOf(op.getLhs()), rhs = shapeOf(op.getRhs()),
                    groups = shapeOf(op.getGroupSizes());
  ArrayRef<int64_t> lhsBatch = numbers.getLhsBatchingDimensions();
  ArrayRef<int64_t> lhsContract = numbers.getLhsContractingDimensions();
  ArrayRef<int64_t> rhsBatch = numbers.getRhsBatchingDimensions();
  ArrayRef<int64_t> rhsContract = numbers.getRhsContractingDimensions();
  ArrayRef<int64_t> rhsGroup = numbers.getRhsGroupDimensions();
  int64_t ragged = numbers.getLhsRaggedDimensions().front();
  bool overBatch = llvm::is_contained(lhsBatch, ragged);
  bool overContracted = llvm::is_contained(lhsContract, ragged);
  bool overRows = !overBatch && !overContracted;
  if (overRows && rhsGroup.size() != 1)
    return std::nullopt;

  RuleBuilder builder(op);
  // Group sizes are batched over the dimensions before the group dimension.
  int64_t group = 0, out = overContracted ? 1 : 0;
  for (auto [l, r] : llvm::zip(lhsBatch, rhsBatch))
    builder.add({l, r, overBatch ? kNoDim : group++}, {out++}, sizeAt(lhs, l));
  bool seenRagged = false;
  for (auto [i, size] : llvm::enumerate(lhs)) {
    int64_t l = i;
    if (llvm::is_contained(lhsBatch, l) || llvm::is_contained(lhsContract, l))
      continue;
    if (l == ragged) {
      builder.add({l, kNoDim, kNoDim}, {out++}, size, kNeedReplication);
      seenRagged = true;
    } else {
      bool groupsToo = overRows && !seenRagged;
      builder.add({l, kNoDim, groupsToo ? group++ : kNoDim}, {out++}, size);
    }
  }
  for (auto [i, size] : llvm::enumerate(rhs)) {
    int64_t r = i;
    if (!llvm::is_contained(rhsBatch, r) &&
        !llvm::is_contained(rhsContract, r) && !llvm::is_contained(rhsGroup, r))
      builder.add({kNoDim, r, kNoDim}, {out++}, size);
  }
  for (auto [l, r] : llvm::zip(lhsContract, rhsContract)) {
    if (l == ragged) {
      builder.add({l, r, kNoDim}, {kNoDim}, sizeAt(lhs, l), kNeedReplication);
      seenRagged = true;
    } else {
      bool groupsToo = overContracted && !seenRagged;
      builder.add({l, r, groupsToo ? group++ : kNoDim}, {kNoDim},
                  sizeAt(lhs, l), kReduction);
    }
  }
  if (overRows)
    builder.add({kNoDim, rhsGroup.front(), group}, {kNoDim},
                sizeAt(groups, group), kNeedReplication);
  else if (overContracted)
    builder.add({kNoDim, kNoDim, group}, {0}, sizeAt(groups, group),
                kNeedReplication);
  return builder.finish();
}

void shardwright::attachChloRules(MLIRContext &context) {
  using namespace chlo;
  attachRules<&broadcastingRule, kElementwise, BroadcastAddOp, BroadcastAndOp,
              BroadcastAtan2Op, BroadcastCompareOp, BroadcastComplexOp,
              BroadcastDivOp, BroadcastMaxOp, BroadcastMinOp, BroadcastMulOp,
              BroadcastNextAfterOp, BroadcastOrOp, BroadcastPolygammaOp,
              BroadcastPowOp, BroadcastRemOp, BroadcastSelectOp,
              BroadcastShiftLeftOp, BroadcastShiftRightArithmeticOp,
              BroadcastShiftRightLogicalOp, BroadcastSubOp, BroadcastXorOp,
              BroadcastZetaOp>(context);
  attachRule<ConstantLikeOp, &constantLikeRule, kElementwise>(context);
  attachRule<RaggedDotOp, &raggedDotRule>(context);
  attachRule<ScanOp, &scanRule>(context);
  attachRule<TopKOp, &topKRule>(context);
}
