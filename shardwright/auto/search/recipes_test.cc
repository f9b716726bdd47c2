//===- recipes_test.cc - layouts that people use --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/search/recipes.h"

#include "shardwright/auto/problem/colours.h"
#include "shardwright/auto/problem/parse_test_util.h"
#include "shardwright/dialect/sdy/sharding_access.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <gtest/gtest.h>

#include <set>

using namespace mlir;
using namespace shardwright;

namespace {

class RecipesTest : public test::ParseTest {};

/// Attention with a matrix each for queries, keys, values and the output, whose
/// rows and columns have one size, and a step that scales all by one constant.
constexpr llvm::StringLiteral kHeads(R"(
sdy.mesh @mesh = <["data"=2, "model"=4]>
func.func @main(%x: tensor<2x8x16xf32>, %q: tensor<16x16xf32>, %k: tensor<16x16xf32>,
                %v: tensor<16x16xf32>, %o: tensor<16x16xf32>)
    -> (tensor<2x8x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>) {
  %q0 = stablehlo.dot_general %x, %q, contracting_dims = [2] x [0]
      : (tensor<2x8x16xf32>, tensor<16x16xf32>) -> tensor<2x8x16xf32>
  %k0 = stablehlo.dot_general %x, %k, contracting_dims = [2] x [0]
      : (tensor<2x8x16xf32>, tensor<16x16xf32>) -> tensor<2x8x16xf32>
  %v0 = stablehlo.dot_general %x, %v, contracting_dims = [2] x [0]
      : (tensor<2x8x16xf32>, tensor<16x16xf32>) -> tensor<2x8x16xf32>
  %q1 = stablehlo.reshape %q0 : (tensor<2x8x16xf32>) -> tensor<2x8x4x4xf32>
  %k1 = stablehlo.reshape %k0 : (tensor<2x8x16xf32>) -> tensor<2x8x4x4xf32>
  %v1 = stablehlo.reshape %v0 : (tensor<2x8x16xf32>) -> tensor<2x8x4x4xf32>
  %s = stablehlo.dot_general %q1, %k1, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3]
      : (tensor<2x8x4x4xf32>, tensor<2x8x4x4xf32>) -> tensor<2x4x8x8xf32>
  %a = stablehlo.dot_general %s, %v1, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1]
      : (tensor<2x4x8x8xf32>, tensor<2x8x4x4xf32>) -> tensor<2x4x8x4xf32>
  %b = stablehlo.transpose %a, dims = [0, 2, 1, 3] : (tensor<2x4x8x4xf32>) -> tensor<2x8x4x4xf32>
  %c = stablehlo.reshape %b : (tensor<2x8x4x4xf32>) -> tensor<2x8x16xf32>
  %d = stablehlo.dot_general %c, %o, contracting_dims = [2] x [0]
      : (tensor<2x8x16xf32>, tensor<16x16xf32>) -> tensor<2x8x16xf32>
  %y = stablehlo.add %x, %d : tensor<2x8x16xf32>
  %rate = stablehlo.constant dense<5.000000e-01> : tensor<16x16xf32>
  %q2 = stablehlo.multiply %q, %rate : tensor<16x16xf32>
  %o2 = stablehlo.multiply %o, %rate : tensor<16x16xf32>
  return %y, %q2, %o2 : tensor<2x8x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
})");

/// The class of argument `index`.
int32_t classOf(const AutoProblem &problem, int32_t index) {
  for (auto [c, cls] : llvm::enumerate(problem.classes))
    for (const Site &site : cls.sites)
      if (site.kind == Site::Kind::Argument && site.index == index)
        return int32_t(c);
  return -1;
}

/// The dimension of axis `axis` in argument `index`.
int32_t dimOf(const AutoProblem &problem, const Plan &plan, int32_t axis,
              int32_t index) {
  return plan.of(classOf(problem, index)).dimOf[axis];
}

std::vector<int32_t> dimsOf(const AutoProblem &problem, const Plan &plan,
                            int32_t axis, int32_t numArguments) {
  std::vector<int32_t> dims;
  for (int32_t i = 0; i < numArguments; ++i)
    dims.push_back(dimOf(problem, plan, axis, i));
  return dims;
}

TEST_F(RecipesTest, ASharedConstantJoinsNoColours) {
  OwningOpRef<ModuleOp> module = parse(kHeads);
  ASSERT_TRUE(module);
  func::FuncOp main = sdy::getMainFunc(*module);
  Colours colours(*module);
  auto of = [&](unsigned argument, int64_t dim) {
    return colours.of(main.getArgument(argument), dim);
  };
  // The constant multiplies rows of q and of o.
  EXPECT_NE(of(1, 0), of(1, 1));
  EXPECT_EQ(of(1, 1), of(2, 1));
  EXPECT_EQ(of(1, 1), of(4, 0));
  EXPECT_EQ(of(1, 0), of(4, 1));
}

TEST_F(RecipesTest, AnExpandedScalarJoinsNoColours) {
  OwningOpRef<ModuleOp> module = parse(R"(
func.func @main(%r: tensor<f32>, %a: tensor<4x4xf32>, %b: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = stablehlo.broadcast_in_dim %r, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
  %1 = stablehlo.negate %a : tensor<4x4xf32>
  %2 = stablehlo.multiply %a, %0 : tensor<4x4xf32>
  %3 = stablehlo.multiply %b, %0 : tensor<4x4xf32>
  return %2, %3 : tensor<4x4xf32>, tensor<4x4xf32>
})");
  ASSERT_TRUE(module);
  func::FuncOp main = sdy::getMainFunc(*module);
  Colours colours(*module);
  EXPECT_NE(colours.of(main.getArgument(1), 0),
            colours.of(main.getArgument(2), 0));
}

TEST_F(RecipesTest, SeveralCallsOfAFunctionAreApart) {
  OwningOpRef<ModuleOp> module = parse(R"(
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %0 = func.call @outer(%a) : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %1 = func.call @inner(%b) : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return %0, %1 : tensor<8x4xf32>, tensor<8x4xf32>
}
func.func private @outer(%a: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %0 = func.call @inner(%a) : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
func.func private @inner(%a: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
})");
  ASSERT_TRUE(module);
  func::FuncOp main = sdy::getMainFunc(*module);
  Operation *end = main.getBody().front().getTerminator();
  Colours colours(*module);
  for (unsigned i : {0, 1})
    for (int64_t dim : {0, 1})
      EXPECT_EQ(colours.of(main.getArgument(i), dim),
                colours.of(end->getOperand(i), 1 - dim));
  EXPECT_NE(colours.of(main.getArgument(0), 0),
            colours.of(main.getArgument(1), 0));
  EXPECT_NE(colours.of(main.getArgument(0), 1),
            colours.of(main.getArgument(0), 0));
}

TEST_F(RecipesTest, SeparateMatricesOfHeadsAreSplitTogether) {
  OwningOpRef<ModuleOp> module = parse(kHeads);
  FailureOr<AutoProblem> problem = readProblem(*module, {});
  ASSERT_TRUE(succeeded(problem));
  // The batch on one axis; heads, and no positions, on the other.
  EXPECT_TRUE(llvm::any_of(recipes(*problem, true), [&](const Recipe &recipe) {
    return dimsOf(*problem, recipe.plan, 0, 5) ==
               std::vector<int32_t>{0, -1, -1, -1, -1} &&
           dimsOf(*problem, recipe.plan, 1, 5) ==
               std::vector<int32_t>{-1, 1, 1, 1, 0};
  }));
}

TEST_F(RecipesTest, PositionsAreDividedBetweenProductsOfHeads) {
  OwningOpRef<ModuleOp> module = parse(kHeads);
  FailureOr<AutoProblem> problem = readProblem(*module, {});
  ASSERT_TRUE(succeeded(problem));
  auto innerDim = [&](const Plan &plan, int32_t like) {
    // Inner values of x's type that have colour `like` in the last dimension.
    std::set<int32_t> dims;
    for (auto [c, cls] : llvm::enumerate(problem->classes))
      if (cls.kind() == Site::Kind::Inner && cls.type.getRank() == 3 &&
          cls.colours[2] == like)
        dims.insert(plan.of(c).dimOf[1]);
    return dims;
  };
  int32_t heads = problem->classes[classOf(*problem, 1)].colours[1];
  int32_t columns = problem->classes[classOf(*problem, 0)].colours[2];
  ASSERT_NE(heads, columns);
  auto isSequence = [&](const Recipe &recipe) {
    return dimsOf(*problem, recipe.plan, 1, 5) ==
               std::vector<int32_t>{1, 1, 1, 1, 0} &&
           innerDim(recipe.plan, heads) == std::set<int32_t>{2} &&
           innerDim(recipe.plan, columns) == std::set<int32_t>{1};
  };
  EXPECT_TRUE(llvm::any_of(recipes(*problem, false), isSequence));
  // PartitionSpecs of arguments and results cannot say it.
  for (const Recipe &recipe : recipes(*problem, true))
    EXPECT_FALSE(recipe.plan.usesInner(*problem)) << recipe.name;
}

TEST_F(RecipesTest, AxesOfOneKindAreTriedInOneOrder) {
  OwningOpRef<ModuleOp> module = parse(kHeads);
  FailureOr<AutoProblem> problem = readProblem(*module, {});
  ASSERT_TRUE(succeeded(problem));
  std::vector<Recipe> all = recipes(*problem, true);
  problem->axisKinds = {0, 1};
  EXPECT_EQ(recipes(*problem, true).size(), all.size());
  problem->axisKinds = {0, 0};
  std::vector<Recipe> some = recipes(*problem, true);
  EXPECT_LT(some.size(), all.size());
  // Each that is left out is one of the others with its axes exchanged.
  auto dims = [&](const Recipe &recipe) {
    std::multiset<std::vector<int32_t>> axes;
    for (int32_t axis : {0, 1})
      axes.insert(dimsOf(*problem, recipe.plan, axis, 5));
    return axes;
  };
  std::set<std::multiset<std::vector<int32_t>>> seen;
  for (const Recipe &recipe : some)
    EXPECT_TRUE(seen.insert(dims(recipe)).second) << recipe.name;
  for (const Recipe &recipe : all)
    EXPECT_TRUE(seen.contains(dims(recipe))) << recipe.name;
}

TEST_F(RecipesTest, StateOnAnAxisOfTheDataLeavesInnerValuesToTheData) {
  OwningOpRef<ModuleOp> module = parse(R"(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<8x4xf32> loc("x"), %w: tensor<4x16xf32> loc("p['w']"))
    -> (tensor<8x16xf32> {jax.result_info = "result[1]"},
        tensor<4x16xf32> {jax.result_info = "result[0]['w']"}) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.negate %w : tensor<4x16xf32>
  return %0, %1 : tensor<8x16xf32>, tensor<4x16xf32>
})");
  FailureOr<AutoProblem> problem = readProblem(*module, {});
  ASSERT_TRUE(succeeded(problem));
  ASSERT_TRUE(problem->classes[1].isState);
  auto isInside = [&](const Recipe &recipe) {
    if (dimsOf(*problem, recipe.plan, 0, 2) != std::vector<int32_t>{0, 1})
      return false;
    for (auto [c, cls] : llvm::enumerate(problem->classes))
      if (cls.kind() == Site::Kind::Inner && recipe.plan.of(c).dimOf[0] != 0)
        return false;
    return recipe.plan.usesInner(*problem);
  };
  EXPECT_TRUE(llvm::any_of(recipes(*problem, false), isInside));
}

TEST_F(RecipesTest, AColourThatAValueHasTwiceIsTriedInBothDimensions) {
  // States that follow each other: both dimensions of t are states.
  OwningOpRef<ModuleOp> module = parse(R"(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%p: tensor<8x4xf32>, %t: tensor<4x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %p, %t, contracting_dims = [1] x [0]
      : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.add %0, %p : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
})");
  FailureOr<AutoProblem> problem = readProblem(*module, {});
  ASSERT_TRUE(succeeded(problem));
  ASSERT_EQ(problem->classes[1].colours[0], problem->classes[1].colours[1]);
  std::set<std::vector<int32_t>> found;
  for (const Recipe &recipe : recipes(*problem, false))
    found.insert(dimsOf(*problem, recipe.plan, 0, 2));
  EXPECT_TRUE(found.contains({1, 0}));
  EXPECT_TRUE(found.contains({1, 1}));
}

} // namespace
