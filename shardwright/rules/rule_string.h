//===- rule_string.h - rule strings in JAX's notation -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The notation of jax.experimental.custom_partitioning:
//
//   "i k, k j -> i j"        values by commas, dimensions by spaces
//   "i (j k) -> (i j) k"     factors of one dimension, major to minor
//   "... i -> ... i"         leading dimensions, ...1 is another group of them
//
// JAX converts it to `sdy.sharding_rule`; these functions convert both ways.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RULES_RULE_STRING_H
#define SHARDWRIGHT_RULES_RULE_STRING_H

#include "shardwright/rules/sharding_rule.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <utility>
#include <vector>

namespace shardwright {

/// The properties of a rule that the string does not contain.
struct RuleStringOptions {
  /// Sizes of factors that are never a full dimension.
  std::vector<std::pair<std::string, int64_t>> factorSizes;
  std::vector<std::string> reduction, needReplication, permutation;
};

using Shape = llvm::SmallVector<int64_t, 4>;

/// Parses the rule for values of these shapes and marks it as custom. The error
/// shows the string with a caret under the mistake. `names`, if given, receives
/// the name of each factor in `text`; `...0_1` is the second dimension that an
/// ellipsis stands for.
llvm::Expected<ShardingRule>
parseRuleString(llvm::StringRef text, llvm::ArrayRef<Shape> operands,
                llvm::ArrayRef<Shape> results,
                const RuleStringOptions &options = {},
                std::vector<std::string> *names = nullptr);

/// As the attribute's text names a factor: `i` to `z`, then `z_1`, `z_2`, ...
std::string factorName(int32_t factor);

/// `i k, k j -> i j`: factors get the names of the attribute's text; their
/// kinds and sizes are not part of the string.
std::string ruleString(const ShardingRule &rule);

} // namespace shardwright

#endif // SHARDWRIGHT_RULES_RULE_STRING_H
