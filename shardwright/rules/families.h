//===- families.h - attach rules by family of ops ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A family is a file with one function per op, `rule(op, options)`, and the
// list of ops that it serves. RuleModel turns such a function into an
// implementation of ShardingRuleOpInterface outside the op's dialect.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RULES_FAMILIES_H
#define SHARDWRIGHT_RULES_FAMILIES_H

#include "shardwright/rules/rule_builder.h"
#include "shardwright/rules/rule_interface.h"

namespace shardwright {

/// Short names of factor kinds for the rule tables.
inline constexpr FactorKind kPass = FactorKind::PassThrough;
inline constexpr FactorKind kReduction = FactorKind::Reduction;
inline constexpr FactorKind kNeedReplication = FactorKind::NeedReplication;

/// True if every tensor among operands and results has a static shape. Rules
/// need sizes.
bool hasStaticShapes(mlir::Operation *op);

template <typename OpTy, auto buildRule, PropagationTraits traits,
          PartitionTraits partitionTraits>
struct RuleModel
    : ShardingRuleOpInterface::ExternalModel<
          RuleModel<OpTy, buildRule, traits, partitionTraits>, OpTy> {
  std::optional<ShardingRule>
  buildShardingRule(mlir::Operation *op, const RuleOptions &options) const {
    if (!hasStaticShapes(op))
      return std::nullopt;
    return buildRule(llvm::cast<OpTy>(op), options);
  }
  PropagationTraits getPropagationTraits(mlir::Operation *) const {
    return traits;
  }
  PartitionTraits getPartitionTraits(mlir::Operation *) const {
    return partitionTraits;
  }
};

/// Says that getPropagationTraits and getPartitionTraits are the same for all
/// ops of the class, so that they may be cached by class.
void noteTraitsOfClass(mlir::TypeID id);

template <typename OpTy, auto buildRule,
          PropagationTraits traits = PropagationTraits{},
          PartitionTraits partitionTraits = PartitionTraits{}>
void attachRule(mlir::MLIRContext &context) {
  noteTraitsOfClass(mlir::TypeID::get<OpTy>());
  OpTy::template attachInterface<
      RuleModel<OpTy, buildRule, traits, partitionTraits>>(context);
}

template <auto buildRule, PropagationTraits traits,
          PartitionTraits partitionTraits, typename... OpTys>
void attachRules(mlir::MLIRContext &context) {
  (attachRule<OpTys, buildRule, traits, partitionTraits>(context), ...);
}

template <auto buildRule, PropagationTraits traits, typename... OpTys>
void attachRules(mlir::MLIRContext &context) {
  attachRules<buildRule, traits, PartitionTraits{}, OpTys...>(context);
}

/// Marks an op that needs no rule: no warning is emitted for it.
template <typename OpTy, PropagationTraits traits,
          PartitionTraits partitionTraits>
struct NoRuleModel : ShardingRuleOpInterface::ExternalModel<
                         NoRuleModel<OpTy, traits, partitionTraits>, OpTy> {
  std::optional<ShardingRule> buildShardingRule(mlir::Operation *,
                                                const RuleOptions &) const {
    return std::nullopt;
  }
  PropagationTraits getPropagationTraits(mlir::Operation *) const {
    return traits;
  }
  PartitionTraits getPartitionTraits(mlir::Operation *) const {
    return partitionTraits;
  }
  std::string getKindWithoutRule(mlir::Operation *) const { return ""; }
};

template <PropagationTraits traits, PartitionTraits partitionTraits,
          typename... OpTys>
void attachNoRule(mlir::MLIRContext &context) {
  (noteTraitsOfClass(mlir::TypeID::get<OpTys>()), ...);
  (OpTys::template attachInterface<NoRuleModel<OpTys, traits, partitionTraits>>(
       context),
   ...);
}

template <PropagationTraits traits, typename... OpTys>
void attachNoRule(mlir::MLIRContext &context) {
  attachNoRule<traits, PartitionTraits{}, OpTys...>(context);
}

// StableHLO, by family.
void attachElementwiseRules(mlir::MLIRContext &context);
void attachShapeRules(mlir::MLIRContext &context);
void attachContractionRules(mlir::MLIRContext &context);
void attachGatherScatterRules(mlir::MLIRContext &context);
void attachReductionRules(mlir::MLIRContext &context);
void attachCollectiveRules(mlir::MLIRContext &context);
void attachLinalgRules(mlir::MLIRContext &context);
void attachCustomCallRules(mlir::MLIRContext &context);
void attachSupersededRules(mlir::MLIRContext &context);
void attachDataFlowInterfaces(mlir::MLIRContext &context);
void attachRulelessOps(mlir::MLIRContext &context);
void attachMeshUsers(mlir::MLIRContext &context);
// Other dialects.
void attachChloRules(mlir::MLIRContext &context);
void attachSdyRules(mlir::MLIRContext &context);

} // namespace shardwright

#endif // SHARDWRIGHT_RULES_FAMILIES_H
