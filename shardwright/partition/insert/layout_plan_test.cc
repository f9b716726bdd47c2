//===- layout_plan_test.cc - the Inserter follows given plans -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/insert/layout_plan.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/insert/inserter.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace shardwright {
namespace {

class LayoutPlanTest : public testing::Test {
protected:
  LayoutPlanTest() {
    context.loadDialect<func::FuncDialect, stablehlo::StablehloDialect,
                        sdy::SdyDialect>();
    module = parseSourceString<ModuleOp>(R"(
      sdy.mesh @mesh = <["x"=2]>
      func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
          -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
        %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x4xf32>
        return %0 : tensor<8x4xf32>
      })",
                                         &context);
  }

  func::FuncOp func() { return *module->getOps<func::FuncOp>().begin(); }
  Operation *negate() {
    return *func().getBody().getOps<stablehlo::NegOp>().begin();
  }
  /// Layout sharded along `dim`.
  LayoutRef sharded(MeshTable &meshes, int64_t dim) {
    Layout layout{0, TensorSharding::closed(2)};
    layout.sharding.dims[dim].axes.push_back(meshes.mesh(0).fullAxis(0));
    return meshes.intern(layout);
  }
  int64_t countAllToAlls() {
    int64_t count = 0;
    func().walk([&](sdy::AllToAllOp) { ++count; });
    return count;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(LayoutPlanTest, IsWrittenByTheWalk) {
  ASSERT_TRUE(module);
  InlinedOps found;
  FailureOr<MeshTable> meshes = MeshTable::create(*module);
  ASSERT_TRUE(succeeded(meshes));
  PlanMemo memo;
  LayoutPlan plan;
  Inserter inserter(*meshes, memo, nullptr, &plan);
  ASSERT_TRUE(succeeded(inserter.runOnFunction(func(), found)));
  EXPECT_EQ(countAllToAlls(), 0);

  EXPECT_EQ(plan.values.lookup(func().getArgument(0)), sharded(*meshes, 0));
  const OpPlan *op = plan.ops.lookup(negate());
  ASSERT_TRUE(op);
  EXPECT_EQ(op->mesh, 0);
  ASSERT_EQ(op->factors.size(), 2u);
  EXPECT_EQ(op->factors[0].size(), 1u);
  EXPECT_TRUE(op->factors[1].empty());
  ASSERT_EQ(op->operands.size(), 1u);
  EXPECT_EQ(op->operands[0].layout, sharded(*meshes, 0));
  ASSERT_EQ(op->results.size(), 1u);
  EXPECT_EQ(op->results[0].completed, sharded(*meshes, 0));
}

TEST_F(LayoutPlanTest, EntriesThatAreThereAreFollowed) {
  ASSERT_TRUE(module);
  InlinedOps found;
  FailureOr<MeshTable> meshes = MeshTable::create(*module);
  ASSERT_TRUE(succeeded(meshes));
  LayoutRef columns = sharded(*meshes, 1);
  OpPlan columnwise;
  columnwise.mesh = 0;
  columnwise.operands.push_back({nullptr, columns});
  columnwise.results.push_back({columns, {}, columns});
  LayoutPlan plan;
  plan.ops[negate()] = &columnwise;
  PlanMemo memo;
  Inserter inserter(*meshes, memo, nullptr, &plan);
  ASSERT_TRUE(succeeded(inserter.runOnFunction(func(), found)));
  inserter.improveReductions();
  inserter.eraseUnused(func().getBody());

  EXPECT_EQ(sdy::getSharding(negate()->getResult(0)), columns->attr);
  // One to columns, and one back to the rows that the function returns.
  EXPECT_EQ(countAllToAlls(), 2);
  EXPECT_TRUE(succeeded(verify(*module)));
}

} // namespace
} // namespace shardwright
