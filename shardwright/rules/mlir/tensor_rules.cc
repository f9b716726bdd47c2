//===- tensor_rules.cc - rules of the tensor dialect ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/rules/families.h"
#include "shardwright/rules/mlir/mlir_rules.h"
#include "shardwright/rules/rule_builder.h"
#include "shardwright/rules/rule_interface.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace shardwright;

namespace {

bool isStatic(Operation *op) {
  auto ok = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return !shaped || shaped.hasStaticShape();
  };
  return llvm::all_of(op->getOperandTypes(), ok) &&
         llvm::all_of(op->getResultTypes(), ok);
}

/// Each dimension of `whole` is split into a group of dimensions of `parts`.
void addGroups(RuleBuilder &builder, ArrayRef<ReassociationIndices> groups,
               ArrayRef<int64_t> parts, bool expands) {
  for (auto [whole, group] : llvm::enumerate(groups))
    for (int64_t part : group) {
      int64_t w = whole;
      builder.add({expands ? w : part}, {expands ? part : w}, parts[part]);
    }
}

std::optional<ShardingRule> buildRule(tensor::ExpandShapeOp op) {
  RuleBuilder builder(op);
  addGroups(builder, op.getReassociationIndices(), shapeOf(op.getResult()),
            /*expands=*/true);
  return builder.finish();
}

std::optional<ShardingRule> buildRule(tensor::CollapseShapeOp op) {
  RuleBuilder builder(op);
  addGroups(builder, op.getReassociationIndices(), shapeOf(op.getSrc()),
            /*expands=*/false);
  return builder.finish();
}

std::optional<ShardingRule> buildRule(tensor::CastOp op) {
  return RuleBuilder(op).pointwise(shapeOf(op.getResult())).finish();
}

/// A dimension that is sliced in full keeps its shards; others would be
/// gathered.
std::optional<ShardingRule> buildRule(tensor::ExtractSliceOp op) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  RuleBuilder builder(op);
  SmallVector<int64_t> operands(op->getNumOperands(), kNoDim);
  int64_t out = 0;
  for (auto [i, size] : llvm::enumerate(shapeOf(op.getSource()))) {
    if (dropped.test(i))
      continue;
    int64_t o = out++;
    if (shapeOf(op.getResult())[o] != size)
      continue;
    operands[0] = i;
    builder.add(operands, {o}, size);
  }
  return builder.finish();
}

std::optional<ShardingRule> buildRule(tensor::PadOp op) {
  RuleBuilder builder(op);
  SmallVector<int64_t> operands(op->getNumOperands(), kNoDim);
  for (auto [i, size] : llvm::enumerate(shapeOf(op.getSource()))) {
    if (shapeOf(op.getResult())[i] != size)
      continue;
    operands[0] = i;
    builder.add(operands, {int64_t(i)}, size);
  }
  return builder.finish();
}

std::optional<ShardingRule> buildRule(tensor::ConcatOp op) {
  RuleBuilder builder(op);
  for (auto [i, size] : llvm::enumerate(shapeOf(op.getResult())))
    if (i != op.getDim())
      builder.all(i, size);
  return builder.finish();
}

template <typename Op, PropagationTraits traits>
struct Model : ShardingRuleOpInterface::ExternalModel<Model<Op, traits>, Op> {
  std::optional<ShardingRule>
  buildShardingRule(Operation *op, const RuleOptions &options) const {
    if (!isStatic(op))
      return std::nullopt;
    return buildRule(cast<Op>(op));
  }
  PropagationTraits getPropagationTraits(Operation *) const { return traits; }
};

constexpr PropagationTraits kReshapes{.schedule = Schedule::PassThroughOp,
                                      .basis = RuleBasis::Properties,
                                      .preservesConstants = true};
constexpr PropagationTraits kSlices{.basis = RuleBasis::Properties,
                                    .preservesConstants = true};

} // namespace

void shardwright::attachTensorDialectRules(MLIRContext &context) {
  using namespace tensor;
  auto attach = [&]<typename Op, PropagationTraits traits>() {
    Op::template attachInterface<Model<Op, traits>>(context);
  };
  attach.template operator()<CastOp, kElementwise>();
  attach.template operator()<CollapseShapeOp, kReshapes>();
  attach.template operator()<ConcatOp, kByProperties>();
  attach.template operator()<ExpandShapeOp, kReshapes>();
  attach.template operator()<ExtractSliceOp, kSlices>();
  attach.template operator()<PadOp, kByProperties>();
  // The same empty tensor often initializes several results, which should not
  // be sharded alike.
  attachNoRule<PropagationTraits{.makesConstant = true}, EmptyOp>(context);
  attachNoRule<PropagationTraits{.expandsScalar = true}, SplatOp>(context);
}
