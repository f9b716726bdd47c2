//===- in_place_test.cc - shardings found for a module in place -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/in_place.h"
#include "shardwright/auto/plan_inside.h"
#include "shardwright/auto/problem/parse_test_util.h"
#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/sdy/sharding_access.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace shardwright;

namespace {

/// Arithmetic is slow, so that sharding saves time on small programs.
MachineModel slowMachine() {
  MachineModel machine;
  machine.defaultFlopsPerSecond = 1e9;
  return machine;
}

class InPlaceTest : public test::ParseTest {
protected:
  /// The names of all ops in order.
  static std::vector<std::string> opsOf(ModuleOp module) {
    std::vector<std::string> names;
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      names.push_back(op->getName().getStringRef().str());
    });
    return names;
  }

  static double stepOf(ModuleOp module, const CompileOptions &options) {
    OwningOpRef<ModuleOp> copy = module.clone();
    CompileOptions local = options;
    local.stopAfter = Stage::Local;
    FailureOr<Compiled> compiled = compile(*copy, local);
    EXPECT_TRUE(succeeded(compiled));
    return succeeded(compiled) ? compiled->report.predicted.time.total() : -1;
  }
};

/// A loop whose body calls a function.
constexpr llvm::StringLiteral kLoop(R"(
sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<10> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %a = %x) : tensor<i32>, tensor<64x64xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %b = func.call @layer(%a, %w) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    stablehlo.return %next, %b : tensor<i32>, tensor<64x64xf32>
  }
  return %0#1 : tensor<64x64xf32>
}
func.func private @layer(%a: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = stablehlo.tanh %0 : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
})");

TEST_F(InPlaceTest, AddsShardingsAndChangesNoOp) {
  OwningOpRef<ModuleOp> module = parse(kLoop);
  std::vector<std::string> before = opsOf(*module);
  AutoOptions options;
  options.machine = slowMachine();
  ASSERT_TRUE(succeeded(autoShardInPlace(*module, options)));
  EXPECT_TRUE(succeeded(verify(*module)));
  EXPECT_EQ(opsOf(*module), before);
  func::FuncOp main = sdy::getMainFunc(*module);
  EXPECT_TRUE(sdy::getSharding(main.getArgument(0)));
  CompileOptions compile;
  compile.partition.machine = options.machine;
  EXPECT_LT(stepOf(*module, compile), 0.5 * stepOf(*parse(kLoop), compile));
}

// During propagation edges hold the shardings of what loops carry.
TEST_F(InPlaceTest, WritesShardingsOfLoopsToTheirEdges) {
  OwningOpRef<ModuleOp> module = parse(kLoop);
  auto whileOf = [](ModuleOp module) {
    Operation *found = nullptr;
    module.walk([&](Operation *op) {
      if (op->getName().stripDialect() == "while")
        found = op;
    });
    return found;
  };
  auto sharding = sdy::TensorShardingAttr::getFullyClosed(
      &context, 2, FlatSymbolRefAttr::get(&context, "mesh"));
  PassManager pm(&context);
  PropagateOptions propagation;
  int64_t dumpIndex = 0;
  addImportPipeline(pm, propagation, dumpIndex);
  pm.enableVerifier(false);
  OwningOpRef<ModuleOp> imported = module->clone();
  ASSERT_TRUE(succeeded(pm.run(*imported)));
  OwningOpRef<ModuleOp> source = imported->clone();
  std::vector<sdy::DataFlowEdgeOp> edges;
  source->walk([&](sdy::DataFlowEdgeOp edge) { edges.push_back(edge); });
  ASSERT_EQ(edges.size(), 2u);
  for (sdy::DataFlowEdgeOp edge : edges) {
    edge.getResult().replaceAllUsesWith(edge.getInput());
    edge.erase();
  }
  sdy::setSharding(whileOf(*source)->getResult(1), sharding);
  copyShardings(*source, *imported);
  int64_t numSharded = 0;
  imported->walk([&](sdy::DataFlowEdgeOp edge) {
    numSharded += edge.getShardingAttr() == sharding;
  });
  EXPECT_EQ(numSharded, 1);
  EXPECT_FALSE(whileOf(*imported)->hasAttr(sdy::kShardingAttr));
}

// What the hook adds is propagated and exported: every value of the loop and of
// the function that it calls has a sharding.
TEST_F(InPlaceTest, IsShardysHook) {
  OwningOpRef<ModuleOp> module = parse(kLoop);
  AutoOptions options;
  options.machine = slowMachine();
  PropagateOptions propagation;
  propagation.extraRules = true;
  propagation.insertReductions = false;
  propagation.addAutoPartitioner = [&](OpPassManager &pm,
                                       const PropagateOptions &mine) {
    EXPECT_TRUE(mine.extraRules);
    addAutoPartitioner(pm, options, mine);
  };
  ASSERT_TRUE(succeeded(propagate(*module, propagation)));
  int64_t numSharded = 0, numContractions = 0;
  module->walk([&](Operation *op) {
    EXPECT_FALSE(isa<sdy::DataFlowEdgeOp>(op));
    if (op->getName().stripDialect() != "dot_general")
      return;
    ++numContractions;
    auto sharding = sdy::getSharding(op->getResult(0));
    numSharded += sharding && !sharding.emptyAxes();
  });
  EXPECT_GT(numContractions, 0);
  EXPECT_EQ(numSharded, numContractions);
  // Without it nothing is sharded.
  OwningOpRef<ModuleOp> plain = parse(kLoop);
  propagation.addAutoPartitioner = nullptr;
  ASSERT_TRUE(succeeded(propagate(*plain, propagation)));
  plain->walk([&](Operation *op) {
    if (op->getName().stripDialect() == "dot_general")
      EXPECT_FALSE(sdy::getSharding(op->getResult(0)));
  });
}

/// The first products lie on no argument that is sharded.
constexpr llvm::StringLiteral kRepeated(R"(
sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
                %w: tensor<64x64xf32>) -> tensor<64x256xf32> {
  %0 = stablehlo.dot_general %w, %w, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = stablehlo.dot_general %1, %x, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  return %2 : tensor<64x256xf32>
})");

TEST_F(InPlaceTest, PlanInsideKeepsTheBorder) {
  CompileOptions options;
  options.partition.machine = slowMachine();
  options.partition.effort = Effort::Most;
  double greedy = stepOf(*parse(kRepeated), options);
  OwningOpRef<ModuleOp> module = parse(kRepeated);
  ASSERT_TRUE(succeeded(planInside(*module, options)));
  EXPECT_TRUE(options.isImported);
  EXPECT_EQ(options.partition.effort, Effort::Most);
  EXPECT_LT(stepOf(*module, options), 0.9 * greedy);
  options.stopAfter = Stage::Local;
  FailureOr<Compiled> compiled = compile(*module, options);
  ASSERT_TRUE(succeeded(compiled));
  auto text = [&](const ValueSpec &spec) {
    return str(spec.sharding, compiled->meshes.front());
  };
  EXPECT_EQ(text(compiled->arguments[0]), "[{}, {\"x\"}]");
  EXPECT_EQ(text(compiled->arguments[1]), "[{}, {}]");
  EXPECT_EQ(text(compiled->results[0]), "[{}, {\"x\"}]");
}

TEST_F(InPlaceTest, PlanInsideLeavesWhatItCannotImprove) {
  OwningOpRef<ModuleOp> module = parse(R"(
sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<64x64xf32> {
  %0 = stablehlo.tanh %x : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
})");
  CompileOptions options;
  ASSERT_TRUE(succeeded(planInside(*module, options)));
  EXPECT_FALSE(options.partition.machine);
  EXPECT_FALSE(sdy::getFuncResultSharding(sdy::getMainFunc(*module), 0));
  // One device has nothing to decide.
  OwningOpRef<ModuleOp> one =
      parse("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
            "  return %x : tensor<4xf32>\n}");
  EXPECT_TRUE(succeeded(planInside(*one, options)));
}

} // namespace
