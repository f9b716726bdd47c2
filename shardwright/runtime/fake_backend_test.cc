//===- fake_backend_test.cc - the runtime over a non-CPU backend ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime must work with this backend, without cpu/.
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/fake_backend_test_util.h"
#include "shardwright/runtime/sharded_array.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstring>

using namespace shardwright;
using namespace shardwright::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

using E = ElementType;

class FakeBackendTest : public testing::Test {
protected:
  FakeBackendTest() { make(2); }

  /// Makes a program of `numDevices` positions.
  void make(int32_t numDevices) {
    program = std::make_shared<Doubling>(numDevices);
    executable = makeExecutable(program);
  }
  Buffer floats(std::vector<float> v, DeviceId device) {
    return llvm::cantFail(
        client.copyFromHost({v.data(), E::F32, {int64_t(v.size())}}, device));
  }
  std::vector<float> values(const Buffer &buffer) {
    std::vector<float> out(buffer.elements());
    auto done = llvm::cantFail(buffer.whenOnHost([&](const void *elements) {
      std::memcpy(out.data(), elements, buffer.bytes());
    }));
    devices->complete();
    llvm::cantFail(done.await());
    return out;
  }
  int idOf(const Buffer &buffer) {
    return std::static_pointer_cast<FakeStorage>(
               llvm::cantFail(buffer.storage()))
        ->id;
  }

  /// Devices 0 and 1 are local, device 2 is of another process.
  std::shared_ptr<FakeBackend> backend =
      std::make_shared<FakeBackend>(llvm::ArrayRef<int32_t>{0, 0, 1});
  std::shared_ptr<FakeDevices> devices = backend->devices;
  Client client{backend, 1};
  std::shared_ptr<Doubling> program;
  std::unique_ptr<Executable> executable;
};

TEST_F(FakeBackendTest, RunsEndWhenTheBackendSaysSo) {
  Buffer a = floats({1, 2, 3, 4}, 0), b = floats({5, 6, 7, 8}, 1);
  EXPECT_FALSE(a.ready().isReady());
  ExecuteOptions options;
  options.keep = {0};
  Execution run =
      llvm::cantFail(executable->execute({{a}, {b}}, client, options));
  EXPECT_FALSE(run.done.isReady());
  EXPECT_FALSE(a.isDonated());
  EXPECT_THAT(values(run.results[0][0]), ElementsAre(2, 4, 6, 8));
  EXPECT_THAT(values(run.results[1][0]), ElementsAre(10, 12, 14, 16));
  EXPECT_THAT(values(a), ElementsAre(1, 2, 3, 4));
  EXPECT_TRUE(run.done.isReady());
  EXPECT_EQ(executable->peakBytesPerDevice(), 40);
}

TEST_F(FakeBackendTest, ADonatedArgumentBecomesTheResult) {
  Buffer a = floats({1, 2, 3, 4}, 0), b = floats({5, 6, 7, 8}, 1);
  devices->complete(); // the transfers hold the storage until then
  int first = idOf(a), second = idOf(b);
  auto held = llvm::cantFail(b.storage());
  Execution run = llvm::cantFail(executable->execute({{a}, {b}}, client));
  EXPECT_TRUE(a.isDonated());
  EXPECT_TRUE(b.isDonated());
  EXPECT_EQ(idOf(run.results[0][0]), first);
  EXPECT_NE(idOf(run.results[1][0]), second) << "somebody else holds it";
  EXPECT_THAT(values(run.results[0][0]), ElementsAre(2, 4, 6, 8));
  EXPECT_THAT(values(run.results[1][0]), ElementsAre(10, 12, 14, 16));
  run = {};
  held.reset();
  EXPECT_TRUE(devices->memory.empty());
}

TEST_F(FakeBackendTest, ArgumentsOfARunThatDoesNotBeginAreGivenBack) {
  for (Fault fault : {Fault::Refused, Fault::Untouched}) {
    Buffer a = floats({1, 2, 3, 4}, 0), b = floats({5, 6, 7, 8}, 1);
    program->fault = fault;
    auto run = executable->execute({{a}, {b}}, client);
    devices->complete();
    if (fault == Fault::Refused)
      EXPECT_EQ(toString(run.takeError()), "no room for the results");
    else
      EXPECT_EQ(toString(run->done.await()), "the device is broken");
    EXPECT_FALSE(a.isDonated());
    EXPECT_THAT(values(b), ElementsAre(5, 6, 7, 8));
  }
}

TEST_F(FakeBackendTest, AFailedRunFailsItsResultsAndWhatReadsThem) {
  Buffer a = floats({1, 2, 3, 4}, 0), b = floats({5, 6, 7, 8}, 1);
  program->fault = Fault::Failed;
  Execution run = llvm::cantFail(executable->execute({{a}, {b}}, client));
  devices->complete();
  EXPECT_TRUE(a.isDonated());
  EXPECT_EQ(toString(run.results[1][0].await().takeError()),
            "the device is broken");
  program->fault = Fault::None;
  Execution next = llvm::cantFail(
      executable->execute({run.results[0], run.results[1]}, client));
  devices->complete();
  EXPECT_EQ(toString(next.done.await()), "the device is broken");
}

TEST_F(FakeBackendTest, GlobalArraysGoThereAndComeBack) {
  devices->isLate = false;
  Array x = llvm::cantFail(Array::allocate(E::F32, {8}));
  for (int i = 0; i < 8; ++i)
    static_cast<float *>(x.data())[i] = float(i);
  std::vector<Array> results = llvm::cantFail(executable->run({x}, client));
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(static_cast<float *>(x.data())[i], i);
    EXPECT_EQ(static_cast<float *>(results[0].data())[i], 2 * i);
  }
  program->fault = Fault::Failed;
  EXPECT_EQ(toString(executable->run({x}, client).takeError()),
            "the device is broken");
}

TEST_F(FakeBackendTest, BuffersMoveBetweenDevices) {
  Buffer a = floats({1, 2, 3, 4}, 0);
  Buffer same = llvm::cantFail(a.on(0, MemoryKind::Device));
  EXPECT_EQ(idOf(same), idOf(a));
  Buffer other = llvm::cantFail(a.on(1, MemoryKind::Device));
  EXPECT_EQ(other.device(), 1);
  EXPECT_NE(idOf(other), idOf(a));
  EXPECT_FALSE(other.ready().isReady());
  same = a = llvm::cantFail(a.copy());
  EXPECT_THAT(values(other), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(values(a), ElementsAre(1, 2, 3, 4));
  devices->isLate = false;
  auto elements = llvm::cantFail(a.await());
  EXPECT_EQ(static_cast<const float *>(elements.get())[3], 4);
}

TEST_F(FakeBackendTest, OnlyLocalPositionsHaveArguments) {
  EXPECT_EQ(client.numDevices(), 3);
  Buffer a = floats({1, 2, 3, 4}, 1);
  EXPECT_THAT(
      toString(client.copyFromHost({nullptr, E::F32, {4}}, 2).takeError()),
      HasSubstr("device 2 belongs to process 1, not to this one"));
  ExecuteOptions options;
  options.devices = {2, 1};
  Execution run = llvm::cantFail(
      executable->execute(std::vector<Buffer>{a}, client, options));
  ASSERT_EQ(run.results.size(), 1u);
  EXPECT_EQ(run.results[0][0].device(), 1);
  EXPECT_THAT(values(run.results[0][0]), ElementsAre(2, 4, 6, 8));
  EXPECT_EQ(
      toString(executable->execute({{a}, {a}}, client, options).takeError()),
      "the program runs on 1 devices, but was given arguments of 2");
}

TEST_F(FakeBackendTest, RefusedRunsAreAbandoned) {
  // Otherwise the process of device 2 would wait for this one.
  Buffer a = floats({1, 2, 3, 4}, 1), wrong = floats({1, 2}, 1);
  ExecuteOptions options;
  options.devices = {2, 1};
  std::vector<std::string> errors;
  auto refused = [&](std::vector<std::vector<Buffer>> arguments) {
    errors.push_back(
        toString(executable->execute(arguments, client, options).takeError()));
  };
  refused({{a}, {a}});
  refused({{a, a}});
  refused({{wrong}});
  errors.push_back(
      toString(executable->executeFlat({a, a}, client, options).takeError()));
  llvm::cantFail(executable->execute(std::vector<Buffer>{a}, client, options));
  refused({{a}}); // donated by the run before
  ASSERT_EQ(program->abandoned.size(), errors.size());
  for (auto [call, error] : llvm::zip_equal(program->abandoned, errors)) {
    EXPECT_THAT(call.first, ElementsAre(DeviceId(2), DeviceId(1)));
    EXPECT_EQ(call.second, error);
  }
  client.drain(); // the run uses the program
}

TEST_F(FakeBackendTest, DevicesOfRunsExist) {
  Buffer a = floats({1, 2, 3, 4}, 1);
  ExecuteOptions options;
  options.devices = {1, 3};
  EXPECT_EQ(
      toString(executable->execute(std::vector<Buffer>{a}, client, options)
                   .takeError()),
      "there is no device 3, which position 1 of the program is to run "
      "on");
  EXPECT_EQ(toString(backend->checkAddressable(3)), "there is no device 3");
}

TEST_F(FakeBackendTest, RunsOnGlobalArraysNeedAllDevices) {
  make(3);
  Array x = llvm::cantFail(Array::allocate(E::F32, {12}));
  EXPECT_EQ(toString(executable->run({x}, client).takeError()),
            "a run on global arrays needs all of its 3 devices in this "
            "process, but device 2 belongs to process 1, not to this one; use "
            "runLocal in each process of the job");
}

/// Process 1 of two with two devices each.
struct SecondProcess {
  SecondProcess() { backend->devices->isLate = false; }
  std::shared_ptr<FakeBackend> backend =
      std::make_shared<FakeBackend>(llvm::ArrayRef<int32_t>{0, 0, 1, 1}, 1);
  Client client{backend, 1};
};

Array countedArray(llvm::ArrayRef<int64_t> shape) {
  Array array = llvm::cantFail(Array::allocate(E::F32, shape));
  for (int64_t i = 0; i < array.elements(); ++i)
    static_cast<float *>(array.data())[i] = float(i);
  return array;
}

std::vector<float> elements(const Buffer &buffer) {
  std::vector<float> out(buffer.elements());
  llvm::cantFail(buffer.copyTo(out.data()));
  return out;
}

TEST(FakeJob, RunsTakeAndGiveBuffersOfLocalPositions) {
  SecondProcess job;
  auto executable = makeExecutable(std::make_shared<Doubling>(4));
  Mesh mesh({{"x", 4}});
  TensorSharding sharding = TensorSharding::closed(1);
  sharding.dims[0].axes = {mesh.fullAxis(0)};
  ShardedArray x = llvm::cantFail(
      ShardedArray::fromHost(countedArray({16}), mesh, sharding, job.client));
  ASSERT_EQ(x.buffers().size(), 2u);
  Execution run = llvm::cantFail(
      executable->execute({{x.buffers()[0]}, {x.buffers()[1]}}, job.client));
  ASSERT_EQ(run.results.size(), 2u);
  EXPECT_EQ(run.results[0][0].device(), 2);
  EXPECT_THAT(elements(run.results[0][0]), ElementsAre(16, 18, 20, 22));
  EXPECT_EQ(run.results[1][0].device(), 3);
  EXPECT_THAT(elements(run.results[1][0]), ElementsAre(24, 26, 28, 30));
  // No position is local: nothing to give, and nothing comes back.
  ExecuteOptions options;
  options.devices = {1, 0};
  auto elsewhere = makeExecutable(std::make_shared<Doubling>(2));
  run = llvm::cantFail(elsewhere->execute({}, job.client, options));
  EXPECT_TRUE(run.results.empty());
}

TEST(FakeJob, ShardedArraysHaveTheLocalShards) {
  SecondProcess job;
  Mesh mesh({{"x", 2}, {"y", 2}});
  Array global = countedArray({4});
  auto make = [&](int axis) {
    TensorSharding sharding = TensorSharding::closed(1);
    sharding.dims[0].axes = {mesh.fullAxis(axis)};
    return llvm::cantFail(
        ShardedArray::fromHost(global, mesh, sharding, job.client));
  };
  // Devices 0 and 2 have equal parts, as have 1 and 3.
  ShardedArray copied = make(1);
  ASSERT_EQ(copied.buffers().size(), 2u);
  EXPECT_EQ(copied.buffers()[0].device(), 2);
  EXPECT_THAT(elements(copied.buffers()[0]), ElementsAre(0, 1));
  EXPECT_THAT(elements(copied.buffers()[1]), ElementsAre(2, 3));
  EXPECT_EQ(copied.replica(2), 1);
  Array back = llvm::cantFail(copied.toHost(job.client));
  EXPECT_EQ(std::memcmp(back.data(), global.data(), global.bytes()), 0);
  // The first half is with the other process alone.
  ShardedArray split = make(0);
  EXPECT_THAT(elements(split.buffers()[0]), ElementsAre(2, 3));
  EXPECT_EQ(toString(split.toHost(job.client).takeError()),
            "the array f32[4] is not all in this process: a part of it is only "
            "on device 0");
  ShardedArray same = llvm::cantFail(ShardedArray::fromBuffers(
      {4}, mesh, copied.sharding(), copied.buffers().vec(), job.client));
  EXPECT_EQ(llvm::cantFail(same.toHost(job.client)).shape()[0], 4);
  auto message = [&](std::vector<Buffer> buffers) {
    return toString(ShardedArray::fromBuffers({4}, mesh, copied.sharding(),
                                              std::move(buffers), job.client)
                        .takeError());
  };
  EXPECT_EQ(message({copied.buffers()[0]}),
            "1 buffers for a mesh of 4 devices, of which this process has 2");
  EXPECT_EQ(message({copied.buffers()[1], copied.buffers()[0]}),
            "a buffer of device 3 is in the place of that of device 2; "
            "give buffers in the order of devices");
}

TEST(FakeJob, SummandsAreNotAddedUpWithoutTheOthers) {
  SecondProcess job;
  Mesh mesh({{"x", 4}});
  TensorSharding sharding = TensorSharding::closed(1);
  sharding.unreduced = {mesh.fullAxis(0)};
  ShardedArray array = llvm::cantFail(
      ShardedArray::fromHost(countedArray({3}), mesh, sharding, job.client));
  // Device 0 has the value.
  for (const Buffer &buffer : array.buffers())
    EXPECT_THAT(elements(buffer), ElementsAre(0, 0, 0));
  EXPECT_THAT(toString(array.toHost(job.client).takeError()),
              HasSubstr("only on device 0"));
}

TEST_F(FakeBackendTest, SavedProgramsNameTheirBackend) {
  std::string bytes = llvm::cantFail(executable->serialize());
  auto loaded = llvm::cantFail(Executable::deserialize(bytes, *backend));
  EXPECT_EQ(loaded->numDevices(), 2);
  EXPECT_EQ(llvm::cantFail(loaded->serialize()), bytes);
  EXPECT_EQ(toString(Executable::deserialize(bytes).takeError()),
            "the executable cannot be loaded: it is for backend 'fake', and "
            "this one is 'cpu'");
}

} // namespace
