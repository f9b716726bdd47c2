//===- op_work_test.cc - operations and times of ops ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/ops/op_work.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/overlap/op_cost.h"
#include "shardwright/rules/rule_interface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace shardwright {
namespace {

class OpWork : public testing::Test {
protected:
  OpWork() {
    DialectRegistry registry;
    registry.insert<func::FuncDialect, stablehlo::StablehloDialect>();
    registerShardingRules(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// The ops of a function with these arguments.
  std::vector<Operation *> ops(const std::string &arguments,
                               const std::string &results,
                               const std::string &body) {
    module =
        parseSourceString<ModuleOp>("func.func @main(" + arguments + ") -> (" +
                                        results + ") {\n" + body + "}\n",
                                    &context);
    std::vector<Operation *> found;
    if (module)
      for (Operation &op :
           cast<func::FuncOp>(module->getBody()->front()).getBody().front())
        found.push_back(&op);
    return found;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(OpWork, CountsWhatItsKindDoes) {
  auto all = ops("%a: tensor<8x16xf32>, %b: tensor<16x4xf32>, "
                 "%c: tensor<16x16xf32>",
                 "tensor<8x4xf32>", R"(
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    %1 = stablehlo.add %0, %0 : tensor<8x4xf32>
    %2 = stablehlo.exponential %0 : tensor<8x4xf32>
    %3 = stablehlo.transpose %0, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %4 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
    %5 = stablehlo.custom_call @lapack_spotrf_ffi(%c) : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %6 = stablehlo.custom_call @somebody_else(%c) : (tensor<16x16xf32>) -> tensor<16x16xf32>
    return %1 : tensor<8x4xf32>
)");
  ASSERT_EQ(all.size(), 9u);
  EXPECT_EQ(countOperations(all[0]), 2 * 8 * 4 * 16);
  EXPECT_EQ(countOperations(all[1]), 32);
  EXPECT_GT(countOperations(all[2]), 5 * 32);
  EXPECT_EQ(countOperations(all[3]), 0);
  EXPECT_EQ(countOperations(all[5]), 128);
  EXPECT_DOUBLE_EQ(countOperations(all[6]), 16 * 16 * 16 / 3.0);
  EXPECT_EQ(countOperations(all[7]), 0);
}

TEST_F(OpWork, RunningSumsTakeOneStepAnElementAndWindowsTheirSize) {
  auto window = [&](const char *dims, const char *padding, const char *result) {
    auto all =
        ops("%a: tensor<64xf32>, %z: tensor<f32>",
            "tensor<" + std::string(result) + "xf32>",
            "%0 = \"stablehlo.reduce_window\"(%a, %z) <{window_dimensions "
            "= array<i64: " +
                std::string(dims) + ">, padding = dense<[[" + padding +
                "]]> : tensor<1x2xi64>}> ({\n^bb0(%p: tensor<f32>, %q: "
                "tensor<f32>):\n%s = stablehlo.add %p, %q : tensor<f32>\n"
                "stablehlo.return %s : tensor<f32>\n}) : (tensor<64xf32>, "
                "tensor<f32>) -> tensor<" +
                result + "xf32>\nreturn %0 : tensor<" + result + "xf32>\n");
    return all.empty() ? -1 : countOperations(all[0]);
  };
  EXPECT_EQ(window("64", "63, 0", "64"), 2 * 64);
  EXPECT_EQ(window("8", "0, 0", "57"), 8 * 57);
}

TEST_F(OpWork, TimesComeFromTheKernelsThatOpsShare) {
  auto all = ops("%a: tensor<1024xf32>, %i: tensor<i32>",
                 "tensor<1024xf32>, tensor<1024xf32>, tensor<i32>", R"(
    %0 = stablehlo.negate %a : tensor<1024xf32>
    %1 = stablehlo.add %0, %0 : tensor<1024xf32>
    %2 = stablehlo.abs %1 : tensor<1024xf32>
    %3 = stablehlo.add %i, %i : tensor<i32>
    return %1, %2, %3 : tensor<1024xf32>, tensor<1024xf32>, tensor<i32>
)");
  ASSERT_EQ(all.size(), 5u);
  MachineModel machine;
  machine.operationSeconds = 1;
  machine.memoryBytesPerSecond = 4096;
  machine.elementwiseFlopsPerSecond = 1e30;
  Mesh mesh;
  OpCosts costs(machine, mesh);
  EXPECT_DOUBLE_EQ(costs.seconds(all[0]), 1); // reads
  EXPECT_DOUBLE_EQ(costs.seconds(all[1]), 1); // is returned, so written
  EXPECT_DOUBLE_EQ(costs.seconds(all[2]), 2); // the kernel, and writes
  EXPECT_LT(costs.seconds(all[3]), 0.01);     // a counter
  EXPECT_EQ(costs.heldBytes(all[0]->getResult(0)), 0);
  EXPECT_EQ(costs.heldBytes(all[1]->getResult(0)), 4096);
  machine.elementwiseFlopsPerSecond = 256;
  EXPECT_DOUBLE_EQ(OpCosts(machine, mesh).seconds(all[2]), 5);
}

} // namespace
} // namespace shardwright
