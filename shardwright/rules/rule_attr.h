//===- rule_attr.h - sharding rules as sdy attributes -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RULES_RULE_ATTR_H
#define SHARDWRIGHT_RULES_RULE_ATTR_H

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/rules/sharding_rule.h"

#include <optional>

namespace shardwright {

/// Discardable attribute that holds the rule of an op.
inline constexpr llvm::StringLiteral kShardingRuleAttrName =
    "sdy.sharding_rule";

sdy::OpShardingRuleAttr toAttr(const ShardingRule &rule,
                               mlir::MLIRContext *context);

/// Converts the attribute. Returns none if it names a factor that it does not
/// define (the verifier refuses that, but passes may run without it).
std::optional<ShardingRule> fromAttr(sdy::OpShardingRuleAttr attr);

/// True if `rule` on `op` passes the verifier: the op has operands and results,
/// all of them ranked tensors of static shape, and every factor is used.
bool isStorable(const ShardingRule &rule, mlir::Operation *op);

} // namespace shardwright

#endif // SHARDWRIGHT_RULES_RULE_ATTR_H
