//===- faults_test.cc - a failure only affects its call -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocations, kernels and collectives fail in turn, at every point of a run.
// Each time, the call must return an error that names the failure, and the next
// call on the same client and executable must be correct.
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/executable.h"
#include "shardwright/runtime/program_parts_for_tests.h"
#include "shardwright/support/fault_injection.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstring>
#include <thread>

using namespace shardwright;
using cpu::FaultKind;
using cpu::InjectedFault;
using cpu::StepKind;
using testing::AnyOf;
using testing::HasSubstr;

namespace {

constexpr int32_t numDevices = 4;

void addOne(void *const *b, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    static_cast<float *>(b[1])[i] = static_cast<const float *>(b[0])[i] + 1;
}

/// Computes x + 1, reduced by pairs on the devices whose flag is set, permuted
/// around the ring, and reduced over all devices. If the flags differ, the
/// devices diverge. `two`: the permuted value is also a result.
ProgramParts ringOfSums(bool two = false) {
  ProgramParts parts;
  parts.meshes.push_back(Mesh({{"x", numDevices}}));
  TensorSharding sharding = TensorSharding::closed(1);
  sharding.dims[0].axes = {parts.meshes[0].fullAxis(0)};
  parts.arguments = {
      {"x", ElementType::F32, {2 * numDevices}, sharding, 0},
      {"flag", ElementType::Pred, {numDevices}, sharding, 0},
  };
  parts.results = {{"sum", ElementType::F32, {2 * numDevices}, sharding, 0}};

  cpu::Program &p = parts.program;
  p.numPartitions = numDevices;
  auto slot = [&](cpu::Slot::Home home, int32_t index, ElementType type,
                  int64_t size) {
    cpu::Slot s;
    s.home = home;
    s.index = index;
    s.type = type;
    s.shape = {size};
    p.slots.push_back(s);
    return cpu::SlotId(p.slots.size() - 1);
  };
  using Home = cpu::Slot::Home;
  auto x = slot(Home::Argument, 0, ElementType::F32, 2);
  auto flag = slot(Home::Argument, 1, ElementType::Pred, 1);
  auto y = slot(Home::Arena, -1, ElementType::F32, 2);
  auto z = slot(Home::Arena, -1, ElementType::F32, 2);
  auto w = slot(Home::Arena, -1, ElementType::F32, 2);
  auto r = slot(Home::Result, 0, ElementType::F32, 2);
  p.arguments = {x, flag};
  p.results = {r};
  if (two) {
    parts.results.push_back(parts.results[0]);
    p.results.push_back(slot(Home::Result, 1, ElementType::F32, 2));
  }
  auto step = [&](StepKind kind, std::vector<cpu::SlotId> in,
                  std::vector<cpu::SlotId> out, int32_t payload = -1) {
    cpu::Step s;
    s.kind = kind;
    s.payload = payload;
    s.inputs.assign(in.begin(), in.end());
    s.outputs.assign(out.begin(), out.end());
    p.steps.push_back(s);
    return p.steps.size() - 1;
  };
  auto collective = [&](cpu::CollectiveKind kind, cpu::SlotId in,
                        cpu::SlotId out,
                        std::vector<llvm::SmallVector<int32_t, 8>> groups) {
    cpu::CollectiveSpec c;
    c.kind = kind;
    c.type = ElementType::F32;
    c.inputShape = c.outputShape = {2};
    if (kind == cpu::CollectiveKind::CollectivePermute)
      for (int32_t d = 0; d < numDevices; ++d)
        c.pairs.push_back({d, (d + 1) % numDevices});
    else
      c.groups = std::move(groups);
    p.collectives.push_back(c);
    step(StepKind::Collective, {in}, {out}, p.collectives.size() - 1);
  };
  p.kernels.push_back({"add_one", addOne, 2, 10});
  step(StepKind::Kernel, {x}, {y}, 0);
  size_t test = step(StepKind::JumpIfFalse, {flag}, {});
  collective(cpu::CollectiveKind::AllReduce, y, z, {{0, 1}, {2, 3}});
  size_t over = step(StepKind::Jump, {}, {});
  p.steps[test].target = p.steps.size();
  step(StepKind::Copy, {y}, {z});
  p.steps[over].target = p.steps.size();
  collective(cpu::CollectiveKind::CollectivePermute, z, w, {});
  collective(cpu::CollectiveKind::AllReduce, w, r, {});
  if (two)
    step(StepKind::Copy, {w}, {p.results[1]});
  step(StepKind::Return, {}, {});
  cpu::planMemory(p);
  return parts;
}

class Faults : public testing::TestWithParam<std::tuple<int, bool>> {
protected:
  Faults() : client(std::get<0>(GetParam())) {
    bool parts = std::get<1>(GetParam());
    auto made = makeExecutable(ringOfSums());
    if (!made)
      ADD_FAILURE() << toString(made.takeError());
    else
      executable = std::move(*made);
    x = llvm::cantFail(Array::allocate(ElementType::F32, {2 * numDevices}));
    flags = llvm::cantFail(Array::allocate(ElementType::Pred, {numDevices}));
    for (int i = 0; i < 2 * numDevices; ++i)
      static_cast<float *>(x.data())[i] = float(i);
    for (int d = 0; d < numDevices; ++d)
      static_cast<uint8_t *>(flags.data())[d] = !parts || d < 2;
    // Devices 0 and 1 hold the sums of their pair if the flag is set.
    float total[2] = {0, 0};
    for (int d = 0; d < numDevices; ++d)
      for (int k = 0; k < 2; ++k)
        total[k] += (2 * d + k + 1) * (!parts || d < 2 ? 2 : 1);
    for (int i = 0; i < 2 * numDevices; ++i)
      expected.push_back(total[i % 2]);
  }

  std::string run(const Executable &which) {
    auto results = which.run({x, flags}, client);
    if (!results)
      return toString(results.takeError());
    if (std::memcmp((*results)[0].data(), expected.data(),
                    expected.size() * sizeof(float)) != 0)
      return "wrong results";
    return "";
  }
  std::string run() { return run(*executable); }

  Client client;
  std::unique_ptr<Executable> executable;
  Array x, flags;
  std::vector<float> expected;
};

INSTANTIATE_TEST_SUITE_P(Threads, Faults,
                         testing::Combine(testing::Values(1, 2, 5),
                                          testing::Bool()));

TEST_P(Faults, EveryAllocationMayFail) {
  int64_t failures = 0;
  for (;; ++failures) {
    ASSERT_LT(failures, 1000);
    // The first run of an executable allocates its arenas.
    auto fresh = makeExecutable(ringOfSums());
    ASSERT_TRUE(bool(fresh));
    std::string message;
    bool happened;
    {
      InjectedFault fault(FaultKind::Allocation, -1, failures);
      message = run(**fresh);
      happened = fault.happened();
    }
    EXPECT_EQ(run(**fresh), "");
    if (!happened) {
      EXPECT_EQ(message, "");
      break;
    }
    EXPECT_THAT(message, HasSubstr("not enough memory"));
  }
  EXPECT_GE(failures, 3); // shards, results, arenas
}

TEST_P(Faults, AKernelFailsOnOneDevice) {
  for (int32_t device = 0; device < numDevices; ++device) {
    InjectedFault fault(FaultKind::Kernel, device);
    EXPECT_THAT(run(), HasSubstr("device " + std::to_string(device) +
                                 ": injected fault"));
    EXPECT_TRUE(fault.happened());
    EXPECT_EQ(run(), "");
  }
}

TEST_P(Faults, ACollectiveFailsOnOneDevice) {
  for (int32_t device = 0; device < numDevices; ++device)
    for (int64_t after = 0; after < 2; ++after) {
      InjectedFault fault(FaultKind::Collective, device, after);
      EXPECT_THAT(run(), HasSubstr("device " + std::to_string(device) +
                                   ": injected fault"));
      EXPECT_TRUE(fault.happened());
      EXPECT_EQ(run(), "");
    }
}

TEST_P(Faults, OtherRunsOfTheClientGoOn) {
  auto other = makeExecutable(ringOfSums());
  ASSERT_TRUE(bool(other));
  for (FaultKind kind : {FaultKind::Kernel, FaultKind::Collective}) {
    InjectedFault fault(kind, 1, 20);
    int failures[2] = {0, 0};
    auto runs = [&](const Executable &which, int &failed) {
      for (int i = 0; i < 30; ++i) {
        std::string message = run(which);
        failed += !message.empty();
        EXPECT_THAT(message, AnyOf("", HasSubstr("device 1: injected fault")));
      }
    };
    std::thread beside([&] { runs(**other, failures[0]); });
    runs(*executable, failures[1]);
    beside.join();
    EXPECT_TRUE(fault.happened());
    EXPECT_EQ(failures[0] + failures[1], 1);
  }
}

/// The arguments of each device as buffers.
std::vector<std::vector<Buffer>> buffersOf(const Array &x, const Array &flags) {
  std::vector<std::vector<Buffer>> all;
  for (int32_t d = 0; d < numDevices; ++d) {
    const char *xs =
        static_cast<const char *>(x.data()) + d * 2 * sizeof(float);
    const char *flag = static_cast<const char *>(flags.data()) + d;
    all.push_back({llvm::cantFail(Client::shared().copyFromHost(
                       {xs, ElementType::F32, {2}}, d)),
                   llvm::cantFail(Client::shared().copyFromHost(
                       {flag, ElementType::Pred, {1}}, d))});
  }
  return all;
}

TEST_P(Faults, AnAsynchronousRunFailsWhereItIsAwaited) {
  auto arguments = buffersOf(x, flags);
  for (FaultKind kind : {FaultKind::Kernel, FaultKind::Collective}) {
    InjectedFault fault(kind, 2);
    auto failing = executable->execute(arguments, client);
    ASSERT_TRUE(bool(failing)) << toString(failing.takeError());
    // A run that reads its results fails with the same error; other runs
    // succeed.
    auto dependent = arguments;
    for (int32_t d = 0; d < numDevices; ++d)
      dependent[d][0] = failing->results[d][0];
    auto after = executable->execute(dependent, client);
    auto beside = executable->execute(arguments, client);
    EXPECT_THAT(toString(failing->done.await()),
                HasSubstr("device 2: injected fault"));
    EXPECT_THAT(toString(failing->results[0][0].await().takeError()),
                HasSubstr("device 2: injected fault"));
    if (after)
      EXPECT_THAT(toString(after->done.await()), HasSubstr("injected fault"));
    else
      EXPECT_THAT(toString(after.takeError()), HasSubstr("injected fault"));
    ASSERT_TRUE(bool(beside)) << toString(beside.takeError());
    EXPECT_EQ(toString(beside->done.await()), "");
    for (int32_t d = 0; d < numDevices; ++d) {
      auto memory = beside->results[d][0].await();
      ASSERT_TRUE(bool(memory)) << toString(memory.takeError());
      EXPECT_EQ(0, std::memcmp(memory->get(), &expected[2 * d], 8));
    }
  }
}

/// The ring with a donated first argument.
std::unique_ptr<Executable> donating() {
  ProgramParts parts = ringOfSums();
  parts.arguments[0].donated = true;
  auto made = makeExecutable(std::move(parts));
  if (made)
    return std::move(*made);
  ADD_FAILURE() << toString(made.takeError());
  return nullptr;
}

void expectSums(const Execution &execution,
                const std::vector<float> &expected) {
  EXPECT_EQ(toString(execution.done.await()), "");
  for (int32_t d = 0; d < numDevices; ++d) {
    auto memory = execution.results[d][0].await();
    ASSERT_TRUE(bool(memory)) << toString(memory.takeError());
    EXPECT_EQ(0, std::memcmp(memory->get(), &expected[2 * d], 8));
  }
}

TEST_P(Faults, DonatedArgumentsEndWithTheRunThatFails) {
  auto program = donating();
  for (FaultKind kind : {FaultKind::Kernel, FaultKind::Collective}) {
    auto arguments = buffersOf(x, flags);
    {
      InjectedFault fault(kind, 1);
      auto failing = program->execute(arguments, client);
      ASSERT_TRUE(bool(failing)) << toString(failing.takeError());
      EXPECT_THAT(toString(failing->done.await()),
                  HasSubstr("device 1: injected fault"));
    }
    // The donated buffers report that they are gone; the flags are not donated.
    for (int32_t d = 0; d < numDevices; ++d) {
      EXPECT_TRUE(arguments[d][0].isDonated());
      EXPECT_FALSE(arguments[d][1].isDonated());
    }
    auto again = program->execute(arguments, client);
    ASSERT_FALSE(bool(again));
    EXPECT_THAT(toString(again.takeError()), HasSubstr("donated"));
    auto fresh = buffersOf(x, flags);
    auto right = program->execute(fresh, client);
    ASSERT_TRUE(bool(right)) << toString(right.takeError());
    expectSums(*right, expected);
  }
}

TEST_P(Faults, WhereResultsCannotBeAllocatedNothingIsTaken) {
  // One result reuses the memory of the argument, the other needs new memory.
  ProgramParts parts = ringOfSums(/*two=*/true);
  parts.arguments[0].donated = true;
  auto made = makeExecutable(std::move(parts));
  ASSERT_TRUE(bool(made)) << toString(made.takeError());
  auto arguments = buffersOf(x, flags);
  for (int64_t after = 0; after < numDevices; ++after) {
    InjectedFault fault(FaultKind::Allocation, -1, after);
    auto failing = (*made)->execute(arguments, client);
    ASSERT_FALSE(bool(failing));
    EXPECT_THAT(toString(failing.takeError()),
                HasSubstr("not enough memory for result"));
    for (int32_t d = 0; d < numDevices; ++d)
      EXPECT_FALSE(arguments[d][0].isDonated());
  }
  auto right = (*made)->execute(arguments, client);
  ASSERT_TRUE(bool(right)) << toString(right.takeError());
  expectSums(*right, expected);
  for (int32_t d = 0; d < numDevices; ++d)
    EXPECT_TRUE(arguments[d][0].isDonated());
}

TEST_P(Faults, OneOfManyInFlightFails) {
  constexpr int runs = 12;
  for (FaultKind kind : {FaultKind::Kernel, FaultKind::Collective})
    for (int64_t after : {0, 3, 7}) {
      InjectedFault fault(kind, 3, after);
      auto arguments = buffersOf(x, flags);
      std::vector<Execution> started;
      for (int i = 0; i < runs; ++i) {
        auto execution = executable->execute(arguments, client);
        ASSERT_TRUE(bool(execution)) << toString(execution.takeError());
        started.push_back(std::move(*execution));
      }
      int failed = 0;
      for (const Execution &execution : started) {
        std::string message = toString(execution.done.await());
        EXPECT_THAT(message, AnyOf("", HasSubstr("device 3: injected fault")));
        failed += !message.empty();
        // Its results fail too, on every device; results of other runs do not.
        for (int32_t d = 0; d < numDevices; ++d) {
          auto memory = execution.results[d][0].await();
          EXPECT_EQ(bool(memory), message.empty());
          if (!memory)
            EXPECT_EQ(toString(memory.takeError()), message);
          else
            EXPECT_EQ(0, std::memcmp(memory->get(), &expected[2 * d], 8));
        }
      }
      EXPECT_TRUE(fault.happened());
      EXPECT_EQ(failed, 1);
    }
}

TEST_P(Faults, ARunThatWaitsForItsArgumentsFailsWithThem) {
  auto arguments = buffersOf(x, flags), late = arguments;
  Event first, second;
  auto promise = [&](const Event &ready) {
    auto memory = llvm::cantFail(arguments[1][0].storage());
    return Buffer(1, MemoryKind::Device, ElementType::F32, {2},
                  std::move(memory), ready);
  };
  // One run whose argument never arrives, one whose kernel fails after its
  // argument has arrived, and one run behind them.
  late[1][0] = promise(first);
  auto never = executable->execute(late, client);
  ASSERT_TRUE(bool(never)) << toString(never.takeError());
  late[1][0] = promise(second);
  auto failing = executable->execute(late, client);
  ASSERT_TRUE(bool(failing)) << toString(failing.takeError());
  auto beside = executable->execute(arguments, client);
  ASSERT_TRUE(bool(beside)) << toString(beside.takeError());
  InjectedFault fault(FaultKind::Kernel, 0);
  first.set(llvm::createStringError("the argument was lost"));
  EXPECT_THAT(toString(never->done.await()),
              HasSubstr("the argument was lost"));
  EXPECT_FALSE(fault.happened());
  second.set();
  EXPECT_THAT(toString(failing->done.await()),
              HasSubstr("device 0: injected fault"));
  expectSums(*beside, expected);
  EXPECT_EQ(run(), "");
}

TEST_P(Faults, AnyAllocationOfAnAsynchronousRunMayFail) {
  for (int64_t failures = 0;; ++failures) {
    ASSERT_LT(failures, 1000);
    // The first run of an executable allocates its arenas.
    auto fresh = donating();
    auto arguments = buffersOf(x, flags);
    bool happened;
    std::string message;
    {
      InjectedFault fault(FaultKind::Allocation, -1, failures);
      auto execution = fresh->execute(arguments, client);
      message =
          toString(execution ? execution->done.await() : execution.takeError());
      happened = fault.happened();
    }
    if (happened)
      EXPECT_THAT(message, HasSubstr("not enough memory"));
    else
      EXPECT_EQ(message, "");
    auto again = buffersOf(x, flags);
    auto right = fresh->execute(again, client);
    ASSERT_TRUE(bool(right)) << toString(right.takeError());
    expectSums(*right, expected);
    if (!happened)
      break;
  }
}

TEST_P(Faults, AnAllocationForResultsFails) {
  auto arguments = buffersOf(x, flags);
  for (int64_t after = 0; after < numDevices; ++after) {
    InjectedFault fault(FaultKind::Allocation, -1, after);
    auto failing = executable->execute(arguments, client);
    ASSERT_FALSE(bool(failing));
    EXPECT_THAT(toString(failing.takeError()),
                HasSubstr("not enough memory for result 0 of device " +
                          std::to_string(after) + ", "));
    EXPECT_EQ(run(), "");
  }
}

} // namespace
