//===- executable.cc - a compiled program with its signature --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/executable.h"

#include "shardwright/runtime/bounded_arrays.h"
#include "shardwright/runtime/sharding_transfer.h"
#include "shardwright/support/error.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardwright;

static llvm::Error checkSide(const ExecutableParts &parts,
                             llvm::ArrayRef<ValueSpec> values,
                             llvm::ArrayRef<cpu::SlotId> slots,
                             const char *what) {
  const cpu::Program &program = parts.program;
  if (values.size() != slots.size())
    return fail("the program has ", slots.size(), " ", what,
                "s, its signature ", values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const ValueSpec &value = values[i];
    llvm::SmallVector<int64_t, 4> local = value.shape;
    if (value.mesh >= int32_t(parts.meshes.size()))
      return fail(what, " ", i, ": no mesh ", value.mesh);
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
    if (slots[i] < 0 || slots[i] >= int32_t(program.slots.size()))
      return fail(what, " ", i, ": no slot ", slots[i]);
    const cpu::Slot &slot = program.slots[slots[i]];
    if (slot.type != value.type ||
        llvm::ArrayRef<int64_t>(slot.shape) != llvm::ArrayRef<int64_t>(local))
      return fail(what, " ", i, ": the program has ",
                  str(slot.type, slot.shape), " a device, its signature ",
                  str(value.type, local));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const ValueSpec &value = values[i];
    bool isLast = i + 1 == values.size() || values[i + 1].sizeOf >= 0;
    if (value.sizeOf >= 0 &&
        (!isLast || value.sizeOf >= int32_t(i) ||
         values[value.sizeOf].sizeOf >= 0 || value.sizeOfDim < 0 ||
         value.sizeOfDim >= int32_t(values[value.sizeOf].shape.size()) ||
         value.type != ElementType::S32 || !value.shape.empty()))
      return fail(what, " ", i, ": not a size of another");
  }
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Executable>>
Executable::create(ExecutableParts p) {
  auto loaded = std::make_shared<Loaded>();
  loaded->parts = std::move(p);
  const ExecutableParts &parts = loaded->parts;
  // Slot ids are checked there.
  auto executor = cpu::Executor::create(parts.program);
  if (!executor)
    return executor.takeError();
  loaded->executor = std::move(*executor);
  if (llvm::Error e = checkSide(parts, parts.arguments, parts.program.arguments,
                                "argument"))
    return e;
  if (llvm::Error e =
          checkSide(parts, parts.results, parts.program.results, "result"))
    return e;
  loaded->planReuse();
  return std::unique_ptr<Executable>(new Executable(std::move(loaded)));
}

llvm::Expected<std::vector<Array>>
Executable::run(llvm::ArrayRef<Array> globalArguments, Client &client,
                cpu::RunStatistics *statistics, cpu::Trace *trace) const {
  llvm::ArrayRef<ValueSpec> visible = withoutSizes(parts().arguments);
  if (globalArguments.size() != visible.size())
    return fail("the program takes ", visible.size(),
                " arguments, but was given ", globalArguments.size());
  for (auto [i, array] : llvm::enumerate(globalArguments))
    if (array.type() != visible[i].type ||
        !hasShapeOf(parts().arguments, i, array.shape()))
      return fail("argument ", i, visible[i].name.empty() ? "" : " (",
                  visible[i].name, visible[i].name.empty() ? "" : ")", " is ",
                  str(parts().arguments, i), ", but was given ", array.str());
  std::vector<Array> withSizes;
  if (visible.size() != parts().arguments.size()) {
    auto all = padded(parts().arguments, globalArguments);
    if (!all)
      return all.takeError();
    withSizes = std::move(*all);
    globalArguments = withSizes;
  }
  int64_t devices = numDevices();
  cpu::ThreadPool &pool = client.pool();

  std::vector<cpu::DeviceBuffers> buffers(devices);
  std::vector<DeviceShards> shards;
  for (size_t i = 0; i < globalArguments.size(); ++i) {
    const Array &array = globalArguments[i];
    const ValueSpec &spec = parts().arguments[i];
    llvm::Expected<DeviceShards> s =
        shardArray(array, spec.sharding, meshOf(spec), devices, pool);
    if (!s)
      return s.takeError();
    for (int64_t d = 0; d < devices; ++d)
      buffers[d].arguments.push_back(s->data[d].get());
    shards.push_back(std::move(*s));
  }
  std::vector<ResultGather> gathers;
  for (size_t i = 0; i < parts().results.size(); ++i) {
    const ValueSpec &spec = parts().results[i];
    llvm::Expected<ResultGather> g = ResultGather::create(
        spec.type, spec.shape, spec.sharding, meshOf(spec), devices);
    if (!g)
      return fail("result ", i, ": ", toString(g.takeError()));
    for (int64_t d = 0; d < devices; ++d)
      buffers[d].results.push_back(g->buffers()[d]);
    gathers.push_back(std::move(*g));
  }
  if (llvm::Error e = loaded->executor->run(buffers, pool, statistics, trace))
    return e;
  std::vector<Array> results;
  for (ResultGather &g : gathers)
    results.push_back(g.gather(pool));
  if (withoutSizes(parts().results).size() != parts().results.size())
    return cutToSize(parts().results, std::move(results));
  return results;
}

int64_t Executable::peakBytesPerDevice() const {
  const cpu::Program &program = parts().program;
  int64_t bytes = program.arenaBytes;
  for (cpu::SlotId id : program.arguments)
    bytes += program.slots[id].bytes();
  for (cpu::SlotId id : program.results)
    bytes += program.slots[id].bytes();
  return bytes;
}
