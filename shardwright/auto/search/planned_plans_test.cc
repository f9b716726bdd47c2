//===- planned_plans_test.cc - layouts that the planner finds -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/problem/parse_test_util.h"
#include "shardwright/auto/search/planned_plans.h"
#include "shardwright/auto/search/trial.h"
#include "shardwright/dialect/sdy/sharding_access.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace shardwright;

namespace {

class PlannerTest : public test::ParseTest {
protected:
  PlannerTest() {
    // Small programs on a machine that is as small.
    machine.defaultFlopsPerSecond = 5e10;
    machine.memoryBytesPerSecond = 2e11;
    machine.link = {1e10, 2e-8, 1};
  }

  void SetUp() override {
    if (!solverMissing().empty())
      GTEST_SKIP() << solverMissing();
  }

  /// Layouts of the arguments of the best plan within `limit` bytes, as text.
  std::vector<std::string> plan(llvm::StringRef text, double limit) {
    OwningOpRef<ModuleOp> module = parse(text);
    FailureOr<AutoProblem> problem = readProblem(*module, {});
    EXPECT_TRUE(succeeded(problem));
    Planner planner(plannerInput(*module, *problem), machine);
    PlannedLayouts layouts = planner.plan(limit);
    EXPECT_TRUE(layouts.works) << layouts.missing;
    Plan plan =
        planOf(*problem, planner.getModel(), layouts, InnerLayouts::All);
    std::vector<std::string> found;
    for (auto [c, cls] : llvm::enumerate(problem->classes))
      if (cls.kind() == Site::Kind::Argument)
        found.push_back(str(plan.sharding(*problem, c), problem->mesh));
    last = layouts;
    // What the model says is what the pipeline finds, nearly.
    CompileOptions options;
    options.partition.machine = machine;
    Trials trials(*module, *problem, options);
    trial = trials.of(plan);
    EXPECT_TRUE(trial.works);
    return found;
  }

  MachineModel machine;
  PlannedLayouts last;
  Trial trial;
};

using Layouts = std::vector<std::string>;

constexpr llvm::StringLiteral kMlp(R"(
sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<31x256xf32>, %w1: tensor<256x1024xf32>, %w2: tensor<1024x256xf32>)
    -> tensor<31x256xf32> {
  %0 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0]
      : (tensor<31x256xf32>, tensor<256x1024xf32>) -> tensor<31x1024xf32>
  %1 = stablehlo.tanh %0 : tensor<31x1024xf32>
  %2 = stablehlo.dot_general %1, %w2, contracting_dims = [1] x [0]
      : (tensor<31x1024xf32>, tensor<1024x256xf32>) -> tensor<31x256xf32>
  %3 = stablehlo.add %2, %x : tensor<31x256xf32>
  return %3 : tensor<31x256xf32>
})");

TEST_F(PlannerTest, ShardsHiddenUnitsOfAnMlp) {
  // The columns of one matrix and the rows of the next; one sum at the end.
  EXPECT_EQ(plan(kMlp, 1e12),
            (Layouts{"[{}, {}]", "[{}, {\"x\"}]", "[{\"x\"}, {}]"}));
  EXPECT_NEAR(last.seconds, trial.seconds(), 0.1 * trial.seconds());
  EXPECT_NEAR(last.peak, trial.peak, 0.1 * trial.peak);
  EXPECT_GE(last.seconds, last.bound * (1 - 1e-6));
}

TEST_F(PlannerTest, EqualProgramsHaveEqualPlans) {
  plan(kMlp, 1e12);
  PlannedLayouts first = last;
  plan(kMlp, 1e12);
  EXPECT_EQ(first.made, last.made);
  EXPECT_EQ(first.factors, last.factors);
  EXPECT_EQ(first.seconds, last.seconds);
}

TEST_F(PlannerTest, PlansInAWorkerBesideTrials) {
  OwningOpRef<ModuleOp> module = parse(kMlp);
  FailureOr<AutoProblem> problem = readProblem(*module, {});
  ASSERT_TRUE(succeeded(problem));
  CompileOptions options;
  options.partition.machine = machine;
  Trials trials(*module, *problem, options);
  std::optional<Planner> planner;
  PlannedLayouts first, again;
  TrialWorkers::Task making([&](TrialContext &) {
    planner.emplace(plannerInput(*module, *problem), machine);
    first = planner->plan(1e12);
  });
  TrialWorkers::Task more([&](TrialContext &) { again = planner->plan(1e12); });
  trials.start(making);
  Plan replicated(*problem), byRows(*problem);
  ASSERT_TRUE(byRows.put(*problem, 1, 0, 0));
  trials.tryAll({&replicated, &byRows});
  trials.finish(making);
  trials.start(more);
  trials.blame(byRows);
  trials.finish(more);
  plan(kMlp, 1e12);
  EXPECT_EQ(first.made, last.made);
  EXPECT_EQ(again.made, last.made);
  EXPECT_EQ(again.seconds, last.seconds);
}

TEST_F(PlannerTest, ShardsHeadsOfAttention) {
  EXPECT_EQ(plan(R"(
sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<65x128xf32>, %wq: tensor<128x8x16xf32>,
    %wk: tensor<128x8x16xf32>, %wv: tensor<128x8x16xf32>, %wo: tensor<8x16x128xf32>)
    -> tensor<65x128xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %q = stablehlo.dot_general %x, %wq, contracting_dims = [1] x [0]
      : (tensor<65x128xf32>, tensor<128x8x16xf32>) -> tensor<65x8x16xf32>
  %k = stablehlo.dot_general %x, %wk, contracting_dims = [1] x [0]
      : (tensor<65x128xf32>, tensor<128x8x16xf32>) -> tensor<65x8x16xf32>
  %v = stablehlo.dot_general %x, %wv, contracting_dims = [1] x [0]
      : (tensor<65x128xf32>, tensor<128x8x16xf32>) -> tensor<65x8x16xf32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [1] x [1], contracting_dims = [2] x [2]
      : (tensor<65x8x16xf32>, tensor<65x8x16xf32>) -> tensor<8x65x65xf32>
  %e = stablehlo.exponential %s : tensor<8x65x65xf32>
  %n = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2]
      : (tensor<8x65x65xf32>, tensor<f32>) -> tensor<8x65xf32>
  %b = stablehlo.broadcast_in_dim %n, dims = [0, 1] : (tensor<8x65xf32>) -> tensor<8x65x65xf32>
  %p = stablehlo.divide %e, %b : tensor<8x65x65xf32>
  %a = stablehlo.dot_general %p, %v, batching_dims = [0] x [1], contracting_dims = [2] x [0]
      : (tensor<8x65x65xf32>, tensor<65x8x16xf32>) -> tensor<8x65x16xf32>
  %o = stablehlo.dot_general %a, %wo, contracting_dims = [0, 2] x [0, 1]
      : (tensor<8x65x16xf32>, tensor<8x16x128xf32>) -> tensor<65x128xf32>
  return %o : tensor<65x128xf32>
})",
                 1e12),
            (Layouts{"[{}, {}]", "[{}, {\"x\"}, {}]", "[{}, {\"x\"}, {}]",
                     "[{}, {\"x\"}, {}]", "[{\"x\"}, {}, {}]"}));
}

TEST_F(PlannerTest, ShardsExperts) {
  EXPECT_EQ(
      plan(R"(
sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<4x33x65xf32>, %w1: tensor<4x65x129xf32>, %w2: tensor<4x129x65xf32>)
    -> tensor<4x33x65xf32> {
  %0 = stablehlo.dot_general %x, %w1, batching_dims = [0] x [0], contracting_dims = [2] x [1]
      : (tensor<4x33x65xf32>, tensor<4x65x129xf32>) -> tensor<4x33x129xf32>
  %1 = stablehlo.tanh %0 : tensor<4x33x129xf32>
  %2 = stablehlo.dot_general %1, %w2, batching_dims = [0] x [0], contracting_dims = [2] x [1]
      : (tensor<4x33x129xf32>, tensor<4x129x65xf32>) -> tensor<4x33x65xf32>
  return %2 : tensor<4x33x65xf32>
})",
           1e12),
      (Layouts{"[{\"x\"}, {}, {}]", "[{\"x\"}, {}, {}]", "[{\"x\"}, {}, {}]"}));
}

/// A step of training, whose batch is large.
constexpr llvm::StringLiteral kTraining(R"(
sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<4096x64xf32>, %w: tensor<64x63xf32> {tf.aliasing_output = 0 : i32},
    %m: tensor<64x63xf32> {tf.aliasing_output = 1 : i32})
    -> (tensor<64x63xf32>, tensor<64x63xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<4096x64xf32>, tensor<64x63xf32>) -> tensor<4096x63xf32>
  %1 = stablehlo.tanh %0 : tensor<4096x63xf32>
  %g = stablehlo.dot_general %x, %1, contracting_dims = [0] x [0]
      : (tensor<4096x64xf32>, tensor<4096x63xf32>) -> tensor<64x63xf32>
  %m1 = stablehlo.add %m, %g : tensor<64x63xf32>
  %w1 = stablehlo.subtract %w, %m1 : tensor<64x63xf32>
  return %w1, %m1 : tensor<64x63xf32>, tensor<64x63xf32>
})");

TEST_F(PlannerTest, ShardsTheBatchAndWithLittleMemoryTheState) {
  Layouts layouts = plan(kTraining, 1e12);
  ASSERT_EQ(layouts.size(), 3u);
  EXPECT_EQ(layouts[0], "[{\"x\"}, {}]");
  double unlimited = last.peak;
  double seconds = last.seconds;
  // Without room for all of the state.
  double limit = unlimited - 3 * 1024;
  layouts = plan(kTraining, limit);
  EXPECT_EQ(layouts[0], "[{\"x\"}, {}]");
  EXPECT_TRUE(layouts[1] != "[{}, {}]" || layouts[2] != "[{}, {}]");
  EXPECT_LE(last.peak, limit);
  EXPECT_GE(last.seconds, seconds * (1 - 1e-9));
}

TEST_F(PlannerTest, KeepsWhatIsGiven) {
  Layouts layouts = plan(R"(
sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %w: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}], replicated={"x"}>})
    -> tensor<64x64xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
})",
                         1e12);
  ASSERT_EQ(layouts.size(), 2u);
  EXPECT_EQ(layouts[0], "[{}, {\"x\"}]");
  EXPECT_EQ(layouts[1], "[{}, {}], replicated={\"x\"}");
}

TEST_F(PlannerTest, EqualCallsAreOneClassAndOthersHaveTheirLayouts) {
  // The function is called with a sharded value and with one that cannot be.
  OwningOpRef<ModuleOp> module = parse(R"(
sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<64x63xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %y: tensor<64x63xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
    -> (tensor<64x63xf32>, tensor<64x63xf32>) {
  %0 = call @f(%x) : (tensor<64x63xf32>) -> tensor<64x63xf32>
  %1 = call @f(%y) : (tensor<64x63xf32>) -> tensor<64x63xf32>
  return %0, %1 : tensor<64x63xf32>, tensor<64x63xf32>
}
func.func private @f(%a: tensor<64x63xf32>) -> tensor<64x63xf32> {
  %0 = stablehlo.tanh %a : tensor<64x63xf32>
  return %0 : tensor<64x63xf32>
})");
  FailureOr<AutoProblem> problem = readProblem(*module, {});
  ASSERT_TRUE(succeeded(problem));
  OpCosts costs(machine, problem->mesh);
  ProgramModel model = readProgram(plannerInput(*module, *problem), costs);
  EXPECT_EQ(model.ops.size(), 2u);
  func::FuncOp main = sdy::getMainFunc(*module);
  Operation *end = main.getBody().front().getTerminator();
  EXPECT_NE(model.classOf.lookup(end->getOperand(0)),
            model.classOf.lookup(end->getOperand(1)));
}

TEST_F(PlannerTest, DepthDoesNotChangeTheSize) {
  auto numClasses = [&](int layers) {
    std::string text = R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%v0: tensor<8x16xf32>)";
    for (int i = 0; i < layers; ++i)
      text += ", %w" + std::to_string(i) + ": tensor<16x16xf32>";
    text += ") -> tensor<8x16xf32> {\n";
    for (int i = 0; i < layers; ++i) {
      std::string n = std::to_string(i), next = std::to_string(i + 1);
      text += "  %d" + n + " = stablehlo.dot_general %v" + n + ", %w" + n +
              ", contracting_dims = [1] x [0] : (tensor<8x16xf32>, "
              "tensor<16x16xf32>) -> tensor<8x16xf32>\n  %v" +
              next + " = stablehlo.tanh %d" + n + " : tensor<8x16xf32>\n";
    }
    text += "  return %v" + std::to_string(layers) + " : tensor<8x16xf32>\n}\n";
    OwningOpRef<ModuleOp> module = parse(text);
    FailureOr<AutoProblem> problem = readProblem(*module, {});
    EXPECT_TRUE(succeeded(problem));
    OpCosts costs(machine, problem->mesh);
    ProgramModel model = readProgram(plannerInput(*module, *problem), costs);
    return std::pair(model.values.size(), model.ops.size());
  };
  EXPECT_EQ(numClasses(12), numClasses(100));
}

/// Ops with the factors that strategies can shard.
constexpr llvm::StringLiteral kOps[] = {
    R"(func.func @main(%a: tensor<8x16x4xf32>, %b: tensor<8x4x12xf32>) -> tensor<8x16x12xf32> {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1]
      : (tensor<8x16x4xf32>, tensor<8x4x12xf32>) -> tensor<8x16x12xf32>
  return %0 : tensor<8x16x12xf32>
})",
    R"(func.func @main(%a: tensor<8x12xf32>) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<8x12xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
})",
    R"(func.func @main(%a: tensor<8x12xf32>, %b: tensor<8x12xf32>) -> tensor<8x12xf32> {
  %0 = stablehlo.add %a, %b : tensor<8x12xf32>
  return %0 : tensor<8x12xf32>
})",
    R"(func.func @main(%a: tensor<8x12xf32>) -> tensor<12x8xf32> {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<8x12xf32>) -> tensor<12x8xf32>
  return %0 : tensor<12x8xf32>
})",
    R"(func.func @main(%a: tensor<8x12xf32>) -> tensor<96xf32> {
  %0 = stablehlo.reshape %a : (tensor<8x12xf32>) -> tensor<96xf32>
  return %0 : tensor<96xf32>
})",
    R"(func.func @main(%a: tensor<8x12xf32>) -> tensor<8x4x12xf32> {
  %0 = stablehlo.broadcast_in_dim %a, dims = [0, 2] : (tensor<8x12xf32>) -> tensor<8x4x12xf32>
  return %0 : tensor<8x4x12xf32>
})",
    R"(func.func @main(%a: tensor<8x12xf32>, %b: tensor<8x4xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.concatenate %a, %b, dim = 1 : (tensor<8x12xf32>, tensor<8x4xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
})",
    R"(func.func @main(%a: tensor<32x8xf32>, %i: tensor<16xi32>) -> tensor<16x8xf32> {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
      collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
      slice_sizes = array<i64: 1, 8>}> : (tensor<32x8xf32>, tensor<16xi32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
})",
    R"(func.func @main(%a: tensor<4x8x8x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<4x6x6x8xf32> {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
      window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<4x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<4x6x6x8xf32>
  return %0 : tensor<4x6x6x8xf32>
})",
};

/// The layout as a sharding attribute of a value of this rank.
std::string attribute(AxisLayout layout, int64_t rank) {
  std::string text = "#sdy.sharding<@mesh, [";
  for (int64_t d = 0; d < rank; ++d)
    text += std::string(d ? ", " : "") + (d == layout ? "{\"x\"}" : "{}");
  return text + "]" + (layout == kPartialLayout ? ", unreduced={\"x\"}>" : ">");
}

TEST_F(PlannerTest, ThePartitionerAcceptsAllStrategies) {
  int64_t count = 0;
  for (llvm::StringRef op : kOps) {
    std::string text = ("sdy.mesh @mesh = <[\"x\"=2]>\n" + op).str();
    OwningOpRef<ModuleOp> module = parse(text);
    Mesh mesh({{"x", 2}});
    SmallVector<int32_t, 1> axes{0};
    OpCosts costs(machine, mesh);
    StrategyMaker maker(mesh, axes, machine);
    func::FuncOp main = sdy::getMainFunc(*module);
    Operation *last = main.getBody().front().getTerminator()->getPrevNode();
    ShardedOp read = ShardedOp::read(last, costs);
    for (const OpStrategy &strategy : maker.make(read, {-1}, 0)) {
      OwningOpRef<ModuleOp> copy = parse(text);
      func::FuncOp target = sdy::getMainFunc(*copy);
      for (unsigned i = 0; i < target.getNumArguments(); ++i)
        target.setArgAttr(
            i, sdy::kShardingAttr,
            parseAttribute(
                attribute(strategy.operands[i],
                          cast<RankedTensorType>(target.getArgumentTypes()[i])
                              .getRank()),
                &context));
      target.setResultAttr(
          0, sdy::kShardingAttr,
          parseAttribute(
              attribute(
                  strategy.results[0],
                  cast<RankedTensorType>(target.getResultTypes()[0]).getRank()),
              &context));
      CompileOptions options;
      options.stopAfter = Stage::Local;
      FailureOr<Compiled> compiled = compile(*copy, options);
      ASSERT_TRUE(succeeded(compiled)) << op.str();
      // Only halo rows move.
      EXPECT_EQ(compiled->report.collectives.totalBytes() > 0,
                strategy.haloSeconds > 0)
          << op.str() << " factor " << strategy.factor;
      ++count;
    }
  }
  EXPECT_GT(count, 30);
}

} // namespace
