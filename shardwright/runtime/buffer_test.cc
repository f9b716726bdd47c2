//===- buffer_test.cc - buffers, donation, execution ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/buffer.h"

#include "shardwright/backend/host_storage.h"
#include "shardwright/runtime/dlpack.h"
#include "shardwright/runtime/executable.h"
#include "shardwright/runtime/program_parts_for_tests.h"
#include "shardwright/runtime/random.h"
#include "shardwright/runtime/sharded_array.h"
#include "shardwright/support/fault_injection.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <dlpack/dlpack.h>

#include <cmath>
#include <cstring>
#include <thread>

using namespace shardwright;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

using E = ElementType;

std::vector<float> values(const Buffer &buffer) {
  std::vector<float> out(buffer.elements());
  llvm::cantFail(buffer.copyTo(out.data()));
  return out;
}

Buffer floats(std::vector<float> v, int32_t device = 0) {
  int64_t size = v.size();
  return llvm::cantFail(
      Client::shared().copyFromHost({v.data(), E::F32, {size}}, device));
}

TEST(Event, OneEndForAllWhoWait) {
  Event event, copy = event;
  std::string seen = "nothing";
  copy.onReady([&](llvm::StringRef failure) { seen = failure.str(); });
  EXPECT_FALSE(event.isReady());
  EXPECT_EQ(seen, "nothing");
  std::thread setter(
      [event]() mutable { event.set(llvm::createStringError("it broke")); });
  EXPECT_EQ(toString(copy.await()), "it broke");
  setter.join();
  EXPECT_EQ(toString(event.await()), "it broke");
  EXPECT_EQ(seen, "it broke");
  std::string late;
  event.onReady([&](llvm::StringRef failure) { late = failure.str(); });
  EXPECT_EQ(late, "it broke");
}

TEST(Buffer, StridedHostMemoryIsCopied) {
  // Column-major.
  std::vector<float> host = {1, 4, 2, 5, 3, 6};
  Client &client = Client::shared();
  auto buffer = client.copyFromHost({host.data(), E::F32, {2, 3}, {4, 8}}, 0);
  ASSERT_TRUE(bool(buffer));
  EXPECT_THAT(values(*buffer), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(toString(client.copyFromHost({host.data(), E::F32, {2, 3}, {4}}, 0)
                         .takeError()),
            "1 strides for an array of rank 2");
}

TEST(Buffer, UseAfterTheEndIsAnError) {
  Buffer buffer = floats({1, 2}), same = buffer;
  same.remove();
  EXPECT_TRUE(buffer.isDeleted());
  EXPECT_EQ(toString(buffer.await().takeError()),
            "the buffer f32[2] on device 0 has been deleted");
  Buffer other = floats({1, 2}, 3);
  EXPECT_TRUE(llvm::cantFail(other.donate()).isExclusive);
  EXPECT_EQ(toString(other.await().takeError()),
            "the buffer f32[2] on device 3 has been donated to an earlier run");
  EXPECT_EQ(toString(other.donate().takeError()),
            "the buffer f32[2] on device 3 has been donated to an earlier run");
}

TEST(Buffer, ViewsReleaseOnce) {
  alignas(64) float host[4] = {1, 2, 3, 4};
  int released = 0;
  Client &client = Client::shared();
  {
    Buffer view = llvm::cantFail(
        client.viewHost({host, E::F32, {4}}, 0, [&] { ++released; }));
    EXPECT_EQ(llvm::cantFail(view.await()).get(), host);
    Buffer elsewhere = llvm::cantFail(view.on(1, MemoryKind::PinnedHost));
    EXPECT_EQ(elsewhere.device(), 1);
    view.remove();
    EXPECT_EQ(released, 0);
    EXPECT_THAT(values(elsewhere), ElementsAre(1, 2, 3, 4));
    EXPECT_FALSE(llvm::cantFail(elsewhere.donate()).isExclusive);
  }
  EXPECT_EQ(released, 1);
  Buffer copy = llvm::cantFail(
      client.viewHost({host + 1, E::F32, {3}}, 0, [&] { ++released; }));
  EXPECT_EQ(released, 2);
  host[1] = 7;
  EXPECT_THAT(values(copy), ElementsAre(2, 3, 4));
}

TEST(DLPack, ThereAndBackWithoutACopy) {
  Buffer buffer = floats({1, 2, 3});
  const void *memory = llvm::cantFail(buffer.await()).get();
  DLManagedTensor *tensor = llvm::cantFail(toDLPack(buffer));
  EXPECT_EQ(tensor->dl_tensor.data, memory);
  buffer.remove();
  Buffer back = llvm::cantFail(fromDLPack(tensor, 2));
  EXPECT_EQ(llvm::cantFail(back.await()).get(), memory);
  EXPECT_EQ(back.device(), 2);
  EXPECT_THAT(values(back), ElementsAre(1, 2, 3));
  EXPECT_EQ(toString(toDLPack(Buffer(0, MemoryKind::Device, E::S4, {1},
                                     HostStorage::allocate(1)))
                         .takeError()),
            "DLPack has no type for elements of i4");
}

TEST(DLPack, HasFloatsOf8And4Bits) {
  int code = 7;
  for (E type :
       {E::F8E3M4, E::F8E4M3, E::F8E4M3B11FNUZ, E::F8E4M3FN, E::F8E4M3FNUZ,
        E::F8E5M2, E::F8E5M2FNUZ, E::F8E8M0FNU, E::F4E2M1FN}) {
    bool isPacked = type == E::F4E2M1FN;
    uint8_t bytes[] = {1, 7, 3, 12, 5};
    DLManagedTensor *tensor = llvm::cantFail(toDLPack(llvm::cantFail(
        Client::shared().copyFromHost(HostArray{bytes, type, {5}}, 0))));
    const DLTensor &t = tensor->dl_tensor;
    EXPECT_EQ(int(t.dtype.code), isPacked ? 17 : code++);
    EXPECT_EQ(int(t.dtype.bits), isPacked ? 4 : 8);
    const auto *data = static_cast<const uint8_t *>(t.data);
    EXPECT_EQ(data[0], isPacked ? 0x71 : 1);
    EXPECT_EQ(data[1], isPacked ? 0xC3 : 7);
    Buffer back = llvm::cantFail(fromDLPack(tensor, 0));
    EXPECT_EQ(back.type(), type);
    const void *elements = llvm::cantFail(back.await()).get();
    EXPECT_EQ(std::memcmp(elements, bytes, 5), 0);
  }
}

TEST(DLPack, WhatCouldNotBeTakenStaysWithItsOwner) {
  alignas(64) float host[4] = {1, 2, 3, 4};
  int64_t shape[] = {2}, strides[] = {2};
  int released = 0;
  DLManagedTensor tensor = {};
  tensor.manager_ctx = &released;
  tensor.deleter = [](DLManagedTensor *self) {
    ++*static_cast<int *>(self->manager_ctx);
  };
  tensor.dl_tensor.device = {kDLCPU, 0};
  tensor.dl_tensor.dtype = {kDLFloat, 32, 1};
  tensor.dl_tensor.ndim = 1;
  tensor.dl_tensor.shape = shape;
  // Both must be copied: one is not aligned, the other is not dense.
  for (bool isDense : {true, false}) {
    released = 0;
    tensor.dl_tensor.data = host + (isDense ? 1 : 0);
    tensor.dl_tensor.strides = isDense ? nullptr : strides;
    {
      cpu::InjectedFault fault(cpu::FaultKind::Allocation);
      EXPECT_THAT(toString(fromDLPack(&tensor, 0).takeError()),
                  HasSubstr("not enough memory"));
    }
    EXPECT_EQ(released, 0);
    EXPECT_THAT(values(llvm::cantFail(fromDLPack(&tensor, 0))),
                isDense ? ElementsAre(2, 3) : ElementsAre(1, 3));
    EXPECT_EQ(released, 1);
  }
  // A scalar has rank 0.
  released = 0;
  tensor.dl_tensor.data = host;
  tensor.dl_tensor.ndim = 0;
  tensor.dl_tensor.shape = tensor.dl_tensor.strides = nullptr;
  {
    Buffer number = llvm::cantFail(fromDLPack(&tensor, 0));
    EXPECT_EQ(number.shape().size(), 0u);
    EXPECT_THAT(values(number), ElementsAre(1));
  }
  EXPECT_EQ(released, 1);
  // Sizes that are not there.
  for (int rank : {-1, 2}) {
    tensor.dl_tensor.ndim = rank;
    EXPECT_THAT(toString(fromDLPack(&tensor, 0).takeError()),
                HasSubstr("the tensor has no shape"));
  }
  EXPECT_EQ(released, 1);
}

TEST(ShardedArray, SplitsAndGathers) {
  Client client(2, 8);
  Mesh mesh({{"x", 4}, {"y", 2}});
  TensorSharding sharding = TensorSharding::closed(2);
  sharding.dims[1].axes = {mesh.fullAxis(0)};
  Array global = llvm::cantFail(randomArray(E::F32, {3, 10}, 1, 0));
  ShardedArray array =
      llvm::cantFail(ShardedArray::fromHost(global, mesh, sharding, client));
  ASSERT_EQ(array.buffers().size(), 8u);
  EXPECT_THAT(array.buffers()[5].shape(), ElementsAre(3, 3));
  EXPECT_EQ(array.indices(7)[1], (IndexRange{9, 10}));
  EXPECT_EQ(array.replica(5), 1);
  Array back = llvm::cantFail(array.toHost(client));
  EXPECT_EQ(std::memcmp(back.data(), global.data(), global.bytes()), 0);
  TensorSharding rows = TensorSharding::closed(2);
  rows.dims[0].axes = {mesh.fullAxis(1)};
  ShardedArray other = llvm::cantFail(array.resharded(mesh, rows, client));
  EXPECT_THAT(other.buffers()[0].shape(), ElementsAre(2, 10));
  Array again = llvm::cantFail(other.toHost(client));
  EXPECT_EQ(std::memcmp(again.data(), global.data(), global.bytes()), 0);
}

TEST(ShardedArray, UnreducedArraysAreSums) {
  Client client(2, 8);
  Mesh mesh({{"x", 4}, {"y", 2}});
  for (int64_t rank : {0, 1}) {
    TensorSharding sharding = TensorSharding::closed(rank);
    sharding.unreduced = {mesh.fullAxis(0)};
    if (rank == 1)
      sharding.dims[0].axes = {mesh.fullAxis(1)};
    llvm::SmallVector<int64_t, 1> shape(rank, 6);
    Array global = llvm::cantFail(randomArray(E::F32, shape, 1, 0));
    static_cast<float *>(global.data())[0] = -0.0f;
    ShardedArray array =
        llvm::cantFail(ShardedArray::fromHost(global, mesh, sharding, client));
    EXPECT_FALSE(array.isFullyReplicated());
    // Devices 0 and 1 have the value; the others have the neutral element of
    // the sum.
    for (int32_t d = 0; d < 8; ++d)
      for (float x : values(array.buffers()[d]))
        EXPECT_TRUE(d < 2 || (x == 0 && std::signbit(x)));
    EXPECT_EQ(array.replica(2), 0);
    EXPECT_EQ(array.replica(3), rank == 0 ? 1 : 0);
    Array back = llvm::cantFail(array.toHost(client));
    EXPECT_EQ(std::memcmp(back.data(), global.data(), global.bytes()), 0);
    Array again = llvm::cantFail(
        llvm::cantFail(
            array.resharded(mesh, TensorSharding::closed(rank), client))
            .toHost(client));
    EXPECT_EQ(std::memcmp(again.data(), global.data(), global.bytes()), 0);
    // Partial sums computed by devices: 1 + 2 + 3 + 4, from both columns.
    std::vector<Buffer> parts;
    for (int32_t d = 0; d < 8; ++d) {
      std::vector<float> own(rank == 0 ? 1 : 3, float(d / 2 + 1));
      llvm::SmallVector<int64_t, 1> local(rank, 3);
      parts.push_back(
          llvm::cantFail(client.copyFromHost({own.data(), E::F32, local}, d)));
    }
    ShardedArray summands = llvm::cantFail(ShardedArray::fromBuffers(
        shape, mesh, sharding, std::move(parts), client));
    Array sum = llvm::cantFail(summands.toHost(client));
    for (int64_t i = 0; i < sum.elements(); ++i)
      EXPECT_EQ(static_cast<float *>(sum.data())[i], 10);
  }
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

void doubleKernel(void *const *b, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    static_cast<float *>(b[1])[i] = 2 * static_cast<const float *>(b[0])[i];
}

void failingKernel(void *const *, int64_t, int64_t) {
  cpu::failKernel("it is broken");
}

/// Each device computes t = 2 a; result = 2 t. The argument is read before the
/// result is written, so that it can be donated.
ProgramParts quadruple(cpu::KernelFn kernel = doubleKernel, int32_t devices = 2,
                       int64_t size = 4) {
  ProgramParts parts;
  ValueSpec value{"v", E::F32, {size}, TensorSharding::closed(1), -1};
  parts.results = {value};
  value.donated = true;
  parts.arguments = {value};
  cpu::Program &p = parts.program;
  p.numPartitions = devices;
  for (auto home : {cpu::Slot::Home::Argument, cpu::Slot::Home::Arena,
                    cpu::Slot::Home::Result}) {
    cpu::Slot s;
    s.home = home;
    s.index = 0;
    s.shape = {size};
    p.slots.push_back(s);
  }
  p.arguments = {0};
  p.results = {2};
  p.kernels.push_back({"double", kernel, size, 10});
  for (int32_t i = 0; i < 2; ++i) {
    cpu::Step step;
    step.kind = cpu::StepKind::Kernel;
    step.payload = 0;
    step.inputs = {i};
    step.outputs = {i + 1};
    p.steps.push_back(step);
  }
  cpu::Step end;
  end.kind = cpu::StepKind::Return;
  p.steps.push_back(end);
  cpu::planMemory(p);
  return parts;
}

TEST(Execute, ADonatedArgumentBecomesTheResult) {
  auto executable = llvm::cantFail(makeExecutable(quadruple()));
  EXPECT_EQ(executable->memory().reusedByResults, 16);
  Client client(1, 2);
  Buffer a = floats({1, 2, 3, 4}), b = floats({5, 6, 7, 8}, 1);
  const void *memory = llvm::cantFail(a.await()).get();
  Execution run = llvm::cantFail(executable->execute({{a}, {b}}, client));
  llvm::cantFail(run.done.await());
  EXPECT_THAT(values(run.results[0][0]), ElementsAre(4, 8, 12, 16));
  EXPECT_THAT(values(run.results[1][0]), ElementsAre(20, 24, 28, 32));
  EXPECT_EQ(llvm::cantFail(run.results[0][0].await()).get(), memory);
  EXPECT_TRUE(a.isDonated());
  EXPECT_THAT(toString(executable->execute({{a}, {b}}, client).takeError()),
              HasSubstr("argument 0 (v) of device 0: the buffer f32[4] on "
                        "device 0 has been donated"));
  // A result can be an argument of the next run, which waits for it.
  Execution next = llvm::cantFail(
      executable->execute({run.results[0], run.results[1]}, client));
  EXPECT_THAT(values(next.results[0][0]), ElementsAre(16, 32, 48, 64));
}

TEST(Execute, DonatedShardsOfAHostArrayLeaveItAsItIs) {
  // The full array on one device, or its halves with one of them left. The
  // memory is the caller's, even if it has no other holder.
  for (int32_t devices : {1, 2}) {
    alignas(64) float host[32];
    for (int i = 0; i < 32; ++i)
      host[i] = float(i);
    Client client(1, devices);
    Mesh mesh({{"x", devices}});
    TensorSharding sharding = TensorSharding::closed(1);
    sharding.dims[0].axes = {mesh.fullAxis(0)};
    float *part = host + 16 * (devices - 1);
    std::vector<Buffer> last;
    {
      Array global(E::F32, {16 * devices},
                   std::shared_ptr<void>(host, [](void *) {}));
      ShardedArray array = llvm::cantFail(
          ShardedArray::fromHost(global, mesh, sharding, client));
      last = {array.buffers().back()};
      EXPECT_EQ(llvm::cantFail(last[0].await()).get(), part);
      for (Buffer buffer : array.buffers().drop_back())
        buffer.remove();
    }
    auto executable =
        llvm::cantFail(makeExecutable(quadruple(doubleKernel, 1, 16)));
    ExecuteOptions options;
    options.devices = {devices - 1};
    Execution run = llvm::cantFail(executable->execute(last, client, options));
    EXPECT_EQ(values(run.results[0][0])[3], 4 * part[3]);
    EXPECT_TRUE(last[0].isDonated());
    for (int i = 0; i < 32; ++i)
      EXPECT_EQ(host[i], i);
  }
}

TEST(Execute, OneDeviceForTwoPositionsIsAnError) {
  auto executable = llvm::cantFail(makeExecutable(quadruple()));
  Client client(1, 4);
  ExecuteOptions options;
  options.devices = {3, 3};
  EXPECT_EQ(toString(executable
                         ->execute({{floats({1, 2, 3, 4}, 3)},
                                    {floats({1, 2, 3, 4}, 3)}},
                                   client, options)
                         .takeError()),
            "device 3 is given for two positions of the program; give each a "
            "device of its own");
}

TEST(Execute, ARunMayOutliveItsExecutable) {
  auto constant = std::make_shared<int>();
  std::weak_ptr<int> alive = constant;
  ProgramParts parts = quadruple();
  parts.program.constants.push_back({std::move(constant), sizeof(int)});
  auto executable = llvm::cantFail(makeExecutable(std::move(parts)));
  Client client(1, 2);
  Event ready;
  Buffer first = floats({1, 2, 3, 4}), second = floats({5, 6, 7, 8}, 1);
  Buffer late(0, MemoryKind::Device, E::F32, {4},
              llvm::cantFail(first.storage()), ready);
  Execution run =
      llvm::cantFail(executable->execute({{late}, {second}}, client));
  executable.reset();
  EXPECT_FALSE(alive.expired());
  ready.set();
  EXPECT_THAT(values(run.results[0][0]), ElementsAre(4, 8, 12, 16));
  EXPECT_THAT(values(run.results[1][0]), ElementsAre(20, 24, 28, 32));
  client.drain();
  EXPECT_TRUE(alive.expired());
}

TEST(Buffer, CopiesHaveMemoryOfTheirOwn) {
  Buffer a = floats({1, 2});
  Buffer copy = llvm::cantFail(a.copy());
  EXPECT_NE(llvm::cantFail(copy.await()), llvm::cantFail(a.await()));
  EXPECT_THAT(values(copy), ElementsAre(1, 2));
  // Also for elements that arrive later, or never.
  Event ready, failed;
  std::vector<float> elements = {0};
  auto memory = [&] {
    return HostStorage::borrow(
        std::shared_ptr<void>(elements.data(), [](void *) {}), sizeof(float));
  };
  Buffer later(0, MemoryKind::Device, ElementType::F32, {1}, memory(), ready);
  Buffer never(0, MemoryKind::Device, ElementType::F32, {1}, memory(), failed);
  Buffer copied = llvm::cantFail(later.copy());
  Buffer missing = llvm::cantFail(never.copy());
  EXPECT_FALSE(copied.ready().isReady());
  elements[0] = 5;
  ready.set();
  EXPECT_THAT(values(copied), ElementsAre(5));
  failed.set(llvm::createStringError("no such thing"));
  EXPECT_EQ(toString(missing.await().takeError()), "no such thing");
  a.remove();
  EXPECT_TRUE(bool(a.copy().takeError()) && !copy.isDeleted());
}

TEST(Execute, SharedOrKeptArgumentsStayAsTheyAre) {
  auto executable = llvm::cantFail(makeExecutable(quadruple()));
  Client client(1, 2);
  Buffer a = floats({1, 2, 3, 4});
  Buffer b = llvm::cantFail(a.on(1, MemoryKind::Device));
  auto memory = llvm::cantFail(a.await());
  Execution run = llvm::cantFail(executable->execute({{a}, {b}}, client));
  EXPECT_THAT(values(run.results[0][0]), ElementsAre(4, 8, 12, 16));
  EXPECT_THAT(values(run.results[1][0]), ElementsAre(4, 8, 12, 16));
  EXPECT_EQ(static_cast<const float *>(memory.get())[3], 4);
  Buffer c = floats({1, 1, 1, 1}), d = floats({2, 2, 2, 2}, 1);
  ExecuteOptions keep;
  keep.keep = {0};
  run = llvm::cantFail(executable->execute({{c}, {d}}, client, keep));
  EXPECT_THAT(values(run.results[1][0]), ElementsAre(8, 8, 8, 8));
  EXPECT_THAT(values(c), ElementsAre(1, 1, 1, 1));
}

TEST(Execute, WhatDoesNotFitIsAnErrorAndTakesNothing) {
  auto executable = llvm::cantFail(makeExecutable(quadruple()));
  Client client(1, 2);
  Buffer a = floats({1, 2, 3, 4}), b = floats({1, 2, 3}, 1),
         c = floats({1, 2, 3, 4});
  EXPECT_EQ(toString(executable->execute({{a}, {b}}, client).takeError()),
            "argument 0 (v) of device 1 is f32[4], but was given f32[3]");
  EXPECT_EQ(toString(executable->execute({{a}, {c}}, client).takeError()),
            "argument 0 (v) of device 1 was given a buffer of device 0");
  EXPECT_EQ(toString(executable->execute({{a}}, client).takeError()),
            "the program runs on 2 devices, but was given arguments of 1");
  EXPECT_FALSE(a.isDonated());
}

TEST(Execute, AFailureReachesWhateverDependsOnIt) {
  auto broken = llvm::cantFail(makeExecutable(quadruple(failingKernel)));
  auto fine = llvm::cantFail(makeExecutable(quadruple()));
  Client client(1, 2);
  Execution bad = llvm::cantFail(broken->execute(
      {{floats({1, 2, 3, 4})}, {floats({1, 2, 3, 4}, 1)}}, client));
  EXPECT_THAT(toString(bad.done.await()), HasSubstr("it is broken"));
  Execution dependent =
      llvm::cantFail(fine->execute({bad.results[0], bad.results[1]}, client));
  EXPECT_THAT(toString(dependent.results[1][0].await().takeError()),
              HasSubstr("it is broken"));
  Execution good = llvm::cantFail(fine->execute(
      {{floats({1, 2, 3, 4})}, {floats({1, 2, 3, 4}, 1)}}, client));
  EXPECT_THAT(values(good.results[0][0]), ElementsAre(4, 8, 12, 16));
}

TEST(Execute, ManyThreads) {
  auto executable = llvm::cantFail(makeExecutable(quadruple()));
  Client client(2, 2);
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        float v = t * 100 + i;
        Execution run = llvm::cantFail(executable->execute(
            {{floats({v, v, v, v})}, {floats({v, v, v, v}, 1)}}, client));
        right += values(run.results[1][0])[2] == 4 * v;
      }
    });
  for (std::thread &t : threads)
    t.join();
  EXPECT_EQ(right, 200);
}

} // namespace
