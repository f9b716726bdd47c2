//===- kernel_profile_test.cc - tests of the profile of kernels -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/kernel_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardwright {
namespace {

/// Steps: two additions on one line, and a dot.
class FakeProgram : public LoadedProgram {
public:
  llvm::StringRef backendName() const override { return "fake"; }
  llvm::Expected<StartedRun> start(Backend &, RunRequest &) override {
    return llvm::createStringError("it has no code");
  }
  MemoryStatistics memory() const override { return {}; }
  CostAnalysis cost() const override { return {}; }
  PeakMemory peakMemory() const override { return {}; }
  std::string stepName(int32_t step) const override {
    if (step == 3)
      return "";
    return step == 2 ? "stablehlo.dot_general at a.py:7:1"
                     : "stablehlo.add at a.py:3:" + std::to_string(step + 1);
  }
  StepCost stepCost(int32_t step) const override {
    StepCost cost;
    cost.flops = step == 2 ? 4000 : 10;
    cost.transcendentals = step == 2 ? 0 : 10;
    cost.bytesRead = step == 2 ? 100 : 60;
    cost.bytesWritten = 40;
    cost.isContraction = step == 2;
    return cost;
  }
  llvm::Expected<std::string> serialize() const override { return ""; }
};

class KernelProfileTest : public testing::Test {
protected:
  KernelProfileTest() {
    machine.name = "m";
    machine.defaultFlopsPerSecond = 1e12;     // 4000 flops: 4 ns
    machine.elementwiseFlopsPerSecond = 1e11; // 20: 0.2 ns
    machine.memoryBytesPerSecond = 1e11;      // 100 bytes: 1 ns
  }

  /// [device][i] = {step, what, begin, end}
  static Trace
  traceOf(std::initializer_list<std::vector<Trace::Span>> devices) {
    Trace trace;
    for (const std::vector<Trace::Span> &spans : devices)
      trace.addDevice(spans);
    return trace;
  }

  FakeProgram program;
  MachineModel machine;
};

TEST_F(KernelProfileTest, CountsOverlappingDevicesOnce) {
  using What = Trace::What;
  KernelProfile profile(program, machine);
  profile.add(traceOf({{{0, What::Work, 0, 10}, {2, What::Work, 10, 30}},
                       {{0, What::Work, 5, 15},
                        {2, What::Work, 20, 50},
                        {4, What::Collective, 60, 70},
                        {4, What::Waiting, 50, 60}}}));
  ProfileReport report = profile.report();
  EXPECT_EQ(report.machine, "m");
  EXPECT_EQ(report.runs, 1);
  EXPECT_DOUBLE_EQ(report.collectiveSeconds, 10e-9);
  ASSERT_EQ(report.kernels.size(), 2u);
  const KernelTime &dot = report.kernels[0], &add = report.kernels[1];
  EXPECT_EQ(dot.name, "dot_general (a.py:7)");
  EXPECT_DOUBLE_EQ(dot.seconds, 40e-9); // 10 to 50
  EXPECT_DOUBLE_EQ(dot.runs, 1);        // by each of two devices
  EXPECT_DOUBLE_EQ(dot.flops, 4000);
  EXPECT_DOUBLE_EQ(dot.bytes, 140);
  EXPECT_DOUBLE_EQ(dot.rooflineSeconds, 4e-9);
  EXPECT_FALSE(dot.isMemoryBound);
  EXPECT_DOUBLE_EQ(add.seconds, 15e-9);
  EXPECT_DOUBLE_EQ(add.flops, 20);
  EXPECT_DOUBLE_EQ(add.rooflineSeconds, 1e-9);
  EXPECT_TRUE(add.isMemoryBound);
}

TEST_F(KernelProfileTest, GroupsALineAndAveragesRuns) {
  using What = Trace::What;
  KernelProfile profile(program, machine);
  for (int64_t length : {10, 30})
    profile.add(traceOf({{{0, What::Work, 0, length},
                          {1, What::Work, length, 2 * length},
                          {0, What::Work, 100, 100 + length},
                          {3, What::Work, 200, 200 + length}}}));
  ProfileReport report = profile.report();
  ASSERT_EQ(report.kernels.size(), 2u);
  EXPECT_EQ(report.kernels[0].name, "add (a.py:3)");
  EXPECT_EQ(report.kernels[0].steps, 2);
  EXPECT_DOUBLE_EQ(report.kernels[0].runs, 3);
  EXPECT_DOUBLE_EQ(report.kernels[0].seconds, 60e-9); // (30 + 90) / 2
  EXPECT_EQ(report.kernels[1].name, "a step without a name");
}

TEST_F(KernelProfileTest, PrintsRatesInDecimalUnits) {
  KernelProfile profile(program, machine);
  profile.add(traceOf({{{2, Trace::What::Work, 0, 8}}}));
  std::string text;
  llvm::raw_string_ostream os(text);
  writeProfileText(profile.report(), os, {});
  EXPECT_THAT(text, testing::HasSubstr("beside the roofline of m\n"));
  EXPECT_THAT(text, testing::ContainsRegex(
                        "500.0 Gflop/s +17.5 GB/s +50 % +compute +dot_gen"));
}

TEST_F(KernelProfileTest, IsEmptyWithoutRuns) {
  EXPECT_TRUE(KernelProfile(program, machine).report().kernels.empty());
}

} // namespace
} // namespace shardwright
