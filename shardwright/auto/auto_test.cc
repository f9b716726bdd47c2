//===- auto_test.cc - what a search can decide ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/axis_roles.h"
#include "shardwright/auto/mesh_shapes.h"
#include "shardwright/auto/problem/colours.h"
#include "shardwright/auto/problem/parse_test_util.h"
#include "shardwright/auto/problem/plan.h"
#include "shardwright/auto/problem/signatures.h"
#include "shardwright/auto/search/recipes.h"
#include "shardwright/dialect/sdy/sharding_access.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

using namespace mlir;
using namespace shardwright;

namespace {

class AutoTest : public test::ParseTest {};

/// Two equal layers of a training step, whose state has its name in results.
constexpr llvm::StringLiteral kLayers(R"(
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%x: tensor<8x16xf32> loc("x"),
                %w0: tensor<16x16xf32> loc("params[0]['w']"),
                %w1: tensor<16x16xf32> loc("params[1]['w']"))
    -> (tensor<16x16xf32> {jax.result_info = "result[0][0]['w']"},
        tensor<16x16xf32> {jax.result_info = "result[0][1]['w']"},
        tensor<8x16xf32> {jax.result_info = "result[1]"}) {
  %0 = stablehlo.dot_general %x, %w0, contracting_dims = [1] x [0]
      : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.tanh %0 : tensor<8x16xf32>
  %2 = stablehlo.dot_general %1, %w1, contracting_dims = [1] x [0]
      : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %3 = stablehlo.tanh %2 : tensor<8x16xf32>
  %4 = stablehlo.negate %w0 : tensor<16x16xf32>
  %5 = stablehlo.negate %w1 : tensor<16x16xf32>
  return %4, %5, %3
      : tensor<16x16xf32>, tensor<16x16xf32>, tensor<8x16xf32>
})");

TEST_F(AutoTest, ColoursJoinDimensionsThatAreShardedAlike) {
  OwningOpRef<ModuleOp> module = parse(kLayers);
  func::FuncOp main = sdy::getMainFunc(*module);
  Colours colours(*module);
  auto of = [&](unsigned argument, int64_t dim) {
    return colours.of(main.getArgument(argument), dim);
  };
  // The batch is of no weight, the columns of w0 are the rows of w1.
  EXPECT_NE(of(0, 0), of(1, 0));
  EXPECT_EQ(of(0, 1), of(1, 0));
  EXPECT_EQ(of(1, 1), of(2, 0));
  EXPECT_NE(of(1, 0), of(1, 1));
}

TEST_F(AutoTest, ColoursFlowThroughLoopsAndCalls) {
  OwningOpRef<ModuleOp> module = parse(R"(
func.func @main(%x: tensor<4x8xf32>, %n: tensor<i32>) -> tensor<8x4xf32> {
  %r:2 = stablehlo.while(%i = %n, %a = %x) : tensor<i32>, tensor<4x8xf32>
  cond {
    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %b = func.call @f(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    stablehlo.return %i, %b : tensor<i32>, tensor<4x8xf32>
  }
  %t = stablehlo.transpose %r#1, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return %t : tensor<8x4xf32>
}
func.func private @f(%y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %z = stablehlo.negate %y : tensor<4x8xf32>
  return %z : tensor<4x8xf32>
})");
  func::FuncOp main = sdy::getMainFunc(*module);
  auto f = module->lookupSymbol<func::FuncOp>("f");
  Value transposed = main.getBody().front().getTerminator()->getOperand(0);
  Colours colours(*module);
  for (int64_t dim = 0; dim < 2; ++dim) {
    int32_t colour = colours.of(main.getArgument(0), dim);
    EXPECT_EQ(colour, colours.of(f.getArgument(0), dim));
    EXPECT_EQ(colour, colours.of(transposed, 1 - dim));
  }
  EXPECT_NE(colours.of(transposed, 0), colours.of(transposed, 1));
}

TEST_F(AutoTest, EqualLayersAreOneClass) {
  // Seven layers: those in the middle have equal neighbours.
  std::string text = "sdy.mesh @mesh = <[\"x\"=2]>\nfunc.func @main(%v0: "
                     "tensor<8x16xf32>";
  for (int i = 0; i < 12; ++i)
    text += ", %w" + std::to_string(i) + ": tensor<16x16xf32>";
  text += ") -> tensor<8x16xf32> {\n";
  for (int i = 0; i < 12; ++i)
    text += "  %v" + std::to_string(i + 1) + " = stablehlo.dot_general %v" +
            std::to_string(i) + ", %w" + std::to_string(i) +
            ", contracting_dims = [1] x [0] : (tensor<8x16xf32>, "
            "tensor<16x16xf32>) -> tensor<8x16xf32>\n";
  text += "  return %v12 : tensor<8x16xf32>\n}\n";
  OwningOpRef<ModuleOp> module = parse(text);
  FailureOr<AutoProblem> problem = readProblem(*module, {});
  ASSERT_TRUE(succeeded(problem));
  size_t largest = 0;
  for (const SiteClass &cls : problem->classes)
    if (cls.kind() == Site::Kind::Argument)
      largest = std::max(largest, cls.sites.size());
  EXPECT_GE(largest, 6u);
}

TEST_F(AutoTest, StateIsPairedByName) {
  OwningOpRef<ModuleOp> module = parse(kLayers);
  FailureOr<std::vector<int32_t>> pairs = pairResults(*module, {});
  ASSERT_TRUE(succeeded(pairs));
  EXPECT_EQ(*pairs, (std::vector<int32_t>{1, 2, -1}));
  pairs = pairResults(*module, {StatePairs::None, {}});
  EXPECT_EQ(*pairs, (std::vector<int32_t>{-1, -1, -1}));
  pairs = pairResults(*module, {StatePairs::None, {{0, 2}}});
  EXPECT_EQ(*pairs, (std::vector<int32_t>{2, -1, -1}));
}

TEST_F(AutoTest, StateIsPairedByNameWhereEachParameterHasATuple) {
  // Two parameters with a moment each: result[i][j] replaces p[i] or m[i].
  OwningOpRef<ModuleOp> module = parse(R"(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%p0: tensor<8x4xf32> loc("p[0]"), %p1: tensor<4x4xf32> loc("p[1]"),
                %p2: tensor<4x4xf32> loc("p[2]['b']"), %m0: tensor<8x4xf32> loc("m[0]"),
                %m1: tensor<4x4xf32> loc("m[1]"), %m2: tensor<4x4xf32> loc("m[2]['b']"))
    -> (tensor<8x4xf32> {jax.result_info = "result[0][0]"},
        tensor<8x4xf32> {jax.result_info = "result[0][1]"},
        tensor<4x4xf32> {jax.result_info = "result[1][0]"},
        tensor<4x4xf32> {jax.result_info = "result[1][1]"},
        tensor<4x4xf32> {jax.result_info = "result[2]['b'][0]"},
        tensor<4x4xf32> {jax.result_info = "result[2]['b'][1]"}) {
  return %p0, %m0, %p1, %m1, %p2, %m2 : tensor<8x4xf32>, tensor<8x4xf32>,
      tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
})");
  FailureOr<std::vector<int32_t>> pairs = pairResults(*module, {});
  ASSERT_TRUE(succeeded(pairs));
  EXPECT_EQ(*pairs, (std::vector<int32_t>{0, 3, 1, 4, 2, 5}));
}

TEST_F(AutoTest, PairsThatDoNotFitAreRefused) {
  OwningOpRef<ModuleOp> module = parse(kLayers);
  std::string found;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    found = diagnostic.str();
    return success();
  });
  EXPECT_TRUE(failed(pairResults(*module, {StatePairs::None, {{9, 0}}})));
  EXPECT_NE(found.find("the pair 9=0"), std::string::npos) << found;
  EXPECT_TRUE(failed(pairResults(*module, {StatePairs::None, {{2, 1}}})));
  EXPECT_NE(found.find("cannot have the layout"), std::string::npos) << found;
}

TEST_F(AutoTest, PlansKeepWhatTheUserHasGiven) {
  OwningOpRef<ModuleOp> module = parse(R"(
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(
    %a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>},
    %b: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}], replicated={"y"}>},
    %c: tensor<6x16xf32>) -> tensor<8x16xf32> {
  return %a : tensor<8x16xf32>
})");
  FailureOr<AutoProblem> problem = readProblem(*module, {});
  ASSERT_TRUE(succeeded(problem));
  Plan plan(*problem);
  EXPECT_FALSE(plan.put(*problem, 0, 0, 1)); // x is in use
  EXPECT_FALSE(plan.put(*problem, 0, 1, 0)); // closed
  EXPECT_TRUE(plan.put(*problem, 0, 1, 1));
  EXPECT_EQ(str(plan.sharding(*problem, 0), problem->mesh),
            "[{\"x\"}, {\"y\"}]");
  EXPECT_FALSE(plan.put(*problem, 1, 1, 0)); // explicitly replicated
  EXPECT_TRUE(plan.put(*problem, 1, 0, 0));
  EXPECT_FALSE(plan.put(*problem, 2, 0, 0)); // 6 over 4
  EXPECT_TRUE(plan.put(*problem, 2, 1, 0));
  EXPECT_FALSE(plan.put(*problem, 2, 1, 0)); // already there
  std::string before = plan.key();
  EXPECT_TRUE(plan.put(*problem, 2, 1, -1));
  EXPECT_NE(before, plan.key());
}

TEST_F(AutoTest, ResultsOfOpsThatCommunicateAreSites) {
  OwningOpRef<ModuleOp> module = parse(R"(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8x16xf32>) -> tensor<8x8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.tanh %a : tensor<8x16xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
})");
  FailureOr<AutoProblem> problem = readProblem(*module, {});
  ASSERT_TRUE(succeeded(problem));
  std::vector<std::string> inner;
  for (const SiteClass &cls : problem->classes)
    if (cls.kind() == Site::Kind::Inner)
      inner.push_back(cls.sites.front()
                          .value.getDefiningOp()
                          ->getName()
                          .getStringRef()
                          .str());
  EXPECT_EQ(inner, std::vector<std::string>{"stablehlo.reduce"});
}

TEST_F(AutoTest, RecipesAreDistinctAndBeginReplicated) {
  OwningOpRef<ModuleOp> module = parse(kLayers);
  FailureOr<AutoProblem> problem = readProblem(*module, {});
  ASSERT_TRUE(succeeded(problem));
  std::vector<Recipe> found = recipes(*problem, false);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().name, "replicated");
  std::set<std::string> keys;
  for (const Recipe &recipe : found)
    EXPECT_TRUE(keys.insert(recipe.plan.key()).second) << recipe.name;
  // The batch is the colour that no state has.
  std::vector<int32_t> batch = batchColours(*problem);
  ASSERT_EQ(batch.size(), 1u);
  EXPECT_EQ(batch[0], problem->classes[0].colours[0]);
}

std::vector<MeshShape> shapesOf(int64_t devices, const MachineModel &machine) {
  auto shapes = meshShapes(devices, machine);
  if (shapes)
    return std::move(*shapes);
  ADD_FAILURE() << llvm::toString(shapes.takeError());
  return {};
}

MachineModel machineOfLevels(std::vector<int64_t> sizes) {
  MachineModel machine;
  for (auto [i, size] : llvm::enumerate(sizes))
    machine.levels.push_back({"level" + std::to_string(i), size, LinkModel()});
  return machine;
}

TEST(MeshShapes, DifferInMoreThanTheOrderOfEqualLinks) {
  using Shapes = std::vector<MeshShape>;
  EXPECT_EQ(shapesOf(1, {}), (Shapes{{1}}));
  EXPECT_EQ(shapesOf(8, {}), (Shapes{{8}, {4, 2}, {2, 2, 2}}));
  // Of two levels, either may have two axes.
  EXPECT_EQ(shapesOf(16, machineOfLevels({4, 4})),
            (Shapes{{4, 4}, {4, 2, 2}, {2, 2, 4}}));
  // More levels than axes: one for each level.
  EXPECT_EQ(shapesOf(16, machineOfLevels({2, 2, 2, 2})),
            (Shapes{{2, 2, 2, 2}}));
  EXPECT_EQ(shapesOf(4, machineOfLevels({8, 2})), (Shapes{{4}, {2, 2}}));
  auto wrong = meshShapes(12, machineOfLevels({8, 2}));
  ASSERT_FALSE(bool(wrong));
  EXPECT_NE(llvm::toString(wrong.takeError()).find("up to 8, or a multiple"),
            std::string::npos);
}

TEST(AxisNames, AreThoseOfTheirUses) {
  using Names = std::vector<std::string>;
  AxisRoles none, data, model, expert, both;
  data.data = both.data = model.model = both.model = expert.expert = true;
  EXPECT_EQ(namesByRole({}), Names());
  EXPECT_EQ(namesByRole({model, data}), (Names{"model", "data"}));
  EXPECT_EQ(namesByRole({both, data}), (Names{"data", "a"}));
  EXPECT_EQ(namesByRole({data, both}), (Names{"data", "model"}));
  EXPECT_EQ(namesByRole({none, expert, none}), (Names{"a", "expert", "b"}));
}

TEST_F(AutoTest, TheBatchMeetsItselfInNoValue) {
  // The positions have more work than the batch.
  OwningOpRef<ModuleOp> module = parse(R"(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%q: tensor<4x8x16xf32>) -> tensor<4x8x16xf32> {
  %0 = stablehlo.dot_general %q, %q, batching_dims = [0] x [0], contracting_dims = [2] x [2]
      : (tensor<4x8x16xf32>, tensor<4x8x16xf32>) -> tensor<4x8x8xf32>
  %1 = stablehlo.dot_general %0, %q, batching_dims = [0] x [0], contracting_dims = [2] x [1]
      : (tensor<4x8x8xf32>, tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return %1 : tensor<4x8x16xf32>
})");
  FailureOr<AutoProblem> problem = readProblem(*module, {});
  ASSERT_TRUE(succeeded(problem));
  std::vector<int32_t> batch = batchColours(*problem);
  int32_t first = problem->classes[0].colours[0],
          second = problem->classes[0].colours[1];
  ASSERT_GE(batch.size(), 2u);
  EXPECT_GT(problem->colours[second].kept, problem->colours[first].kept);
  EXPECT_EQ(batch[0], first);
}

TEST_F(AutoTest, RecipesShardStateAlongOneAxisOfTheData) {
  OwningOpRef<ModuleOp> module = parse(kLayers);
  FailureOr<AutoProblem> problem = readProblem(*module, {});
  ASSERT_TRUE(succeeded(problem));
  std::set<std::vector<int>> found;
  for (const Recipe &recipe : recipes(*problem, false)) {
    const ClassPlan &x = recipe.plan.of(0), &w = recipe.plan.of(1);
    if (x.dimOf[0] == 0 && x.dimOf[1] == 0)
      found.insert({w.dimOf[0] >= 0, w.dimOf[1] >= 0});
  }
  // None, all, and each axis alone.
  EXPECT_EQ(found.size(), 4u);
}

RC_GTEST_PROP(MeshShapes, HaveAllDevices, ()) {
  int64_t devices = *rc::gen::inRange<int64_t>(1, 4097);
  std::set<std::vector<int64_t>> seen;
  std::vector<MeshShape> shapes = shapesOf(devices, {});
  for (const MeshShape &axes : shapes) {
    int64_t product = 1;
    std::vector<int64_t> sizes;
    for (int64_t size : axes) {
      RC_ASSERT((sizes.empty() || size <= sizes.back()));
      product *= size;
      sizes.push_back(size);
    }
    RC_ASSERT(product == devices);
    RC_ASSERT(sizes.size() <= 3u);
    RC_ASSERT(seen.insert(sizes).second);
  }
  RC_ASSERT(!seen.empty());
}

} // namespace
