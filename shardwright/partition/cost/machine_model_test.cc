//===- machine_model_test.cc - tests of machine models --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/cost/machine_model.h"

#include <gtest/gtest.h>

namespace shardwright {
namespace {

MachineModel machineOf(llvm::StringRef text) {
  llvm::Expected<MachineModel> machine = MachineModel::parse(text, "m.json");
  if (machine)
    return *machine;
  ADD_FAILURE() << llvm::toString(machine.takeError());
  return {};
}

std::string errorOf(llvm::StringRef text) {
  llvm::Expected<MachineModel> machine = MachineModel::parse(text, "m.json");
  return machine ? "" : llvm::toString(machine.takeError());
}

TEST(MachineModel, ReadsWhatIsThereAndKeepsTheRest) {
  MachineModel m = machineOf(R"({"name": "pod",
    "flops_per_second": {"bf16": 2e14, "f8": 4e14, "f": 3e13, "default": 1e13},
    "memory": {"bytes_per_second": 1e12},
    "link": {"bytes_per_second": 5e10, "directions": 2},
    "links": {"hosts": {"bytes_per_second": 6e9, "directions": 1}}})");
  EXPECT_EQ(m.name, "pod");
  EXPECT_EQ(m.flopsOf("bf16"), 2e14);
  EXPECT_EQ(m.flopsOf("f8E4M3FN"), 4e14);
  EXPECT_EQ(m.flopsOf("f64"), 3e13);
  EXPECT_EQ(m.flopsOf("ui8"), 1e13);
  EXPECT_EQ(m.memoryBytesPerSecond, 1e12);
  EXPECT_EQ(m.memoryBytes, MachineModel().memoryBytes);
  EXPECT_EQ(m.linkOf("x"), (LinkModel{5e10, 1e-6, 2}));
  EXPECT_EQ(m.linkOf("hosts"), (LinkModel{6e9, 1e-6, 1}));
  EXPECT_EQ(m.linkOver({"x", "hosts"}), (LinkModel{6e9, 1e-6, 1}));
  CostModel costs = m.costs();
  ASSERT_TRUE(costs.machine);
  EXPECT_EQ(costs.machine->name, "pod");
  EXPECT_EQ(costs.repeated, 0);
}

TEST(MachineModel, CachesServeThePartThatFits) {
  MachineModel m = machineOf(R"({"contraction_seconds": 2e-6,
    "elementwise_flops_per_second": 3e9,
    "memory": {"bytes_per_second": 1e9, "cache_bytes": 1000,
               "cache_bytes_per_second": 1e10}})");
  EXPECT_EQ(m.contractionSeconds, 2e-6);
  EXPECT_EQ(m.elementwiseFlopsPerSecond, 3e9);
  EXPECT_DOUBLE_EQ(m.memorySeconds(1000), 1e-7);
  EXPECT_DOUBLE_EQ(m.memorySeconds(3000), 1e-7 + 2e-6);
  EXPECT_DOUBLE_EQ(MachineModel().memorySeconds(2e12), 1);
  // A cache that is slower than memory serves nothing.
  m.cacheBytesPerSecond = 1;
  EXPECT_DOUBLE_EQ(m.memorySeconds(1000), 1e-6);
}

// What the partitioner assumes without a machine is the built-in machine, in
// bytes of its link; its latency counts only where a loop repeats it.
TEST(MachineModel, WeightsWithoutAMachineAreThoseOfTheBuiltInOne) {
  MachineModel builtIn;
  CostModel assumed;
  double rate = builtIn.link.totalBytesPerSecond();
  EXPECT_FALSE(assumed.machine);
  EXPECT_DOUBLE_EQ(assumed.touch, rate / builtIn.memoryBytesPerSecond);
  EXPECT_DOUBLE_EQ(assumed.flop, 2 * rate / builtIn.flopsOf("f32"));
  EXPECT_DOUBLE_EQ(assumed.heldBytes, builtIn.costs().heldBytes);
  EXPECT_DOUBLE_EQ(assumed.alpha + assumed.repeated,
                   builtIn.link.latencySeconds * rate);
}

TEST(MachineModel, JoinsLargerCollectivesWhereLatencyIsLarger) {
  JoinLimits builtIn = MachineModel().joinLimits();
  EXPECT_DOUBLE_EQ(builtIn.packed, 5e5);
  EXPECT_EQ(builtIn.scattered, builtIn.packed);
  EXPECT_LT(builtIn.gathered, builtIn.packed);
  EXPECT_GT(builtIn.reduced, builtIn.packed);
  JoinLimits slow =
      machineOf(R"({"link": {"latency_seconds": 1e-5}})").joinLimits();
  EXPECT_DOUBLE_EQ(slow.packed, 10 * builtIn.packed);
  EXPECT_DOUBLE_EQ(slow.gathered, 10 * builtIn.gathered);
  EXPECT_DOUBLE_EQ(slow.reduced, 10 * builtIn.reduced);
  JoinLimits none =
      machineOf(R"({"link": {"latency_seconds": 0}})").joinLimits();
  EXPECT_EQ(none.packed, 0);
  EXPECT_EQ(none.reduced, 0);
}

TEST(MachineModel, OneNumberForAllElements) {
  EXPECT_EQ(machineOf(R"({"flops_per_second": 7})").flopsOf("i32"), 7);
}

TEST(MachineModel, ProcessesHaveDevicesAndALink) {
  EXPECT_FALSE(machineOf("{}").processes);
  EXPECT_EQ(machineOf("{}").json().find("processes"), std::string::npos);
  MachineModel m = machineOf(R"({"processes": {"devices_per_process": 4,
    "link": {"bytes_per_second": 1e9, "message_seconds": 2e-6}}})");
  ASSERT_TRUE(m.processes);
  EXPECT_EQ(*m.processes, (ProcessesModel{4, 1e9, 1e-5, 2e-6}));
  EXPECT_EQ(machineOf(m.json()).processes, m.processes);
  EXPECT_EQ(errorOf("{\"processes\": {}}"),
            "m.json:1: processes: expected devices_per_process, the number of "
            "devices of each process");
  EXPECT_EQ(errorOf("{\"processes\":\n{\"devices_per_process\": 0}}"),
            "m.json:2: processes.devices_per_process: expected an integer from "
            "1 to 1048576, found 0");
  EXPECT_EQ(errorOf("{\"processes\": {\"link\": {\"directions\": 2}}}"),
            "m.json:1: processes.link.directions: unknown key, known: "
            "\"bytes_per_second\", \"latency_seconds\", \"message_seconds\", "
            "\"cached_bytes_per_second\", \"inline_bytes\"");
  EXPECT_EQ(errorOf("{\"processes\": {\"cores_per_host\": 0}}"),
            "m.json:1: processes.cores_per_host: expected an integer from 1 to "
            "1048576, found 0");
  EXPECT_EQ(errorOf("{\"processes\": {\"devices\": 2}}")
                .rfind("m.json:1: processes.devices: unknown key", 0),
            0u);
}

TEST(MachineModel, ProcessesOfAHostShareItsCores) {
  MachineModel m = machineOf(R"({"processes": {"devices_per_process": 4,
    "per_host": 6, "cores_per_host": 2,
    "link": {"cached_bytes_per_second": 1e10, "inline_bytes": 8192}}})");
  ASSERT_TRUE(m.processes);
  EXPECT_EQ(machineOf(m.json()).processes, m.processes);
  EXPECT_EQ(m.processes->sharing(1), 1);
  EXPECT_EQ(m.processes->sharing(2), 1);
  EXPECT_EQ(m.processes->sharing(4), 2);
  EXPECT_EQ(m.processes->sharing(600), 3);
  m.processes->coresPerHost = 0;
  EXPECT_EQ(m.processes->sharing(600), 1);
}

TEST(MachineModel, ErrorsSayLineKeyExpectedAndFound) {
  EXPECT_EQ(errorOf("{\n  \"memory\": {\n    \"bytes\": \"much\"}}"),
            "m.json:3: memory.bytes: expected a number from 1 to 1e30, found "
            "\"much\"");
  EXPECT_EQ(errorOf("{\"link\": {\"directions\": 3}}"),
            "m.json:1: link.directions: expected 1 or 2, found 3");
  EXPECT_EQ(errorOf("{\"link\": {\"shared_memory\": 1}}"),
            "m.json:1: link.shared_memory: expected true or false, found 1");
  EXPECT_EQ(errorOf("{\"contraction_columns\": 0}"),
            "m.json:1: contraction_columns: expected a number from 1 to 65536, "
            "found 0");
  EXPECT_EQ(errorOf("{\"links\": {\n\"x\": {\n\"latency_seconds\": -1}}}"),
            "m.json:3: links.x.latency_seconds: expected seconds from 0 "
            "to 1000, found -1");
  EXPECT_EQ(errorOf("{\"memory\": {\"bytes_per_second\": 1e-320}}")
                .rfind("m.json:1: memory.bytes_per_second: expected a number "
                       "from 1 to 1e30",
                       0),
            0u);
  EXPECT_EQ(errorOf("{\"memroy\": {}}"),
            "m.json:1: memroy: unknown key, did you mean \"memory\"?");
  EXPECT_EQ(errorOf("[]"), "m.json:1: expected an object, found []");
  EXPECT_EQ(errorOf("{\"flops_per_second\": {\"real\": 1}}"),
            "m.json:1: flops_per_second.real: expected an element type such "
            "as f32, bf16 or i8, or default");
  EXPECT_EQ(errorOf("{\"flops_per_second\": {\"\": 1}}"),
            "m.json:1: flops_per_second.: expected an element type such as "
            "f32, bf16 or i8, or default");
  // Finds the key, not a string or a nested key of the same text.
  EXPECT_EQ(errorOf("{\"name\": \"memory\", \"links\": {\"memory\": {}},\n"
                    "\"memory\": 1}"),
            "m.json:2: memory: expected an object, found 1");
  EXPECT_EQ(errorOf("{\n\"name\" 1}").rfind("m.json:2: expected JSON: ", 0),
            0u);
  EXPECT_FALSE(errorOf("").empty());
}

} // namespace
} // namespace shardwright
