//===- replica_calls_test.cc - programs called on one device at a time ----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "torch_client.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <random>
#include <thread>

using namespace shardwright::pjrt_test;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

constexpr int numDevices = 4;

/// A module whose body computes %r from %x, both tensor<2xf32>.
std::string moduleOf(const std::string &name, const std::string &body) {
  return "module @" + name + R"( {
  func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {
)" + body +
         R"(
    return %r : tensor<2xf32>
  }
})";
}

std::string allReduce(const std::string &result, const std::string &operand,
                      const std::string &groups = "dense<> : tensor<0x0xi64>",
                      const std::string &more = "") {
  return result + R"( = "stablehlo.all_reduce"()" + operand +
         ") <{replica_groups = " + groups + more + R"(}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<2xf32>) -> tensor<2xf32>
)";
}

const std::string sum = moduleOf("sum", allReduce("%r", "%x"));
/// Adds a constant before the sum.
std::string sumAfter(float constant) {
  return moduleOf("sum_after", "%c = stablehlo.constant dense<" +
                                   std::to_string(constant) +
                                   "> : tensor<2xf32>\n"
                                   "%y = stablehlo.add %x, %c : tensor<2xf32>" +
                                   allReduce("%r", "%y"));
}
const std::string twoSums =
    moduleOf("two_sums", allReduce("%y", "%x") + allReduce("%r", "%y"));

/// A client of four devices, whose replicas are called one by one.
class Replicas : public testing::Test {
protected:
  PJRT_LoadedExecutable *compile(const std::string &text) {
    PJRT_LoadedExecutable *executable = nullptr;
    Outcome outcome = client.compile(text, replicas(numDevices), executable);
    EXPECT_TRUE(outcome.ok()) << outcome.message;
    executables.push_back(executable);
    return executable;
  }
  PJRT_Buffer *buffer(int device, std::vector<float> values) {
    PJRT_Buffer *made = nullptr;
    EXPECT_TRUE(client
                    .fromHost(values.data(), PJRT_Buffer_Type_F32,
                              {int64_t(values.size())},
                              client.devices()[device], made)
                    .ok());
    return made;
  }
  /// Calls the program on a device, without waiting. The argument is destroyed.
  Outcome call(PJRT_LoadedExecutable *executable, int device,
               PJRT_Buffer *argument, PJRT_Buffer *&result) {
    Outcome outcome =
        callOn(client.devices()[device], executable, {argument}, result);
    destroy(argument);
    return outcome;
  }
  /// Waits for a result of `call`, and destroys it.
  Outcome read(PJRT_Buffer *result, std::vector<float> &values) {
    values.assign(2, -1.f);
    Outcome outcome = toHost(result, values);
    destroy(result);
    return outcome;
  }
  /// Calls the programs, by device, in this order of devices.
  std::vector<Outcome> callAll(std::vector<PJRT_LoadedExecutable *> programs,
                               std::vector<int> order,
                               std::vector<std::vector<float>> &values) {
    std::vector<Outcome> outcomes(numDevices);
    PJRT_Buffer *results[numDevices] = {};
    values.assign(numDevices, {});
    for (int d : order)
      outcomes[d] = call(programs[d], d, buffer(d, {float(d), 1}), results[d]);
    for (int d : order)
      if (outcomes[d].ok())
        outcomes[d] = read(results[d], values[d]);
    return outcomes;
  }
  std::vector<PJRT_LoadedExecutable *> four(PJRT_LoadedExecutable *same) {
    return std::vector<PJRT_LoadedExecutable *>(numDevices, same);
  }
  void expectSum(PJRT_LoadedExecutable *program) {
    std::vector<std::vector<float>> values;
    for (Outcome &outcome : callAll(four(program), {2, 0, 3, 1}, values))
      EXPECT_TRUE(outcome.ok()) << outcome.message;
    EXPECT_THAT(values, Each(ElementsAre(6, 4)));
  }
  void TearDown() override {
    for (PJRT_LoadedExecutable *executable : executables)
      destroy(executable);
  }

  TestClient client{torchClient(numDevices)};
  std::vector<PJRT_LoadedExecutable *> executables;
};

TEST_F(Replicas, CallsOfAllDevicesAreOneRun) { expectSum(compile(sum)); }

TEST_F(Replicas, EachDeviceMayCompileItsOwnProgram) {
  std::vector<PJRT_LoadedExecutable *> programs;
  for (int d = 0; d < numDevices; ++d)
    programs.push_back(compile(sum));
  std::vector<std::vector<float>> values;
  for (Outcome &outcome : callAll(programs, {3, 2, 1, 0}, values))
    EXPECT_TRUE(outcome.ok()) << outcome.message;
  EXPECT_THAT(values, Each(ElementsAre(6, 4)));
}

TEST_F(Replicas, ProgramsMayDifferBesideTheirCollectives) {
  std::vector<PJRT_LoadedExecutable *> programs = {
      compile(sum), compile(sumAfter(10)), compile(sumAfter(100)), nullptr};
  programs[3] = programs[1];
  std::vector<std::vector<float>> values;
  for (int again = 0; again < 3; ++again) {
    for (Outcome &outcome : callAll(programs, {1, 3, 0, 2}, values))
      EXPECT_TRUE(outcome.ok()) << outcome.message;
    EXPECT_THAT(values, Each(ElementsAre(126, 124)));
  }
}

TEST_F(Replicas, GroupsAndPermutes) {
  std::vector<std::vector<float>> values;
  PJRT_LoadedExecutable *grouped = compile(
      moduleOf("grouped", allReduce("%r", "%x",
                                    "dense<[[0, 2], [3, 1]]> : tensor<2x2xi64>",
                                    ", channel_handle = #stablehlo.channel_"
                                    "handle<handle = 7, type = 1>, "
                                    "use_global_device_ids")));
  callAll(four(grouped), {0, 1, 2, 3}, values);
  EXPECT_THAT(values, ElementsAre(ElementsAre(2, 2), ElementsAre(4, 2),
                                  ElementsAre(2, 2), ElementsAre(4, 2)));
  PJRT_LoadedExecutable *permuted = compile(moduleOf("permuted", R"(
    %p = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
    %i = stablehlo.replica_id : tensor<ui32>
    %f = stablehlo.convert %i : (tensor<ui32>) -> tensor<f32>
    %w = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %r = stablehlo.add %p, %w : tensor<2xf32>)"));
  callAll(four(permuted), {0, 1, 2, 3}, values);
  EXPECT_THAT(values, ElementsAre(ElementsAre(0, 0), ElementsAre(1, 2),
                                  ElementsAre(3, 3), ElementsAre(5, 4)));
}

/// One device makes all its calls before the next one makes its first: no call
/// waits, and each uses the result of the one before it.
TEST_F(Replicas, CallsDoNotWait) {
  PJRT_LoadedExecutable *program = compile(sum);
  constexpr int steps = 6;
  PJRT_Buffer *last[numDevices];
  for (int d = 0; d < numDevices; ++d) {
    last[d] = buffer(d, {float(d), 1});
    for (int i = 0; i < steps; ++i) {
      PJRT_Buffer *next = nullptr;
      Outcome outcome = call(program, d, last[d], next);
      ASSERT_TRUE(outcome.ok()) << outcome.message;
      last[d] = next;
    }
  }
  for (PJRT_Buffer *result : last) {
    std::vector<float> values;
    EXPECT_TRUE(read(result, values).ok());
    EXPECT_THAT(values, ElementsAre(6 * 1024, 4 * 1024));
  }
}

TEST_F(Replicas, ProgramsWithoutCollectivesRunAlone) {
  PJRT_LoadedExecutable *sums = compile(sum);
  PJRT_Buffer *pending = nullptr, *result = nullptr;
  std::vector<float> values;
  ASSERT_TRUE(call(sums, 1, buffer(1, {1, 1}), pending).ok());
  PJRT_LoadedExecutable *twice =
      compile(moduleOf("twice", "%r = stablehlo.add %x, %x : tensor<2xf32>"));
  ASSERT_TRUE(call(twice, 2, buffer(2, {1, 2}), result).ok());
  EXPECT_TRUE(read(result, values).ok());
  EXPECT_THAT(values, ElementsAre(2, 4));
  PJRT_LoadedExecutable *number = compile(moduleOf("number", R"(
    %i = stablehlo.replica_id : tensor<ui32>
    %f = stablehlo.convert %i : (tensor<ui32>) -> tensor<f32>
    %w = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %r = stablehlo.add %x, %w : tensor<2xf32>)"));
  for (int d : {2, 0, 3}) {
    ASSERT_TRUE(call(number, d, buffer(d, {1, 2}), result).ok());
    EXPECT_TRUE(read(result, values).ok());
    EXPECT_THAT(values, ElementsAre(d + 1, d + 2));
  }
  // Device 1 works in order.
  ASSERT_TRUE(call(number, 1, buffer(1, {1, 2}), result).ok());
  for (int d : {0, 2, 3}) {
    PJRT_Buffer *other = nullptr;
    ASSERT_TRUE(call(sums, d, buffer(d, {1, 1}), other).ok());
    destroy(other);
  }
  EXPECT_TRUE(read(result, values).ok());
  EXPECT_THAT(values, ElementsAre(2, 3));
  EXPECT_TRUE(read(pending, values).ok());
  EXPECT_THAT(values, ElementsAre(4, 4));
}

/// What one device computes in a step: the number of sums, and the constant
/// that it adds before the first.
struct Choice {
  int sums;
  float constant;
  PJRT_LoadedExecutable *program;
};

/// The value of each device after all steps, summed in the order of the tree.
std::vector<float> simulate(const std::vector<std::vector<Choice>> &steps) {
  std::vector<float> values = {0, 1, 2, 3};
  for (const std::vector<Choice> &choices : steps) {
    for (int d = 0; d < numDevices; ++d)
      values[d] += choices[d].constant;
    for (int i = 0; i < choices[0].sums; ++i)
      values.assign(numDevices,
                    (values[0] + values[1]) + (values[2] + values[3]));
  }
  return values;
}

/// Threads call random programs, each of which some devices call in a form of
/// their own.
TEST_F(Replicas, ThreadsInRandomOrder) {
  const Choice sums[] = {{1, 0, compile(sum)},
                         {1, 0, compile(sum)},
                         {1, 0.5, compile(sumAfter(0.5))},
                         {1, 3, compile(sumAfter(3))}};
  const Choice two = {2, 0, compile(twoSums)};
  for (int round = 0; round < 8; ++round) {
    std::mt19937 random(round);
    std::vector<std::vector<Choice>> steps;
    for (int i = 0; i < 25; ++i) {
      std::vector<Choice> &choices = steps.emplace_back(numDevices, two);
      bool areEqual = random() % 2;
      if (random() % 4)
        for (Choice &choice : choices)
          choice = sums[areEqual ? 0 : random() % 4];
    }
    std::vector<std::vector<float>> last(numDevices);
    std::vector<std::thread> threads;
    for (int d = 0; d < numDevices; ++d)
      threads.emplace_back([&, d] {
        std::mt19937 pauses(round * numDevices + d);
        PJRT_Buffer *value = buffer(d, {float(d), float(d)});
        for (const std::vector<Choice> &choices : steps) {
          if (pauses() % 4 == 0)
            std::this_thread::sleep_for(
                std::chrono::microseconds(pauses() % 500));
          PJRT_Buffer *next = nullptr;
          Outcome outcome = call(choices[d].program, d, value, next);
          EXPECT_TRUE(outcome.ok()) << outcome.message;
          if (!outcome.ok())
            return;
          value = next;
          if (pauses() % 8 == 0) {
            std::vector<float> seen(2);
            EXPECT_TRUE(toHost(value, seen).ok());
          }
        }
        EXPECT_TRUE(read(value, last[d]).ok());
      });
    for (std::thread &thread : threads)
      thread.join();
    std::vector<float> expected = simulate(steps);
    for (int d = 0; d < numDevices; ++d)
      EXPECT_THAT(last[d], ElementsAre(expected[d], expected[d]));
  }
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST_F(Replicas, AnotherProgramFailsTheRun) {
  PJRT_LoadedExecutable *sums = compile(sum), *two = compile(twoSums);
  std::vector<std::vector<float>> values;
  std::vector<Outcome> outcomes =
      callAll({sums, sums, two, sums}, {0, 2, 1, 3}, values);
  for (const Outcome &outcome : outcomes) {
    EXPECT_EQ(outcome.code, PJRT_Error_Code_INVALID_ARGUMENT);
    EXPECT_THAT(outcome.message,
                AllOf(HasSubstr("device 2 has called program 'two_sums'"),
                      HasSubstr("device 0 called 'sum'"),
                      HasSubstr("in the same order on all devices")));
  }
  expectSum(sums);
}

TEST_F(Replicas, AFailedCallFailsTheRun) {
  PJRT_LoadedExecutable *sums = compile(sum);
  for (std::vector<int> order : {std::vector<int>{3, 0, 1, 2}, {0, 1, 3, 2}}) {
    PJRT_Buffer *results[numDevices] = {};
    std::vector<Outcome> outcomes(numDevices);
    for (int d : order)
      outcomes[d] = call(sums, d, buffer(d, std::vector<float>(d == 3 ? 3 : 2)),
                         results[d]);
    EXPECT_THAT(outcomes[3].message, HasSubstr("f32[3]"));
    for (int d : {0, 1, 2}) {
      std::vector<float> values;
      if (outcomes[d].ok())
        outcomes[d] = read(results[d], values);
      EXPECT_EQ(outcomes[d].code, PJRT_Error_Code_ABORTED);
      EXPECT_THAT(outcomes[d].message,
                  AllOf(HasSubstr("program 'sum' on device 3 failed"),
                        HasSubstr("f32[3]")));
    }
    expectSum(sums);
  }
}

TEST_F(Replicas, ADeletedArgumentFailsTheRun) {
  PJRT_LoadedExecutable *sums = compile(sum);
  PJRT_Buffer *results[numDevices] = {}, *deleted = buffer(0, {1, 2});
  auto args = make<PJRT_Buffer_Delete_Args>();
  args.buffer = deleted;
  ASSERT_TRUE(take(api()->PJRT_Buffer_Delete(&args)).ok());
  EXPECT_THAT(call(sums, 0, deleted, results[0]).message,
              HasSubstr("deleted or donated"));
  for (int d : {1, 2, 3})
    EXPECT_THAT(call(sums, d, buffer(d, {1, 2}), results[d]).message,
                HasSubstr("on device 0 failed"));
  expectSum(sums);
}

TEST_F(Replicas, ADeviceThatNeverComesIsNamed) {
  setenv("SHARDWRIGHT_WAIT_LIMIT", "0.2", 1);
  PJRT_LoadedExecutable *sums = compile(sum);
  expectSum(sums);
  PJRT_Buffer *results[numDevices] = {};
  for (int d : {0, 1, 3})
    ASSERT_TRUE(call(sums, d, buffer(d, {1, 2}), results[d]).ok());
  auto isNamed = AllOf(
      HasSubstr("devices 0, 1, 3 of process 0 waited "),
      HasSubstr("for device 2 to call program 'sum'"),
      HasSubstr("device 2 has made 1 calls of programs that communicate, the "
                "last of 'sum'"),
      HasSubstr("(SHARDWRIGHT_WAIT_LIMIT)"));
  for (int d : {0, 1, 3}) {
    std::vector<float> values;
    Outcome outcome = read(results[d], values);
    EXPECT_EQ(outcome.code, PJRT_Error_Code_DEADLINE_EXCEEDED);
    EXPECT_THAT(outcome.message, isNamed);
  }
  // It comes too late.
  EXPECT_THAT(call(sums, 2, buffer(2, {1, 2}), results[2]).message, isNamed);
  expectSum(sums);
  unsetenv("SHARDWRIGHT_WAIT_LIMIT");
}

TEST_F(Replicas, ACallOnAllDevicesFailsARunThatSomeHaveJoined) {
  PJRT_LoadedExecutable *sums = compile(sum);
  PJRT_Buffer *pending = nullptr;
  ASSERT_TRUE(call(sums, 1, buffer(1, {1, 2}), pending).ok());
  PJRT_Buffer *arguments[numDevices], *outputs[numDevices] = {};
  PJRT_Buffer *const *argumentLists[numDevices];
  PJRT_Buffer **outputLists[numDevices];
  for (int d = 0; d < numDevices; ++d) {
    arguments[d] = buffer(d, {float(d), 1});
    argumentLists[d] = &arguments[d];
    outputLists[d] = &outputs[d];
  }
  auto options = make<PJRT_ExecuteOptions>();
  auto args = make<PJRT_LoadedExecutable_Execute_Args>();
  args.executable = sums;
  args.options = &options;
  args.argument_lists = argumentLists;
  args.num_devices = numDevices;
  args.num_args = 1;
  args.output_lists = outputLists;
  Outcome outcome = take(api()->PJRT_LoadedExecutable_Execute(&args));
  ASSERT_TRUE(outcome.ok()) << outcome.message;
  std::vector<float> values;
  for (int d = 0; d < numDevices; ++d) {
    EXPECT_TRUE(read(outputs[d], values).ok());
    EXPECT_THAT(values, ElementsAre(6, 4));
    destroy(arguments[d]);
  }
  outcome = read(pending, values);
  EXPECT_EQ(outcome.code, PJRT_Error_Code_ABORTED);
  EXPECT_THAT(outcome.message,
              AllOf(HasSubstr("has been called on device 1 alone"),
                    HasSubstr("on devices 0, 1, 2, 3 together")));
}

TEST_F(Replicas, ADeviceOfNoneOfTheReplicas) {
  // {executable_build_options: {num_replicas: 2, device_assignment for 0, 1}}
  PJRT_LoadedExecutable *executable = nullptr;
  ASSERT_TRUE(client.compile(sum, replicas(2), executable).ok());
  executables.push_back(executable);
  PJRT_Buffer *result = nullptr;
  EXPECT_THAT(call(executable, 3, buffer(3, {1, 2}), result).message,
              HasSubstr("device 3 is none of the 2 devices"));
}

TEST(ReplicaCalls, RunsThatWaitEndWithTheClient) {
  PJRT_Buffer *result = nullptr, *argument = nullptr;
  PJRT_LoadedExecutable *executable = nullptr;
  {
    TestClient client(torchClient(numDevices));
    ASSERT_TRUE(client.compile(sum, replicas(numDevices), executable).ok());
    float values[2] = {1, 2};
    ASSERT_TRUE(client
                    .fromHost(values, PJRT_Buffer_Type_F32, {2},
                              client.devices()[0], argument)
                    .ok());
    ASSERT_TRUE(
        callOn(client.devices()[0], executable, {argument}, result).ok());
  }
  std::vector<float> values(2);
  EXPECT_THAT(toHost(result, values).message,
              HasSubstr("waiting for calls of devices 1, 2, 3, and the client "
                        "was destroyed"));
  destroy(result);
  destroy(argument);
  destroy(executable);
}

/// A donated argument comes back if the run did not begin.
TEST_F(Replicas, DonatedArguments) {
  std::string donating = sum;
  donating.replace(donating.find("%x: tensor<2xf32>"), 17,
                   "%x: tensor<2xf32> {tf.aliasing_output = 0 : i32}");
  PJRT_LoadedExecutable *program = compile(donating), *two = compile(twoSums);
  PJRT_Buffer *argument = buffer(0, {1, 2}), *result = nullptr, *other;
  ASSERT_TRUE(callOn(client.devices()[0], program, {argument}, result).ok());
  auto isDeleted = [&] {
    auto args = make<PJRT_Buffer_IsDeleted_Args>();
    args.buffer = argument;
    EXPECT_TRUE(take(api()->PJRT_Buffer_IsDeleted(&args)).ok());
    return args.is_deleted;
  };
  EXPECT_TRUE(isDeleted());
  for (int d : {1, 2, 3})
    EXPECT_FALSE(call(two, d, buffer(d, {1, 2}), other).ok());
  std::vector<float> values(2);
  EXPECT_FALSE(read(result, values).ok());
  EXPECT_FALSE(isDeleted());
  ASSERT_TRUE(toHost(argument, values).ok());
  EXPECT_THAT(values, ElementsAre(1, 2));
  ASSERT_TRUE(callOn(client.devices()[0], program, {argument}, result).ok());
  for (int d : {1, 2, 3}) {
    ASSERT_TRUE(call(program, d, buffer(d, {1, 2}), other).ok());
    destroy(other);
  }
  EXPECT_TRUE(read(result, values).ok());
  EXPECT_THAT(values, ElementsAre(4, 8));
  destroy(argument);
}

} // namespace
