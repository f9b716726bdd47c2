//===- parse_test_util.h - modules of tests ---------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_PROBLEM_PARSE_TEST_UTIL_H
#define SHARDWRIGHT_AUTO_PROBLEM_PARSE_TEST_UTIL_H

#include "shardwright/compile/registration.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace shardwright::test {

/// A context with all dialects. Without threads of its own, in which
/// ThreadSanitizer would find races: MLIR is not instrumented.
struct AllDialects : mlir::MLIRContext {
  AllDialects() : mlir::MLIRContext(Threading::DISABLED) {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    appendDialectRegistry(registry);
    loadAllAvailableDialects();
  }
};

class ParseTest : public ::testing::Test {
protected:
  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    return module;
  }

  AllDialects context;
};

} // namespace shardwright::test

#endif // SHARDWRIGHT_AUTO_PROBLEM_PARSE_TEST_UTIL_H
