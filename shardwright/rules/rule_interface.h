//===- rule_interface.h - the sharding rule of any op -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RULES_RULE_INTERFACE_H
#define SHARDWRIGHT_RULES_RULE_INTERFACE_H

#include "shardwright/rules/partition_traits.h"
#include "shardwright/rules/propagation_traits.h"
#include "shardwright/rules/sharding_rule.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Operation.h"

#include "shardwright/rules/rule_interface.h.inc"

namespace shardwright {

/// The rule of `op`: its `sdy.sharding_rule` attribute if present, else what
/// its ShardingRuleOpInterface returns; none when the op has no rule
/// (terminators, data-flow ops, calls, unknown ops). Never reads shardings.
std::optional<ShardingRule> getShardingRule(mlir::Operation *op,
                                            const RuleOptions &options = {});

/// The traits of `op` from its ShardingRuleOpInterface; without the interface,
/// from MLIR's traits Elementwise and ConstantLike.
PropagationTraits getPropagationTraits(mlir::Operation *op);

/// The traits of `op` from its ShardingRuleOpInterface, completed by what
/// elementwise ops and terminators imply.
PartitionTraits getPartitionTraits(mlir::Operation *op);

/// True if the op is elementwise for propagation priorities.
bool isElementwise(mlir::Operation *op);

/// op->hasTrait<OpTrait::Elementwise>(), which MLIR searches for.
bool hasElementwiseTrait(mlir::Operation *op);

/// Attaches the rules (and data-flow interfaces) of StableHLO, CHLO, sdy and
/// func to their ops as external models.
void registerShardingRules(mlir::DialectRegistry &registry);

} // namespace shardwright

#endif // SHARDWRIGHT_RULES_RULE_INTERFACE_H
