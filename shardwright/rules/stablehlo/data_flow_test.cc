//===- stablehlo/data_flow_test.cc - edges of while, case and barriers ----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/rules/rule_interface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace shardwright;
using sdy::ShardableDataFlowOpInterface;

namespace {

class DataFlow : public testing::Test {
protected:
  DataFlow() {
    DialectRegistry registry;
    registry.insert<func::FuncDialect, stablehlo::StablehloDialect,
                    sdy::SdyDialect>();
    registerShardingRules(registry);
    context.appendDialectRegistry(registry);
  }

  /// Parses a function with a single op of this type.
  template <typename OpTy>
  ShardableDataFlowOpInterface parse(StringRef source) {
    module = parseSourceString<ModuleOp>(source, ParserConfig(&context));
    ShardableDataFlowOpInterface found;
    if (module)
      module->walk([&](OpTy op) {
        found = dyn_cast<ShardableDataFlowOpInterface>(op.getOperation());
      });
    return found;
  }

  /// Invariants of every edge: sources and targets map back to the owner.
  void checkEdges(ShardableDataFlowOpInterface op, unsigned numSources,
                  unsigned numOtherTargets) {
    ASSERT_EQ(op.getOpResultEdgeOwners().size(), op->getNumResults());
    EXPECT_TRUE(op.getBlockArgumentEdgeOwners().empty());
    for (Value owner : op.getOpResultEdgeOwners()) {
      EXPECT_EQ(op.getEdgeOwnerFromTarget(owner), owner);
      auto sources = op.getEdgeSources(owner);
      EXPECT_EQ(sources.size(), numSources);
      for (OpOperand *source : sources) {
        EXPECT_EQ(source->get().getType(), owner.getType());
        EXPECT_EQ(op.getEdgeOwnerFromSource(*source), owner);
      }
      auto targets = op.getNonEdgeOwnerTargets(owner);
      EXPECT_EQ(targets.size(), numOtherTargets);
      for (Value target : targets) {
        EXPECT_EQ(target.getType(), owner.getType());
        EXPECT_EQ(op.getEdgeOwnerFromTarget(target), owner);
      }
    }
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(DataFlow, While) {
  auto op = parse<stablehlo::WhileOp>(R"(
func.func @f(%a: tensor<4xf32>, %n: tensor<i32>, %p: tensor<i1>) {
  %0:2 = stablehlo.while(%x = %a, %y = %n) : tensor<4xf32>, tensor<i32>
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    %1 = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %1, %y : tensor<4xf32>, tensor<i32>
  }
  return
})");
  ASSERT_TRUE(op);
  checkEdges(op, 2, 2);
  // The return value of the condition has no target.
  auto loop = cast<stablehlo::WhileOp>(op.getOperation());
  Operation &answer = loop.getCond().front().back();
  EXPECT_FALSE(op.getEdgeOwnerFromSource(answer.getOpOperand(0)));
  EXPECT_FALSE(op.getEdgeOwnerFromTarget(
      (*module->getOps<func::FuncOp>().begin()).getArgument(0)));
}

TEST_F(DataFlow, Case) {
  auto op = parse<stablehlo::CaseOp>(R"(
func.func @f(%i: tensor<i32>, %a: tensor<4xf32>, %b: tensor<2xf32>) {
  %0:2 = "stablehlo.case"(%i) ({
    stablehlo.return %a, %b : tensor<4xf32>, tensor<2xf32>
  }, {
    stablehlo.return %a, %b : tensor<4xf32>, tensor<2xf32>
  }, {
    stablehlo.return %a, %b : tensor<4xf32>, tensor<2xf32>
  }) : (tensor<i32>) -> (tensor<4xf32>, tensor<2xf32>)
  return
})");
  ASSERT_TRUE(op);
  checkEdges(op, 3, 0);
  EXPECT_FALSE(op.getEdgeOwnerFromSource(op->getOpOperand(0)));
}

TEST_F(DataFlow, OptimizationBarrier) {
  auto op = parse<stablehlo::OptimizationBarrierOp>(R"(
func.func @f(%a: tensor<4xf32>, %b: tensor<2xf32>) {
  %0:2 = stablehlo.optimization_barrier %a, %b : tensor<4xf32>, tensor<2xf32>
  return
})");
  ASSERT_TRUE(op);
  checkEdges(op, 1, 0);
}

} // namespace
