//===- rule_passes.td - passes about sharding rules -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RULES_RULE_PASSES_TD
#define SHARDWRIGHT_RULES_RULE_PASSES_TD

include "shardwright/rules/shardy_version.td"
include "mlir/Pass/PassBase.td"

def PopulateOpShardingRulesPass
    : Pass<"sdy-populate-op-sharding-rules", "::mlir::func::FuncOp"> {
  let summary = "Writes the sharding rule of every op that has one onto it";
  let description = [{
    Every op of the function, those in regions included, gets its rule as
    `sdy.sharding_rule`. Rules that are there already stay. Propagation does not
    need this pass; it shows what propagation will use.
  }];
  let dependentDialects = ["::shardwright::sdy::SdyDialect"];
  let options = [
    Option<"conservativePropagation", "conservative-propagation", "bool", "false",
           "Leave out or block factors that need padding or halo exchange">,
    Option<"extraRules", "extra-rules", "bool", "false",
           "Also the rules that Shardy does not have">,
    ShardyOption
  ];
}

#endif // SHARDWRIGHT_RULES_RULE_PASSES_TD
