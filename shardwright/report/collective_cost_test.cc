//===- collective_cost_test.cc - tests of the cost of collectives ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/collective_cost.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/mesh/axes_of_groups.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace shardwright {
namespace {

class CollectiveCostTest : public testing::Test {
protected:
  CollectiveCostTest() {
    context.loadDialect<mlir::func::FuncDialect, stablehlo::StablehloDialect>();
  }

  /// Cost of a function on one argument %a of `type`.
  CollectiveCost costOf(const std::string &type, const std::string &body,
                        int64_t devices = 8) {
    module = mlir::parseSourceString<mlir::ModuleOp>(
        "func.func @main(%a: " + type + ") {\n" + body + "\nreturn }",
        &context);
    EXPECT_TRUE(module);
    if (!module)
      return {};
    return costOfCollectives(*module, mesh, devices);
  }

  const std::string gather =
      R"(%0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64,
           replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>}>
           : (tensor<4xf32>) -> tensor<8xf32>)";

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Mesh mesh = Mesh({{"x", 4}, {"y", 2}});
};

TEST_F(CollectiveCostTest, AllGatherSendsAllButItsOwnPart) {
  CollectiveCost cost = costOf("tensor<4xf32>", gather);
  ASSERT_EQ(cost.uses.size(), 1u);
  EXPECT_EQ(cost.uses[0].kind, "all_gather");
  EXPECT_EQ(cost.uses[0].axes, "\"y\"");
  EXPECT_EQ(cost.uses[0].bytes, 16); // 1/2 of 32 bytes
}

TEST_F(CollectiveCostTest, AllReduceOverAllDevices) {
  CollectiveCost cost = costOf("tensor<4xf32>", R"(
    %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0,1,2,3,4,5,6,7]]> : tensor<1x8xi64>}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %s = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>)");
  ASSERT_EQ(cost.uses.size(), 1u);
  EXPECT_EQ(cost.uses[0].axes, "\"x\", \"y\"");
  EXPECT_EQ(cost.totalBytes(), 2 * 7.0 / 8 * 16);
}

TEST_F(CollectiveCostTest, PermuteCountsDevicesThatSendToAnother) {
  CollectiveCost cost = costOf("tensor<4xf32>", R"(
    %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs =
      dense<[[0, 0], [1, 2], [2, 1]]> : tensor<3x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>)");
  EXPECT_EQ(cost.totalBytes(), 16 * 2.0 / 8);
}

std::string loop(const std::string &direction, int start, int bound, int step,
                 const std::string &body) {
  return "%i = stablehlo.constant dense<" + std::to_string(start) +
         "> : tensor<i32>\n%n = stablehlo.constant dense<" +
         std::to_string(bound) + "> : tensor<i32>\n" + R"(
    %r = stablehlo.while(%k = %i) : tensor<i32> cond {
      %p = stablehlo.compare )" +
         direction + R"(, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<)" +
         std::to_string(step) + "> : tensor<i32>\n" + body + R"(
      %next = stablehlo.add %k, %one : tensor<i32>
      stablehlo.return %next : tensor<i32>
    })";
}

TEST_F(CollectiveCostTest, LoopCountsItsTrips) {
  CollectiveCost cost = costOf("tensor<4xf32>", loop("LT", 0, 12, 1, gather));
  EXPECT_FALSE(cost.unknownTripCount);
  ASSERT_EQ(cost.uses.size(), 1u);
  EXPECT_EQ(cost.uses[0].executions, 12);
  EXPECT_EQ(cost.totalBytes(), 12 * 16);
}

TEST_F(CollectiveCostTest, TripCountsByDirectionAndStep) {
  struct {
    const char *direction;
    int start, bound, step, trips;
  } cases[] = {{"LT", 0, 10, 3, 4}, {"LE", 0, 9, 3, 4}, {"GT", 10, 0, -3, 4},
               {"GE", 9, 0, -3, 4}, {"NE", 2, 8, 2, 3}, {"LT", 5, 5, 1, 0},
               {"LT", 7, 5, 1, 0},  {"NE", 8, 2, -2, 3}};
  for (auto c : cases) {
    CollectiveCost cost = costOf(
        "tensor<4xf32>", loop(c.direction, c.start, c.bound, c.step, gather));
    EXPECT_FALSE(cost.unknownTripCount);
    EXPECT_EQ(cost.totalBytes(), c.trips * 16)
        << c.direction << " " << c.start << " " << c.bound << " " << c.step;
  }
}

TEST_F(CollectiveCostTest, EndlessOrUncountableLoopCountsOnce) {
  for (std::string body :
       {loop("NE", 0, 7, 2, gather), loop("LT", 0, 7, -1, gather)}) {
    CollectiveCost cost = costOf("tensor<4xf32>", body);
    EXPECT_TRUE(cost.unknownTripCount);
    EXPECT_EQ(cost.totalBytes(), 16);
  }
}

TEST_F(CollectiveCostTest, ConditionalCountsItsCostliestBranch) {
  CollectiveCost cost = costOf("tensor<4xf32>", R"(
    %i = stablehlo.constant dense<0> : tensor<i32>
    "stablehlo.case"(%i) ({ stablehlo.return }, {)" +
                                                    gather + R"(
      stablehlo.return }) : (tensor<i32>) -> ())");
  EXPECT_EQ(cost.totalBytes(), 16);
}

RC_GTEST_PROP(AxesOfGroups, NamesWhatMadeTheGroups, ()) {
  llvm::SmallVector<MeshAxis, 4> axes;
  int64_t n = *rc::gen::inRange<int64_t>(1, 4);
  for (int64_t i = 0; i < n; ++i)
    axes.push_back({std::string(1, char('a' + i)),
                    *rc::gen::element<int64_t>(2, 3, 4, 6, 8)});
  Mesh mesh(axes);
  AxisList refs;
  for (int32_t i = 0; i < n; ++i) {
    int64_t size = mesh.axisSize(i);
    switch (*rc::gen::inRange(0, 3)) {
    case 0:
      break;
    case 1:
      refs.push_back(mesh.fullAxis(i));
      break;
    default:
      if (size % 2 == 0 && size > 2)
        refs.push_back(*rc::gen::arbitrary<bool>() ? AxisRef{i, 1, 2}
                                                   : AxisRef{i, size / 2, 2});
    }
  }
  if (refs.size() > 1 && *rc::gen::arbitrary<bool>())
    std::swap(refs.front(), refs.back());
  DeviceGroups groups = deviceGroups(mesh, refs);
  std::optional<AxisList> found =
      axesOfGroups(mesh, groups.ids, groups.groupSize);
  RC_ASSERT(found.has_value());
  RC_ASSERT(deviceGroups(mesh, *found).ids == groups.ids);
}

} // namespace
} // namespace shardwright
