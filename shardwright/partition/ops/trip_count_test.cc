//===- trip_count_test.cc - tests of the trip counts of loops -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/ops/trip_count.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace shardwright {
namespace {

class TripCountTest : public testing::Test {
protected:
  TripCountTest() {
    context.loadDialect<mlir::func::FuncDialect, stablehlo::StablehloDialect>();
  }

  /// Trip count of `for (i = start; i <direction> bound; i = i <op> step)`.
  std::optional<int64_t> countOf(int64_t start, const std::string &direction,
                                 int64_t bound, const std::string &op,
                                 int64_t step) {
    auto constant = [](const std::string &name, int64_t value) {
      return "%" + name + " = stablehlo.constant dense<" +
             std::to_string(value) + "> : tensor<i32>\n";
    };
    std::string text =
        "func.func @main() {\n" + constant("start", start) +
        constant("bound", bound) + constant("step", step) +
        R"(%0 = "stablehlo.while"(%start) ({
           ^bb0(%i: tensor<i32>):
             %c = stablehlo.compare )" +
        direction +
        R"(, %i, %bound, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
             stablehlo.return %c : tensor<i1>
           }, {
           ^bb0(%i: tensor<i32>):
             %n = stablehlo.)" +
        op + R"( %i, %step : tensor<i32>
             stablehlo.return %n : tensor<i32>
           }) : (tensor<i32>) -> tensor<i32>
           return })";
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    std::optional<int64_t> count;
    if (module)
      module->walk(
          [&](stablehlo::WhileOp loop) { count = knownTripCount(loop); });
    return count;
  }

  mlir::MLIRContext context;
};

TEST_F(TripCountTest, CountsUp) {
  EXPECT_EQ(countOf(0, "LT", 6, "add", 1), 6);
  EXPECT_EQ(countOf(0, "LE", 6, "add", 1), 7);
  EXPECT_EQ(countOf(0, "NE", 6, "add", 2), 3);
  EXPECT_EQ(countOf(1, "LT", 6, "add", 2), 3);
  EXPECT_EQ(countOf(1, "LE", 7, "add", 2), 4);
  EXPECT_EQ(countOf(6, "LT", 6, "add", 1), 0);
  EXPECT_EQ(countOf(6, "LE", 6, "add", 1), 1);
}

TEST_F(TripCountTest, CountsDown) {
  EXPECT_EQ(countOf(6, "GT", 0, "subtract", 1), 6);
  EXPECT_EQ(countOf(6, "GE", 0, "subtract", 1), 7);
  EXPECT_EQ(countOf(6, "GE", 0, "add", -2), 4);
  EXPECT_EQ(countOf(6, "NE", 0, "subtract", 3), 2);
}

TEST_F(TripCountTest, LoopsThatDoNotEndByCounting) {
  EXPECT_EQ(countOf(0, "LT", 6, "subtract", 1), std::nullopt);
  EXPECT_EQ(countOf(0, "NE", 5, "add", 2), std::nullopt);
  EXPECT_EQ(countOf(0, "LT", 6, "add", 0), std::nullopt);
  EXPECT_EQ(countOf(0, "LT", 6, "multiply", 2), std::nullopt);
}

} // namespace
} // namespace shardwright
