//===- parse_test_util.h - programs for unit tests --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For unit tests only: a context that knows func, StableHLO and sdy with their
// rules.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_INDEX_PARSE_TEST_UTIL_H
#define SHARDWRIGHT_PROPAGATE_INDEX_PARSE_TEST_UTIL_H

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/rules/rule_interface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace shardwright::test {

class ParseTest : public ::testing::Test {
protected:
  ParseTest() {
    mlir::DialectRegistry registry;
    registry.insert<mlir::func::FuncDialect, stablehlo::StablehloDialect>();
    sdy::registerSdyDialect(registry);
    registerShardingRules(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text) {
    return mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  }

  mlir::MLIRContext context;
};

} // namespace shardwright::test

#endif // SHARDWRIGHT_PROPAGATE_INDEX_PARSE_TEST_UTIL_H
