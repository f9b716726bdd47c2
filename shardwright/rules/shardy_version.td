//===- shardy_version.td - the option sw-shardy of passes -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RULES_SHARDY_VERSION_TD
#define SHARDWRIGHT_RULES_SHARDY_VERSION_TD

include "mlir/Pass/PassBase.td"

def ShardyOption
    : Option<"shardy", "sw-shardy", "::shardwright::ShardyVersion",
             "::shardwright::kNewestShardy", "behave like this version of Shardy",
             "::shardwright::shardyVersionValues()">;

#endif // SHARDWRIGHT_RULES_SHARDY_VERSION_TD
