//===- fake_backend_test.cc - runtime/ over a backend that is no CPU ------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Devices whose memory the host cannot address, and whose work is done when the
// test says so. What works here works without cpu/.
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/executable.h"

#include "mlir/IR/BuiltinOps.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstring>
#include <map>

using namespace shardwright;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

using E = ElementType;

/// The memory and the pending work of the devices.
struct FakeDevices {
  std::map<int, std::vector<char>> memory; ///< by id of a storage
  std::map<int, DeviceId> placeOf;
  int nextId = 0;
  std::vector<llvm::unique_function<void()>> pending;
  bool isLate = true;

  /// Does `work` now or, if late, when the test calls `complete`.
  Event later(const Event &after, llvm::unique_function<llvm::Error()> work) {
    Event done;
    auto act = [done, after, work = std::move(work)]() mutable {
      if (llvm::Error e = after.await())
        return done.set(std::move(e));
      done.set(work());
    };
    if (isLate)
      pending.push_back(std::move(act));
    else
      act();
    return done;
  }
  void complete() {
    while (!pending.empty()) {
      auto first = std::move(pending.front());
      pending.erase(pending.begin());
      first();
    }
  }
};

class FakeStorage final : public DeviceStorage {
public:
  FakeStorage(std::shared_ptr<FakeDevices> d, int64_t bytes, DeviceId device)
      : DeviceStorage(nullptr, bytes), devices(std::move(d)),
        id(devices->nextId++) {
    devices->memory[id].resize(bytes);
    devices->placeOf[id] = device;
  }
  ~FakeStorage() override {
    devices->memory.erase(id);
    devices->placeOf.erase(id);
  }
  bool mayOverwrite() const override { return true; }
  bool isReadableAt(MemoryPlace place) const override {
    return place.device == devices->placeOf[id];
  }
  Event copyToHost(void *to, int64_t offset, int64_t size,
                   const Event &after) const override {
    return devices->later(after, [this, to, offset, size] {
      std::memcpy(to, devices->memory.at(id).data() + offset, size);
      return llvm::Error::success();
    });
  }
  llvm::Expected<StorageTransfer> copyTo(MemoryPlace place,
                                         const Event &after) const override {
    auto copy = std::make_shared<FakeStorage>(devices, bytes(), place.device);
    Event ready = devices->later(after, [this, copy] {
      devices->memory[copy->id] = devices->memory.at(id);
      return llvm::Error::success();
    });
    return StorageTransfer{std::move(copy), std::move(ready)};
  }
  float *floats() const {
    return reinterpret_cast<float *>(devices->memory.at(id).data());
  }

  std::shared_ptr<FakeDevices> devices;
  int id;
};

/// How runs go wrong.
enum class Fault { None, Refused, Untouched, Failed };

/// Devices 0 and 1 are of this process, device 2 of another.
class FakeBackend final : public Backend {
public:
  FakeBackend() : Backend("fake") {
    static constexpr MemoryKind memories[] = {MemoryKind::Device};
    for (int32_t d = 0; d < 3; ++d)
      allDevices.push_back(
          {d, d < 2 ? std::optional(LocalDeviceId(d)) : std::nullopt, d / 2,
           "fake", memories});
  }
  std::string description() const override { return "a fake"; }
  std::string codeIdentity() const override { return "1"; }
  bool isAddressable(DeviceId device) const override { return device < 2; }
  llvm::FailureOr<std::shared_ptr<LoadedProgram>>
  compile(mlir::ModuleOp, const ProgramOptions &) override {
    return llvm::failure();
  }
  llvm::Expected<std::shared_ptr<LoadedProgram>>
  load(llvm::StringRef bytes) override;
  llvm::Expected<std::shared_ptr<DeviceStorage>>
  allocate(ElementType type, llvm::ArrayRef<int64_t> shape,
           MemoryPlace place) override {
    llvm::Expected<int64_t> bytes = checkedBytes(type, shape);
    if (!bytes)
      return bytes.takeError();
    if (!isAddressable(place.device))
      return llvm::createStringError("device " +
                                     llvm::Twine(place.device.number()) +
                                     " belongs to another process");
    return std::make_shared<FakeStorage>(devices, *bytes, place.device);
  }
  llvm::Expected<StorageTransfer> copyFromHost(const HostArray &array,
                                               MemoryPlace place) override {
    auto storage = allocate(array.type, array.shape, place);
    if (!storage)
      return storage.takeError();
    std::string bytes(static_cast<const char *>(array.data),
                      (*storage)->bytes());
    auto to = std::static_pointer_cast<FakeStorage>(*storage);
    Event ready = devices->later(Event::ready(), [to, bytes] {
      std::memcpy(to->floats(), bytes.data(), bytes.size());
      return llvm::Error::success();
    });
    return StorageTransfer{std::move(*storage), std::move(ready)};
  }
  llvm::Expected<StorageTransfer>
  viewHost(const HostArray &array, MemoryPlace place,
           llvm::unique_function<void()> release) override {
    auto copy = copyFromHost(array, place);
    if (copy)
      release();
    return copy;
  }
  llvm::Expected<StorageTransfer> adoptHost(std::shared_ptr<void> memory,
                                            ElementType type,
                                            llvm::ArrayRef<int64_t> shape,
                                            MemoryPlace place) override {
    return copyFromHost({memory.get(), type, shape}, place);
  }
  void drain() override { devices->complete(); }

  std::shared_ptr<FakeDevices> devices = std::make_shared<FakeDevices>();
};

/// Doubles 4 floats on each of its devices, in place where it may.
class Doubling final : public LoadedProgram {
public:
  explicit Doubling(int32_t numDevices) {
    partitions = numDevices;
    argumentTypes = resultTypes = {{E::F32, {4}}};
  }
  llvm::StringRef backendName() const override { return "fake"; }
  llvm::Expected<StartedRun> start(Backend &backend,
                                   RunRequest &request) override {
    if (fault == Fault::Refused)
      return llvm::createStringError("no room for the results");
    auto &devices = static_cast<FakeBackend &>(backend).devices;
    StartedRun started;
    std::vector<std::shared_ptr<FakeStorage>> from, to;
    for (RunArgument &argument : request.arguments) {
      auto storage = std::static_pointer_cast<FakeStorage>(argument.storage);
      from.push_back(storage);
      if (!argument.mayOverwrite)
        storage = std::make_shared<FakeStorage>(devices, storage->bytes(),
                                                devices->placeOf[storage->id]);
      to.push_back(storage);
      started.results.push_back(storage);
    }
    // Now: on the calling thread, whatever else the devices have to do.
    bool wasLate =
        std::exchange(devices->isLate,
                      devices->isLate && request.mode != RunRequest::Mode::Now);
    for (const Event &event : request.after)
      after = event;
    started.done = devices->later(
        after, [this, from, to, request = std::move(request)]() mutable {
          if (fault == Fault::Untouched && request.returnArguments)
            request.returnArguments(std::move(request.arguments));
          if (fault != Fault::None)
            return llvm::createStringError("the device is broken");
          for (size_t d = 0; d < from.size(); ++d)
            for (int i = 0; i < 4; ++i)
              to[d]->floats()[i] = 2 * from[d]->floats()[i];
          return llvm::Error(llvm::Error::success());
        });
    devices->isLate = wasLate;
    after = Event::ready();
    return started;
  }
  MemoryStatistics memory() const override { return {16, 16, 8, 0, 0}; }
  CostAnalysis cost() const override { return {4, 0, 32}; }
  PeakMemory peakMemory() const override { return {}; }
  std::string stepName(int32_t) const override { return "double"; }
  llvm::Expected<std::string> serialize() const override {
    return "double " + std::to_string(partitions);
  }

  Fault fault = Fault::None;
  Event after = Event::ready();
};

llvm::Expected<std::shared_ptr<LoadedProgram>>
FakeBackend::load(llvm::StringRef bytes) {
  int32_t numDevices = 0;
  if (!bytes.consume_front("double ") || bytes.getAsInteger(10, numDevices))
    return llvm::createStringError("not a program of the fake");
  return std::make_shared<Doubling>(numDevices);
}

class FakeBackendTest : public testing::Test {
protected:
  FakeBackendTest() { make(2); }

  /// A program of so many positions; its argument is donated.
  void make(int32_t numDevices) {
    program = std::make_shared<Doubling>(numDevices);
    ExecutableParts parts;
    parts.program = program;
    parts.meshes.push_back(Mesh({{"x", numDevices}}));
    TensorSharding sharding = TensorSharding::closed(1);
    sharding.dims[0].axes = {parts.meshes[0].fullAxis(0)};
    parts.results = {{"v", E::F32, {4 * numDevices}, sharding, 0}};
    parts.arguments = parts.results;
    parts.arguments[0].donated = true;
    executable = llvm::cantFail(Executable::create(std::move(parts)));
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

  std::shared_ptr<FakeBackend> backend = std::make_shared<FakeBackend>();
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
  devices->complete(); // until then the transfers hold the storage
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
      HasSubstr("device 2 belongs to another process"));
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
