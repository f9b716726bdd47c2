//===- fake_backend_test_util.h - a non-CPU backend -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A backend whose memory the host cannot address, and whose work is done when
// the test says so. Some of its devices belong to other processes.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_FAKE_BACKEND_TEST_UTIL_H
#define SHARDWRIGHT_RUNTIME_FAKE_BACKEND_TEST_UTIL_H

#include "shardwright/runtime/executable.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLExtras.h"

#include <cstring>
#include <map>

namespace shardwright::test {

/// The memory and the pending work of the devices.
struct FakeDevices {
  std::map<int, std::vector<char>> memory; ///< by id of the storage
  std::map<int, DeviceId> placeOf;
  int nextId = 0;
  std::vector<llvm::unique_function<void()>> pending;
  bool isLate = true;

  /// Runs `work` now or, if `isLate`, when the test calls `complete`.
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

/// How runs fail.
enum class Fault { None, Refused, Untouched, Failed };

/// Device d belongs to process owners[d]; this is process `process`.
class FakeBackend final : public Backend {
public:
  explicit FakeBackend(llvm::ArrayRef<int32_t> owners, int32_t process = 0)
      : Backend("fake") {
    static constexpr MemoryKind memories[] = {MemoryKind::Device};
    int32_t local = 0;
    for (auto [d, owner] : llvm::enumerate(owners)) {
      std::optional<LocalDeviceId> localId;
      if (owner == process)
        localId = LocalDeviceId(local++);
      allDevices.push_back({int32_t(d), localId, owner, "fake", memories});
    }
  }
  std::string description() const override { return "a fake"; }
  std::string codeIdentity() const override { return "1"; }
  bool isAddressable(DeviceId device) const override {
    return device.number() >= 0 && device < int32_t(allDevices.size()) &&
           allDevices[device.number()].localId;
  }
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
    if (llvm::Error e = checkAddressable(place.device))
      return e;
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

/// Doubles 4 floats on each of its devices, in place if possible.
class Doubling final : public LoadedProgram {
public:
  explicit Doubling(int32_t numDevices) {
    partitions = numDevices;
    argumentTypes = resultTypes = {{ElementType::F32, {4}}};
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
    // Mode Now: runs on the calling thread, whatever work is pending.
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
  void abandon(Backend &, llvm::ArrayRef<DeviceId> devices,
               llvm::StringRef why) override {
    abandoned.emplace_back(std::vector<DeviceId>(devices), why.str());
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
  /// The calls of `abandon`.
  std::vector<std::pair<std::vector<DeviceId>, std::string>> abandoned;
};

inline llvm::Expected<std::shared_ptr<LoadedProgram>>
FakeBackend::load(llvm::StringRef bytes) {
  int32_t numDevices = 0;
  if (!bytes.consume_front("double ") || bytes.getAsInteger(10, numDevices))
    return llvm::createStringError("not a program of the fake");
  return std::make_shared<Doubling>(numDevices);
}

/// Runs `program`, whose only argument and result are split over its positions;
/// the argument is donated.
inline std::unique_ptr<Executable>
makeExecutable(std::shared_ptr<Doubling> program) {
  ExecutableParts parts;
  int64_t positions = program->numDevices();
  parts.program = std::move(program);
  parts.meshes.push_back(Mesh({{"x", positions}}));
  TensorSharding sharding = TensorSharding::closed(1);
  sharding.dims[0].axes = {parts.meshes[0].fullAxis(0)};
  parts.results = {{"v", ElementType::F32, {4 * positions}, sharding, 0}};
  parts.arguments = parts.results;
  parts.arguments[0].donated = true;
  return llvm::cantFail(Executable::create(std::move(parts)));
}

} // namespace shardwright::test

#endif // SHARDWRIGHT_RUNTIME_FAKE_BACKEND_TEST_UTIL_H
