//===- superseded.cc - rules of superseded ops ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Import expands these ops (../../interop), so they reach propagation only if
// it runs alone. Shardy has no rule for any of them, so all are extra rules,
// and require static shapes. Operands that give a shape or a position share no
// factor with a result.
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/rules/families.h"
#include "shardwright/rules/reshape_factors.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace shardwright;

namespace {

/// Adds factors between the first operand and the first result.
class MoveBuilder {
public:
  explicit MoveBuilder(Operation *op)
      : builder(op), operands(op->getNumOperands(), kNoDim) {}

  void add(int64_t in, int64_t out, int64_t size, FactorKind kind = kPass,
           bool blocked = false) {
    operands[0] = in;
    builder.add(operands, {out}, size, kind, blocked);
  }
  ShardingRule finish() { return builder.finish(); }

private:
  RuleBuilder builder;
  SmallVector<int64_t> operands;
};

} // namespace

static std::optional<ShardingRule>
dynamicReshapeRule(stablehlo::DynamicReshapeOp op, const RuleOptions &options) {
  if (!options.extraRules)
    return std::nullopt;
  std::optional<SmallVector<ReshapeFactor>> factors =
      reshapeFactors(shapeOf(op.getOperand()), shapeOf(op->getResult(0)));
  if (!factors)
    return std::nullopt;
  MoveBuilder builder(op);
  for (const ReshapeFactor &factor : *factors)
    builder.add(factor.inDim, factor.outDim, factor.size);
  return builder.finish();
}

static std::optional<ShardingRule>
dynamicBroadcastRule(stablehlo::DynamicBroadcastInDimOp op,
                     const RuleOptions &options) {
  if (!options.extraRules)
    return std::nullopt;
  ArrayRef<int64_t> in = shapeOf(op.getOperand()),
                    out = shapeOf(op->getResult(0));
  ArrayRef<int64_t> dims = op.getBroadcastDimensions();
  MoveBuilder builder(op);
  for (auto [o, size] : llvm::enumerate(out)) {
    auto found = llvm::find(dims, int64_t(o));
    int64_t d = found == dims.end() ? kNoDim : found - dims.begin();
    // Dimensions of size 1 are broadcast.
    bool isKept = d != kNoDim && sizeAt(in, d) == size;
    builder.add(isKept ? d : kNoDim, o, size);
  }
  return builder.finish();
}

/// Only dimensions that are sliced in full pass through.
static std::optional<ShardingRule>
realDynamicSliceRule(stablehlo::RealDynamicSliceOp op,
                     const RuleOptions &options) {
  if (!options.extraRules)
    return std::nullopt;
  ArrayRef<int64_t> in = shapeOf(op.getOperand()),
                    out = shapeOf(op->getResult(0));
  MoveBuilder builder(op);
  for (auto [d, size] : llvm::enumerate(in)) {
    bool isKept = size > 0 && sizeAt(out, d) == size;
    builder.add(d, d, size, isKept ? kPass : kNeedReplication,
                /*blocked=*/!isKept);
  }
  return builder.finish();
}

/// Only dimensions that are known to have no padding pass through.
static std::optional<ShardingRule> dynamicPadRule(stablehlo::DynamicPadOp op,
                                                  const RuleOptions &options) {
  if (!options.extraRules)
    return std::nullopt;
  SmallVector<DenseIntElementsAttr> amounts;
  for (Value value : {op.getEdgePaddingLow(), op.getEdgePaddingHigh(),
                      op.getInteriorPadding()}) {
    DenseIntElementsAttr amount;
    matchPattern(value, m_Constant(&amount));
    amounts.push_back(amount);
  }
  auto isUntouched = [&](int64_t d) {
    return llvm::all_of(amounts, [&](DenseIntElementsAttr amount) {
      return amount && d < amount.getNumElements() &&
             amount.getValues<APInt>()[d].isZero();
    });
  };
  MoveBuilder builder(op);
  for (auto [d, size] : llvm::enumerate(shapeOf(op.getOperand()))) {
    bool isKept = isUntouched(d);
    builder.add(d, d, size, isKept ? kPass : kNeedReplication,
                /*blocked=*/!isKept);
  }
  return builder.finish();
}

/// `ab,bc->ac`: each letter is a factor. Repeated letters in an operand, and
/// ellipses, have no rule; import expands them.
static std::optional<ShardingRule> einsumRule(Operation *op, StringRef config,
                                              const RuleOptions &options) {
  auto [left, right] = config.split("->");
  SmallVector<StringRef> sides;
  left.split(sides, ',');
  if (!options.extraRules || sides.size() != op->getNumOperands())
    return std::nullopt;
  SmallVector<SmallVector<int64_t>> dimsOf;
  llvm::MapVector<char, int64_t> sizeOf;
  auto read = [&](StringRef letters, ArrayRef<int64_t> shape) {
    letters = letters.trim();
    if (letters.size() != shape.size())
      return false;
    for (auto [d, letter] : llvm::enumerate(letters)) {
      if (!llvm::isAlpha(letter) || letters.count(letter) != 1)
        return false;
      auto [it, isNew] = sizeOf.try_emplace(letter, shape[d]);
      if (it->second != shape[d])
        return false;
    }
    return true;
  };
  for (auto [letters, value] : llvm::zip_equal(sides, op->getOperands()))
    if (!read(letters, shapeOf(value)))
      return std::nullopt;
  if (!read(right, shapeOf(op->getResult(0))))
    return std::nullopt;
  auto dimIn = [](StringRef letters, char letter) {
    size_t at = letters.trim().find(letter);
    return at == StringRef::npos ? kNoDim : int64_t(at);
  };
  RuleBuilder builder(op);
  for (auto [letter, size] : sizeOf) {
    SmallVector<int64_t> operands;
    for (StringRef letters : sides)
      operands.push_back(dimIn(letters, letter));
    int64_t result = dimIn(right, letter);
    builder.add(operands, {result}, size,
                result == kNoDim ? kReduction : kPass);
  }
  return builder.finish();
}

static std::optional<ShardingRule>
binaryEinsumRule(stablehlo::EinsumOp op, const RuleOptions &options) {
  return einsumRule(op, op.getEinsumConfig(), options);
}

static std::optional<ShardingRule> unaryEinsumRule(stablehlo::UnaryEinsumOp op,
                                                   const RuleOptions &options) {
  return einsumRule(op, op.getEinsumConfig(), options);
}

/// Result dimensions: operand dimensions before `dim`, index dimensions that
/// are no batch, operand dimensions after `dim`.
static std::optional<ShardingRule>
torchIndexSelectRule(stablehlo::TorchIndexSelectOp op,
                     const RuleOptions &options) {
  ArrayRef<int64_t> in = shapeOf(op.getOperand()),
                    index = shapeOf(op.getIndex());
  int64_t dim = op.getDim(), batch = op.getBatchDims();
  if (!options.extraRules || dim < 0 || dim >= int64_t(in.size()) ||
      batch < 0 || batch > dim || batch > int64_t(index.size()))
    return std::nullopt;
  RuleBuilder builder(op);
  int64_t out = 0;
  for (int64_t d = 0; d < dim; ++d, ++out)
    builder.add({d, d < batch ? d : kNoDim}, {out}, in[d]);
  for (int64_t d = batch; d < int64_t(index.size()); ++d, ++out)
    builder.add({kNoDim, d}, {out}, index[d]);
  builder.add({dim, kNoDim}, {kNoDim}, in[dim], kNeedReplication);
  for (int64_t d = dim + 1; d < int64_t(in.size()); ++d, ++out)
    builder.add({d, kNoDim}, {out}, in[d]);
  return builder.finish();
}

void shardwright::attachSupersededRules(MLIRContext &context) {
  using namespace stablehlo;
  constexpr PropagationTraits byRule{};
  constexpr PartitionTraits shaped{.takesShapeAsOperand = true};
  attachRule<DynamicBroadcastInDimOp, &dynamicBroadcastRule, byRule, shaped>(
      context);
  attachRule<DynamicPadOp, &dynamicPadRule, byRule, shaped>(context);
  attachRule<DynamicReshapeOp, &dynamicReshapeRule, byRule, shaped>(context);
  attachRule<EinsumOp, &binaryEinsumRule>(context);
  attachRule<RealDynamicSliceOp, &realDynamicSliceRule, byRule, shaped>(
      context);
  attachRule<TorchIndexSelectOp, &torchIndexSelectRule>(context);
  attachRule<UnaryEinsumOp, &unaryEinsumRule>(context);
}
