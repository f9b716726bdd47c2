//===- rule_passes.h - passes about sharding rules --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RULES_RULE_PASSES_H
#define SHARDWRIGHT_RULES_RULE_PASSES_H

#include "shardwright/rules/shardy_version.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace shardwright {

/// Also declares registerRulesPasses(), which makes the passes known to
/// pipelines in text.
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "shardwright/rules/rule_passes.h.inc"

} // namespace shardwright

#endif // SHARDWRIGHT_RULES_RULE_PASSES_H
