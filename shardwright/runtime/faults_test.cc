//===- faults_test.cc - a failure ends its call and nothing else ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocations, kernels and collectives fail one after the other, wherever they
// happen in a run; each time the call returns an error that says what failed,
// and the next call on the same client and executable is right.
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/fault_injection.h"
#include "shardwright/cpu/memory_plan.h"
#include "shardwright/runtime/executable.h"

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

/// x + 1, reduced by pairs on the devices whose flag is set, sent round the
/// ring, and reduced over all. With flags that differ the devices part.
ExecutableParts ringOfSums() {
  ExecutableParts parts;
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
  step(StepKind::Return, {}, {});
  cpu::planMemory(p);
  return parts;
}

class Faults : public testing::TestWithParam<std::tuple<int, bool>> {
protected:
  Faults() : client(std::get<0>(GetParam())) {
    bool parts = std::get<1>(GetParam());
    auto made = Executable::create(ringOfSums());
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
    // Devices 0 and 1 hold sums of their pair when the flag is set.
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
    // The first run of an executable makes its arenas.
    auto fresh = Executable::create(ringOfSums());
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
  auto other = Executable::create(ringOfSums());
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
    all.push_back(
        {llvm::cantFail(Buffer::copyOf(xs, ElementType::F32, {2}, {}, d)),
         llvm::cantFail(Buffer::copyOf(flag, ElementType::Pred, {1}, {}, d))});
  }
  return all;
}

TEST_P(Faults, AnAsynchronousRunFailsWhereItIsAwaited) {
  auto arguments = buffersOf(x, flags);
  for (FaultKind kind : {FaultKind::Kernel, FaultKind::Collective}) {
    InjectedFault fault(kind, 2);
    auto failing = executable->execute(arguments, client);
    ASSERT_TRUE(bool(failing)) << toString(failing.takeError());
    // What reads its results fails for the same reason; others do not.
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

TEST_P(Faults, AnAllocationForResultsFails) {
  auto arguments = buffersOf(x, flags);
  for (int64_t after = 0; after < numDevices; ++after) {
    InjectedFault fault(FaultKind::Allocation, -1, after);
    auto failing = executable->execute(arguments, client);
    ASSERT_FALSE(bool(failing));
    EXPECT_EQ(toString(failing.takeError()),
              "not enough memory for result 0 of device " +
                  std::to_string(after));
    EXPECT_EQ(run(), "");
  }
}

} // namespace
