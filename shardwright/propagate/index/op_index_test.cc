//===- op_index_test.cc - unit tests of op_index.h ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/index/op_index.h"

#include "shardwright/propagate/index/op_map.h"
#include "shardwright/propagate/index/parse_test_util.h"

using namespace mlir;
using namespace shardwright;

namespace {

using OpIndexTest = test::ParseTest;

constexpr const char *kProgram = R"(
func.func @main(%p: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %a = stablehlo.negate %x : tensor<4xf32>
  %b = "stablehlo.case"(%p) ({
    %c = "stablehlo.case"(%p) ({
      %d = stablehlo.abs %a {tag} : tensor<4xf32>
      stablehlo.return %d : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    %e = stablehlo.negate %c {tag} : tensor<4xf32>
    stablehlo.return %e : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}
func.func private @other(%p: tensor<i32>) -> tensor<i32> {
  %a = stablehlo.negate %p : tensor<i32>
  return %a : tensor<i32>
}
)";

TEST_F(OpIndexTest, GivesOpsInTheOrderOfWalks) {
  OwningOpRef<ModuleOp> module = parse(kProgram);
  ASSERT_TRUE(module);
  OpIndex index(*module);
  const auto &wanted =
      isNamed<stablehlo::NegOp, stablehlo::AbsOp, stablehlo::CaseOp>;
  auto walked = [&](Operation *root, auto order) {
    OpIndex::Ops ops;
    root->walk<decltype(order)::value>([&](Operation *op) {
      if (wanted(op->getName()))
        ops.push_back(op);
    });
    return ops;
  };
  std::integral_constant<WalkOrder, WalkOrder::PreOrder> pre;
  std::integral_constant<WalkOrder, WalkOrder::PostOrder> post;
  EXPECT_EQ(index.inOrder(wanted), walked(*module, pre));
  EXPECT_EQ(index.postOrder(wanted), walked(*module, post));
  for (auto func : module->getOps<func::FuncOp>()) {
    EXPECT_EQ(index.inFunction(func, wanted), walked(func, post));
    EXPECT_EQ(OpIndex(func).inFunction(func, wanted), walked(func, post));
  }
  OpIndex::Ops ops;
  auto funcs = index.byFunction(wanted, ops);
  EXPECT_EQ(ops, walked(*module, pre));
  ASSERT_EQ(funcs.size(), 2u);
  for (auto [func, begin, end] : funcs)
    EXPECT_EQ(ArrayRef(ops).slice(begin, end - begin),
              ArrayRef(walked(func, pre)));
  EXPECT_EQ(index.topLevel(),
            ArrayRef<Operation *>(
                {funcs[0].func.getOperation(), funcs[1].func.getOperation()}));
  // The cases and the elementwise ops.
  EXPECT_EQ(index.unary().size(), 6u);
  EXPECT_EQ(index.dictionaries().size(), 1u);
}

TEST_F(OpIndexTest, ForgetsWhatWasErased) {
  OwningOpRef<ModuleOp> module = parse(kProgram);
  ASSERT_TRUE(module);
  OpIndex index(*module);
  EXPECT_TRUE(index.has(isNamed<stablehlo::AbsOp>));
  EXPECT_FALSE(index.has(isNamed<stablehlo::AddOp>));
  index.forget(isNamed<stablehlo::AbsOp>);
  // Other ops of that name may exist.
  EXPECT_TRUE(index.inOrder(isNamed<stablehlo::AbsOp>).empty());
  EXPECT_TRUE(index.has(isNamed<stablehlo::AbsOp>));
  EXPECT_TRUE(index.has(isNamed<stablehlo::NegOp>));
  index.forgetOps();
  EXPECT_TRUE(index.inOrder(isNamed<stablehlo::NegOp>).empty());
  EXPECT_TRUE(index.has(isNamed<stablehlo::NegOp>));
  EXPECT_EQ(index.dictionaries().size(), 1u);
}

TEST_F(OpIndexTest, MapsOpsToNumbers) {
  OwningOpRef<ModuleOp> module = parse(kProgram);
  ASSERT_TRUE(module);
  OpMap<int> numbers;
  int count = 0;
  module->walk([&](Operation *op) { numbers[op] = ++count; });
  int next = 0;
  module->walk([&](Operation *op) { EXPECT_EQ(numbers.lookup(op), ++next); });
  OwningOpRef<ModuleOp> other = parse(kProgram);
  EXPECT_EQ(OpMap<int>().lookup(*other), 0);
}

} // namespace
