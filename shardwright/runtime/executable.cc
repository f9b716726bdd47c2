//===- executable.cc - a compiled program with its signature --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/executable.h"

#include "shardwright/backend/host_storage.h"
#include "shardwright/runtime/bounded_arrays.h"
#include "shardwright/runtime/sharding_transfer.h"
#include "shardwright/support/error.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardwright;

static llvm::Error checkSide(const ExecutableParts &parts,
                             llvm::ArrayRef<ValueSpec> values,
                             llvm::ArrayRef<ArrayType> types,
                             const char *what) {
  const LoadedProgram &program = *parts.program;
  if (values.size() != types.size())
    return fail("the program has ", types.size(), " ", what,
                "s, its signature ", values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const ValueSpec &value = values[i];
    llvm::SmallVector<int64_t, 4> local = value.shape;
    if (value.mesh >= int32_t(parts.meshes.size()))
      return fail(what, " ", i, ": there is no mesh ", value.mesh);
    if (value.mesh >= 0) {
      const Mesh &mesh = parts.meshes[value.mesh];
      if (value.sharding.dims.size() != value.shape.size())
        return fail(what, " ", i, ": a sharding of rank ",
                    value.sharding.dims.size(), " for an array of rank ",
                    value.shape.size());
      if (!mesh.isEmpty() && !mesh.isMaximal()) {
        if (mesh.numDevices() != program.numDevices())
          return fail(what, " ", i, ": a mesh of ", mesh.numDevices(),
                      " devices in a program for ", program.numDevices());
        local = localShape(value.shape, value.sharding);
      }
    }
    const auto &[type, shape] = types[i];
    if (type != value.type ||
        llvm::ArrayRef<int64_t>(shape) != llvm::ArrayRef<int64_t>(local))
      return fail(what, " ", i, ": the program has ", str(type, shape),
                  " a device, its signature ", str(value.type, local));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const ValueSpec &value = values[i];
    bool isLast = i + 1 == values.size() || values[i + 1].sizeOf >= 0;
    if (value.sizeOf >= 0 &&
        (!isLast || value.sizeOf >= int32_t(i) ||
         values[value.sizeOf].sizeOf >= 0 || value.sizeOfDim < 0 ||
         value.sizeOfDim >= int32_t(values[value.sizeOf].shape.size()) ||
         value.type != ElementType::S32 || !value.shape.empty()))
      return fail(what, " ", i,
                  ": it is not the size of a dimension of another value");
  }
  return llvm::Error::success();
}

std::vector<ArgumentDonation>
shardwright::donationsOf(llvm::ArrayRef<ValueSpec> arguments) {
  std::vector<ArgumentDonation> donations;
  for (const ValueSpec &spec : arguments)
    donations.push_back({spec.donated, spec.aliasedResult});
  return donations;
}

Executable::Executable(ExecutableParts p) : parts(std::move(p)) {
  for (auto [i, argument] : llvm::enumerate(parts.arguments))
    if (argument.donated)
      donatedArguments.push_back(i);
}

llvm::Expected<std::unique_ptr<Executable>>
Executable::create(ExecutableParts parts) {
  const LoadedProgram &program = *parts.program;
  if (llvm::Error e =
          checkSide(parts, parts.arguments, program.arguments(), "argument"))
    return e;
  if (llvm::Error e =
          checkSide(parts, parts.results, program.results(), "result"))
    return e;
  return std::unique_ptr<Executable>(new Executable(std::move(parts)));
}

/// Creates storage on each device for the shards of one read-only argument.
static llvm::Error place(const DeviceShards &shards, const ArrayType &type,
                         Backend &backend, size_t argument, RunRequest &run) {
  size_t numDevices = shards.data.size();
  size_t numArguments = run.arguments.size() / numDevices;
  auto storageOf = [&](size_t device) -> std::shared_ptr<DeviceStorage> & {
    return run.arguments[device * numArguments + argument].storage;
  };
  for (size_t d = 0; d < numDevices; ++d) {
    MemoryPlace place{run.devices[d], MemoryKind::Device};
    if (d > 0 && shards.data[d] == shards.data[d - 1] &&
        storageOf(d - 1)->isReadableAt(place)) {
      storageOf(d) = storageOf(d - 1);
      continue;
    }
    auto made = backend.adoptHost(shards.data[d], type.type, type.shape, place);
    if (!made)
      return made.takeError();
    storageOf(d) = std::move(made->storage);
    if (!made->ready.isReady() || made->ready.hasFailed())
      if (llvm::Error e = made->ready.await())
        return e;
  }
  return llvm::Error::success();
}

/// Wraps memory that outlives the run as storage for a result.
static std::shared_ptr<DeviceStorage> unowned(void *memory, int64_t bytes) {
  return HostStorage::adopt(
      std::shared_ptr<void>(std::shared_ptr<void>(), memory), bytes);
}

llvm::Expected<std::vector<Array>>
Executable::run(llvm::ArrayRef<Array> globalArguments, Client &client,
                RunStatistics *statistics, Trace *trace) const {
  std::vector<Array> withSizes;
  if (llvm::Error e = completeArguments(globalArguments, withSizes))
    return e;
  size_t devices = numDevices(), numResults = parts.results.size();
  cpu::ThreadPool &pool = client.pool();

  RunRequest request;
  for (size_t d = 0; d < devices; ++d) {
    if (llvm::Error e = client.backend().checkAddressable(d))
      return fail("a run on global arrays needs all of its ", devices,
                  " devices in this process, but ", toString(std::move(e)),
                  "; use runLocal in each process of the job");
    request.devices.push_back(d);
  }
  request.mode = RunRequest::Mode::Now;
  request.statistics = statistics;
  if (trace)
    request.trace = std::shared_ptr<Trace>(std::shared_ptr<Trace>(), trace);
  request.arguments.resize(devices * globalArguments.size());
  for (size_t i = 0; i < globalArguments.size(); ++i) {
    const ValueSpec &spec = parts.arguments[i];
    llvm::Expected<DeviceShards> shards = shardArray(
        globalArguments[i], spec.sharding, meshOf(spec), devices, pool);
    if (!shards)
      return shards.takeError();
    if (llvm::Error e = place(*shards, program().arguments()[i],
                              client.backend(), i, request))
      return e;
  }
  std::vector<ResultGather> gathers;
  request.results.resize(devices * numResults);
  for (size_t i = 0; i < numResults; ++i) {
    const ValueSpec &spec = parts.results[i];
    llvm::Expected<ResultGather> g = ResultGather::create(
        spec.type, spec.shape, spec.sharding, meshOf(spec), devices);
    if (!g)
      return fail("result ", i, ": ", toString(g.takeError()));
    for (size_t d = 0; d < devices; ++d)
      request.results[d * numResults + i] =
          unowned(g->buffers()[d], program().results()[i].bytes());
    gathers.push_back(std::move(*g));
  }
  auto started = parts.program->start(client.backend(), request);
  if (!started)
    return started.takeError();
  if (llvm::Error e = started->done.await())
    return e;
  std::vector<Array> results;
  for (size_t i = 0; i < numResults; ++i) {
    ResultGather &gather = gathers[i];
    // A backend that cannot write to these buffers returns other storage.
    for (size_t d = 0; d < devices; ++d) {
      const DeviceStorage &storage = *started->results[d * numResults + i];
      if (storage.hostView() == gather.buffers()[d])
        continue;
      if (llvm::Error e = storage
                              .copyToHost(gather.buffers()[d], 0,
                                          storage.bytes(), started->done)
                              .await())
        return e;
    }
    results.push_back(gather.gather(pool));
  }
  if (withoutSizes(parts.results).size() != parts.results.size())
    return cutToSize(parts.results, std::move(results));
  return results;
}

int64_t Executable::peakBytesPerDevice() const {
  MemoryStatistics bytes = memory();
  return bytes.temporaries + bytes.arguments + bytes.results -
         bytes.reusedByResults;
}
