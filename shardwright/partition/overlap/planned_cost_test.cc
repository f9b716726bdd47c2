//===- planned_cost_test.cc - planned costs of single ops -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the planner takes one op to cost, and what the predicted step of the
// program of one device counts for it, are the same number of seconds: of its
// collectives, and of its kernel if there are none.
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/insert/insert_collectives.h"
#include "shardwright/partition/localize/localize.h"
#include "shardwright/partition/overlap/step_time.h"
#include "shardwright/rules/rule_interface.h"
#include "shardwright/simplify/simplify.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace mlir;

namespace shardwright {
namespace {

struct Seconds {
  PlannedCost planned;
  StepTime predicted;
};

class PlannedCostTest : public testing::Test {
protected:
  PlannedCostTest() {
    DialectRegistry registry;
    registry.insert<func::FuncDialect, sdy::SdyDialect,
                    stablehlo::StablehloDialect>();
    registerShardingRules(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// `text`: a program for the mesh x=2, y=4.
  std::optional<Seconds> secondsOf(const std::string &text,
                                   const MachineModel &machine) {
    auto module = parseSourceString<ModuleOp>(
        "sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\n" + text, &context);
    Seconds seconds;
    PartitionOptions options;
    options.machine = machine;
    options.planned = &seconds.planned;
    if (!module || failed(insertCollectives(*module, options)) ||
        failed(localize(*module, machine)) || failed(simplify(*module)))
      return std::nullopt;
    seconds.predicted =
        predictStepTime(*module, Mesh({{"x", 2}, {"y", 4}}), machine);
    return seconds;
  }

  MLIRContext context;
};

/// A sharding of a matrix. Between any two of them there is at most one step;
/// the planner does not count the slices between steps.
std::string anySharding() {
  static const char *const dims[] = {R"([{}, {}])", R"([{"x", "y"}, {}])",
                                     R"([{}, {"x", "y"}])"};
  return dims[*rc::gen::inRange<size_t>(0, std::size(dims))];
}

MachineModel anyMachine() {
  MachineModel machine;
  machine.defaultFlopsPerSecond = *rc::gen::element(1e9, 1e12);
  machine.memoryBytesPerSecond = *rc::gen::element(1e9, 1e11);
  machine.operationSeconds = *rc::gen::element(0.0, 1e-6);
  machine.contractionSeconds = *rc::gen::element(0.0, 1e-6);
  machine.contractionColumns = *rc::gen::element(1.0, 4.0);
  machine.link.isShared = *rc::gen::arbitrary<bool>();
  machine.link = {*rc::gen::element(1e8, 1e10), *rc::gen::element(0.0, 1e-6),
                  *rc::gen::element(1, 2)};
  if (*rc::gen::arbitrary<bool>())
    machine.links["x"] = {1e7, 1e-5, 1};
  return machine;
}

RC_GTEST_FIXTURE_PROP(PlannedCostTest, OfAnOpIsItsPredictedTime, ()) {
  static const struct {
    const char *op, *second, *result;
  } kOps[] = {
      {"stablehlo.add %a, %b : tensor<64x64xf32>", "tensor<64x64xf32>",
       "tensor<64x64xf32>"},
      {"stablehlo.tanh %a : tensor<64x64xf32>", "tensor<64x64xf32>",
       "tensor<64x64xf32>"},
      {"stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
       "(tensor<64x64xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>",
       "tensor<64x32xf32>", "tensor<64x32xf32>"},
      {"stablehlo.transpose %a, dims = [1, 0] : (tensor<64x64xf32>) -> "
       "tensor<64x64xf32>",
       "tensor<64x64xf32>", "tensor<64x64xf32>"},
  };
  auto &op = kOps[*rc::gen::inRange<size_t>(0, std::size(kOps))];
  std::string a = anySharding(), b = anySharding(), r = anySharding();
  auto with = [](const std::string &type, const std::string &sharding) {
    return type + " {sdy.sharding = #sdy.sharding<@mesh, " + sharding + ">}";
  };
  std::string text = "func.func @main(%a: " + with("tensor<64x64xf32>", a) +
                     ", %b: " + with(op.second, b) + ") -> (" +
                     with(op.result, r) + ") {\n%0 = " + op.op +
                     " {sdy.sharding = #sdy.sharding_per_value<[<@mesh, " + r +
                     ">]>}\n";
  // Attributes come before the type.
  size_t type = text.rfind(" {sdy.sharding = #sdy.sharding_per_value");
  size_t colon = text.rfind(" : ", type);
  std::string attribute = text.substr(type, text.size() - type - 1);
  text = text.substr(0, colon) + attribute + text.substr(colon, type - colon) +
         "\nreturn %0 : " + op.result + "\n}\n";
  MachineModel machine = anyMachine();
  std::optional<Seconds> seconds = secondsOf(text, machine);
  RC_ASSERT(seconds.has_value());
  RC_LOG() << text << machine.json() << "planned " << seconds->planned.work
           << " + " << seconds->planned.communication << ", predicted "
           << seconds->predicted.compute << " + "
           << seconds->predicted.communication << "\n";
  // Gathers of both operands are joined, which saves the rounds of one.
  constexpr double kRounds = 3;
  double saved = kRounds * machine.linkOver({"x", "y"}).latencySeconds;
  double planned = seconds->planned.communication;
  double predicted = seconds->predicted.communication;
  RC_ASSERT(predicted <= planned * (1 + 1e-9));
  RC_ASSERT(planned <= (predicted + saved) * (1 + 1e-9));
  // The kernels beside collectives fuse in ways that the planner does not know.
  if (seconds->predicted.communication > 0)
    return;
  // A slice computes where it begins.
  double lookups =
      machine.memorySeconds(3 * 64) + 3 * 16 / machine.defaultFlopsPerSecond;
  RC_ASSERT(seconds->planned.work <= seconds->predicted.compute * (1 + 1e-9));
  RC_ASSERT(seconds->predicted.compute <=
            seconds->planned.work * (1 + 1e-9) + lookups);
}

/// A machine on which communication is all that matters.
MachineModel slowLinks() {
  MachineModel machine;
  machine.link = {1e8, 1e-5, 1};
  return machine;
}

TEST_F(PlannedCostTest, ExchangesOfHaloRowsCount) {
  // Each device but the first needs one row of the one before: the planner
  // counts the mean of the bytes.
  std::optional<Seconds> seconds = secondsOf(R"(
func.func @main(%a: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>})
    -> (tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %a, %z, low = [1, 0], high = [-1, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
})",
                                             slowLinks());
  ASSERT_TRUE(seconds.has_value());
  ASSERT_GT(seconds->predicted.communication, 0);
  EXPECT_NEAR(seconds->planned.communication / seconds->predicted.communication,
              1, 0.1);
}

TEST_F(PlannedCostTest, SumsThatLeaveALoopCountOnce) {
  // The loop adds up partial products, which are reduced after it.
  std::optional<Seconds> seconds = secondsOf(R"(
func.func @main(%a: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>},
                %b: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> tensor<64x64xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %z = stablehlo.constant dense<0.0> : tensor<64x64xf32>
  %r:2 = stablehlo.while(%i = %c, %s = %z) : tensor<i32>, tensor<64x64xf32>
  cond {
    %n = stablehlo.constant dense<10> : tensor<i32>
    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %f = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
    %w = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %x = stablehlo.multiply %w, %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : tensor<64x64xf32>
    %p = stablehlo.dot_general %x, %b, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %t = stablehlo.add %s, %p : tensor<64x64xf32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %t : tensor<i32>, tensor<64x64xf32>
  }
  return %r#1 : tensor<64x64xf32>
})",
                                             slowLinks());
  ASSERT_TRUE(seconds.has_value());
  ASSERT_GT(seconds->predicted.communication, 0);
  EXPECT_NEAR(seconds->planned.communication / seconds->predicted.communication,
              1, 0.05);
}

} // namespace
} // namespace shardwright
