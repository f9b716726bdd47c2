//===- measure_test.cc - measuring a machine ------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/measure/fit.h"
#include "shardwright/measure/probes.h"
#include "shardwright/partition/cost/machine_model.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace shardwright;

namespace {

TEST(Fit, FindsTheNumbersOfARoofline) {
  // Times of a machine of 2e9 operations/s and 5e8 bytes/s, 3e-6 s a step.
  struct Work {
    double operations, bytes;
  };
  std::vector<Work> works;
  for (double size : {1e2, 1e4, 1e6, 1e8}) {
    works.push_back({size, 0});
    works.push_back({0, size});
    works.push_back({size, size});
  }
  auto seconds = [&](size_t i, double rate, double bytes, double step) {
    return step + std::max(works[i].operations / rate, works[i].bytes / bytes);
  };
  std::vector<double> measured;
  for (size_t i = 0; i < works.size(); ++i)
    measured.push_back(seconds(i, 2e9, 5e8, 3e-6));
  double rate = 1e10, bytes = 1e10, step = 1e-5;
  fitParameters({{&rate, 1, 1e18}, {&bytes, 1, 1e18}, {&step, 1e-9, 1}},
                measured,
                [&](size_t i) { return seconds(i, rate, bytes, step); });
  EXPECT_NEAR(rate / 2e9, 1, 0.02);
  EXPECT_NEAR(bytes / 5e8, 1, 0.02);
  EXPECT_NEAR(step / 3e-6, 1, 0.02);
}

TEST(Fit, StaysWithinLimits) {
  double value = 2;
  fitParameters({{&value, 1, 3}}, {1e6}, [&](size_t) { return value; });
  EXPECT_EQ(value, 3);
  fitParameters({{&value, 1, 3}}, {0.0}, [&](size_t) { return value; });
  EXPECT_EQ(value, 1);
}

TEST(Probes, NamesAndAxes) {
  std::vector<Probe> one = makeProbes(Mesh());
  for (const Probe &probe : one)
    EXPECT_NE(probe.what, Probe::What::Link);
  std::vector<Probe> two = makeProbes(Mesh({{"x", 2}, {"y", 4}, {"z", 1}}));
  EXPECT_EQ(two.size(), one.size() + 2 * (15 + 4));
  bool found = false;
  for (const Probe &probe : two)
    if (probe.name == "all_reduce x 256") {
      found = true;
      EXPECT_EQ(probe.axis, "x");
      EXPECT_THAT(probe.text, testing::HasSubstr(
                                  "dense<[[0, 4], [1, 5], [2, 6], [3, 7]]>"));
    }
  EXPECT_TRUE(found);
}

TEST(MachineFile, JsonReadsAsItself) {
  MachineModel machine;
  machine.name = "a \"machine\"";
  machine.flopsPerSecond = {{"f32", 1.5e12}, {"bf16", 3.25e13}};
  machine.stepSeconds = 1.25e-5;
  machine.operationSeconds = 3e-7;
  machine.contractionSeconds = 4e-7;
  machine.contractionColumns = 16;
  machine.elementwiseFlopsPerSecond = 5e9;
  machine.cacheBytes = 3e6;
  machine.cacheBytesPerSecond = 6e10;
  machine.links["x"] = {2.5e9, 4e-6, 2, true};
  MachineModel read = llvm::cantFail(MachineModel::parse(machine.json(), "f"));
  EXPECT_EQ(read.name, machine.name);
  EXPECT_EQ(read.flopsPerSecond, machine.flopsPerSecond);
  EXPECT_EQ(read.defaultFlopsPerSecond, machine.defaultFlopsPerSecond);
  EXPECT_EQ(read.stepSeconds, machine.stepSeconds);
  EXPECT_EQ(read.operationSeconds, machine.operationSeconds);
  EXPECT_EQ(read.contractionSeconds, machine.contractionSeconds);
  EXPECT_EQ(read.contractionColumns, machine.contractionColumns);
  EXPECT_EQ(read.elementwiseFlopsPerSecond, machine.elementwiseFlopsPerSecond);
  EXPECT_EQ(read.cacheBytes, machine.cacheBytes);
  EXPECT_EQ(read.cacheBytesPerSecond, machine.cacheBytesPerSecond);
  EXPECT_EQ(read.link, machine.link);
  EXPECT_EQ(read.links, machine.links);
  EXPECT_EQ(read.json(), machine.json());
}

} // namespace
