//===- program_model_test.cc - classes of values and ops ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/problem/parse_test_util.h"
#include "shardwright/auto/search/planned_plans.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace shardwright;

namespace {

class ProgramModelTest : public test::ParseTest {
protected:
  ProgramModel read(const std::string &text) {
    OwningOpRef<ModuleOp> module = parse(text);
    FailureOr<AutoProblem> problem = readProblem(*module, {});
    EXPECT_TRUE(succeeded(problem));
    return Planner(plannerInput(*module, *problem), machine).getModel();
  }

  MachineModel machine;
};

/// `layers` layers that JAX unrolled: their matrices are slices of one array,
/// and what they write is concatenated. `calls`: each layer is a call.
std::string stack(int layers, bool calls) {
  std::string n = std::to_string(layers), body;
  auto dot = [](const std::string &to, const std::string &x,
                const std::string &w) {
    return "  " + to + " = stablehlo.dot_general " + x + ", " + w +
           ", contracting_dims = [1] x [0] : (tensor<8x16xf32>, "
           "tensor<16x16xf32>) -> tensor<8x16xf32>\n";
  };
  auto layer = [&](const std::string &x, const std::string &w,
                   const std::string &p) {
    return dot(p + "0", x, w) + "  " + p + "1 = stablehlo.tanh " + p +
           "0 : tensor<8x16xf32>\n" + dot(p + "2", p + "1", w) + "  " + p +
           "3 = stablehlo.negate " + p + "2 : tensor<8x16xf32>\n" +
           dot(p + "4", p + "3", w) + "  " + p + "5 = stablehlo.add " + p +
           "4, " + x + " : tensor<8x16xf32>\n";
  };
  std::string x = "%x", pieces, types;
  for (int i = 0; i < layers; ++i) {
    std::string l = std::to_string(i), w = "%w" + l, p = "%l" + l + "_";
    body += "  %s" + l + " = stablehlo.slice %w [" + l + ":" +
            std::to_string(i + 1) + ", 0:16, 0:16] : (tensor<" + n +
            "x16x16xf32>) -> tensor<1x16x16xf32>\n  " + w +
            " = stablehlo.reshape %s" + l +
            " : (tensor<1x16x16xf32>) -> tensor<16x16xf32>\n";
    std::string out = p + (calls ? "r" : "5");
    body += calls ? "  " + out + " = call @layer(" + x + ", " + w +
                        ") : (tensor<8x16xf32>, tensor<16x16xf32>) -> "
                        "tensor<8x16xf32>\n"
                  : layer(x, w, p);
    x = out;
    body += "  %p" + l + " = stablehlo.reshape " + x +
            " : (tensor<8x16xf32>) -> tensor<1x8x16xf32>\n";
    pieces += (i ? ", %p" : "%p") + l;
    types += std::string(i ? ", " : "") + "tensor<1x8x16xf32>";
  }
  std::string text = "sdy.mesh @mesh = <[\"a\"=2]>\nfunc.func @main(%x: "
                     "tensor<8x16xf32>, %w: tensor<" +
                     n + "x16x16xf32>) -> tensor<" + n + "x8x16xf32> {\n" +
                     body + "  %all = stablehlo.concatenate " + pieces +
                     ", dim = 0 : (" + types + ") -> tensor<" + n +
                     "x8x16xf32>\n  return %all : tensor<" + n +
                     "x8x16xf32>\n}\n";
  if (calls)
    text += "func.func private @layer(%x: tensor<8x16xf32>, %w: "
            "tensor<16x16xf32>) -> tensor<8x16xf32> {\n" +
            layer("%x", "%w", "%") + "  return %5 : tensor<8x16xf32>\n}\n";
  return text;
}

} // namespace

TEST_F(ProgramModelTest, DoesNotGrowWithTheDepth) {
  for (bool calls : {false, true}) {
    ProgramModel few = read(stack(10, calls)), many = read(stack(40, calls));
    // Layers that end or begin the stack have other neighbours.
    EXPECT_EQ(few.ops.size(), many.ops.size()) << calls;
    EXPECT_EQ(few.values.size(), many.values.size()) << calls;
    EXPECT_LT(many.ops.size(), 60u) << calls;
    EXPECT_GT(many.numOps, 3 * few.numOps);
  }
}

TEST_F(ProgramModelTest, ReadsCallsAsIfTheyWereInlined) {
  ProgramModel called = read(stack(8, true)), inlined = read(stack(8, false));
  EXPECT_EQ(called.ops.size(), inlined.ops.size());
  EXPECT_EQ(called.values.size(), inlined.values.size());
  double calledRuns = 0, inlinedRuns = 0;
  for (const OpClass &op : called.ops)
    calledRuns += op.count;
  for (const OpClass &op : inlined.ops)
    inlinedRuns += op.count;
  EXPECT_EQ(calledRuns, inlinedRuns);
}

TEST_F(ProgramModelTest, TellsCallsInOtherSurroundingsApart) {
  // One result is summed, the other is returned.
  ProgramModel model = read(R"(
sdy.mesh @mesh = <["a"=2]>
func.func @main(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = call @f(%x) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = call @f(%y) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
  return %0, %2 : tensor<8x16xf32>, tensor<8xf32>
}
func.func private @f(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.tanh %x : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
})");
  EXPECT_EQ(model.ops.size(), 3u);
}
