//===- gathered_run_test.cc - runs that devices start one by one ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/backend/cpu_backend.h"
#include "shardwright/cpu/execute/executor_test_util.h"

#include "gmock/gmock.h"

using namespace shardwright;
using namespace shardwright::cpu;
using namespace shardwright::cpu::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

constexpr int32_t numDevices = 3;
const llvm::SmallVector<DeviceId, 3> devices = {0, 1, 2};

/// r = the sum over all devices of x + `times`, and x + `times` itself.
Program sumAfter(int times) {
  Builder b(numDevices);
  SlotId x = b.addOnes(b.argument(), times), sum = b.result(), own = b.result();
  b.allReduce(x, sum, {{0, 1, 2}});
  b.step(StepKind::Copy, {x}, {own});
  return asReplicas(b.finish());
}

std::shared_ptr<LoadedProgram> load(Program p, bool donates = false) {
  return llvm::cantFail(
      makeLoadedProgram(std::move(p), ArgumentDonation{donates, 0}));
}

class GatheredRuns : public testing::Test {
protected:
  RunRequest request(int32_t device) {
    const int64_t shape[] = {width};
    float data[width];
    for (int64_t k = 0; k < width; ++k)
      data[k] = device * 10 + k;
    auto made = llvm::cantFail(
        backend->copyFromHost({data, ElementType::F32, shape}, {device}));
    RunRequest request;
    request.arguments.push_back({std::move(made.storage), true});
    return request;
  }
  StartedRun join(GatheredRun &run, LoadedProgram &program, int32_t device) {
    RunRequest part = request(device);
    return llvm::cantFail(run.join(device, program, part));
  }
  static std::vector<float> read(const StartedRun &run, int result) {
    auto *data = static_cast<float *>(run.results[result]->hostView());
    return {data, data + width};
  }

  std::shared_ptr<Backend> backend =
      makeBackend(std::make_shared<ThreadPool>(2), numDevices);
};

TEST_F(GatheredRuns, ProgramsOfEachDevice) {
  std::shared_ptr<LoadedProgram> none = load(sumAfter(0)),
                                 one = load(sumAfter(1)),
                                 again = load(sumAfter(1));
  EXPECT_TRUE(none->runsWith(*one));
  EXPECT_TRUE(one->runsWith(*again));
  EXPECT_TRUE(none->communicates());
  auto run = llvm::cantFail(one->gather(*backend, devices));
  StartedRun started[numDevices];
  started[2] = join(*run, *one, 2);
  started[0] = join(*run, *none, 0);
  EXPECT_FALSE(started[2].done.isReady());
  started[1] = join(*run, *again, 1);
  for (int d = 0; d < numDevices; ++d) {
    ASSERT_EQ(messageOf(started[d].done.await()), "");
    EXPECT_THAT(read(started[d], 0), ElementsAre(32, 35, 38, 41));
    float own = d * 10 + (d > 0);
    EXPECT_THAT(read(started[d], 1),
                ElementsAre(own, own + 1, own + 2, own + 3));
  }
  run->cancel("too late");
}

TEST_F(GatheredRuns, TheRunOutlivesItsPrograms) {
  StartedRun started[numDevices];
  Event input;
  {
    std::shared_ptr<LoadedProgram> one = load(sumAfter(1)),
                                   two = load(sumAfter(2));
    auto run = llvm::cantFail(one->gather(*backend, devices));
    for (int d = 0; d < numDevices; ++d) {
      RunRequest part = request(d);
      part.after.push_back(input);
      started[d] = llvm::cantFail(run->join(d, d == 1 ? *two : *one, part));
    }
  }
  EXPECT_FALSE(started[0].done.isReady());
  input.set();
  ASSERT_EQ(messageOf(started[0].done.await()), "");
  EXPECT_THAT(read(started[1], 0), ElementsAre(34, 37, 40, 43));
}

TEST_F(GatheredRuns, AFailedInputFailsTheRun) {
  std::shared_ptr<LoadedProgram> program = load(sumAfter(1));
  auto run = llvm::cantFail(program->gather(*backend, devices));
  StartedRun started;
  for (int d = 0; d < numDevices; ++d) {
    RunRequest part = request(d);
    if (d == 1) {
      part.after.emplace_back();
      part.after.back().set(llvm::createStringError("no such value"));
    }
    started = llvm::cantFail(run->join(d, *program, part));
  }
  EXPECT_EQ(messageOf(started.done.await()), "no such value");
}

TEST_F(GatheredRuns, ACancelledRunReturnsItsArguments) {
  std::shared_ptr<LoadedProgram> program = load(sumAfter(1), true);
  auto run = llvm::cantFail(program->gather(*backend, devices));
  RunRequest part = request(1);
  std::shared_ptr<DeviceStorage> given = part.arguments[0].storage, returned;
  part.returnArguments = [&](RunArguments arguments) {
    ASSERT_EQ(arguments.size(), 1u);
    returned = arguments[0].storage;
  };
  StartedRun started = llvm::cantFail(run->join(1, *program, part));
  EXPECT_EQ(started.results[0], given); // it reuses the memory
  run->cancel("device 0 has failed");
  EXPECT_EQ(messageOf(started.done.await()), "device 0 has failed");
  EXPECT_EQ(returned, given);
  RunRequest late = request(2);
  EXPECT_EQ(messageOf(run->join(2, *program, late).takeError()),
            "device 0 has failed");
  EXPECT_EQ(late.arguments.size(), 1u);
}

TEST_F(GatheredRuns, OtherCollectivesDoNotRunWithThese) {
  std::shared_ptr<LoadedProgram> sum = load(sumAfter(0));
  Builder b(numDevices);
  SlotId x = b.argument(), r = b.result();
  b.allReduce(x, r, {{0, 1}});
  Program other = b.finish();
  EXPECT_FALSE(sum->runsWith(*load(asReplicas(other))));
  EXPECT_FALSE(load(other)->runsWith(*sum));
}

TEST_F(GatheredRuns, OnePositionOfAProgramThatDoesNotCommunicate) {
  Builder b(numDevices);
  SlotId x = b.argument(), number = b.slot(ElementType::S32, {}),
         next = b.slot(ElementType::S32, {}), r = b.result();
  b.step(StepKind::ReplicaId, {}, {number});
  b.kernel(increment, {number}, {next}, 1);
  b.kernel(
      [](void *const *in, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          at<float>(in[2], i) = at<float>(in[0], i) + at<int32_t>(in[1]);
      },
      {x, next}, {r});
  std::shared_ptr<LoadedProgram> program = load(asReplicas(b.finish()));
  EXPECT_FALSE(program->communicates());
  for (int d : {2, 0, 1}) {
    auto run = llvm::cantFail(program->gather(*backend, devices, d));
    RunRequest part = request(d);
    StartedRun started = llvm::cantFail(run->join(0, *program, part));
    ASSERT_EQ(messageOf(started.done.await()), "");
    float own = d * 10 + d + 1;
    EXPECT_THAT(read(started, 0), ElementsAre(own, own + 1, own + 2, own + 3));
  }
}

} // namespace
