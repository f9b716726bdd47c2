//===- gather.cc - whole arrays from the shards of a job ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/gather.h"

#include "shardwright/job/job.h"
#include "shardwright/runtime/sharding_transfer.h"
#include "shardwright/support/box_copy.h"
#include "shardwright/support/error.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardwright;

namespace {

/// An array as the devices hold it.
struct Sharded {
  ElementType type;
  llvm::ArrayRef<int64_t> shape;
  const TensorSharding &sharding;
  const Mesh *mesh; ///< null: whole on every device
  int64_t numDevices;
  /// The shard of an addressable device.
  llvm::function_ref<const Buffer &(int32_t device)> shardOf;
};

/// What a process contributes: an error, or its shards one after another.
std::string contribution(const Sharded &array, llvm::ArrayRef<int32_t> sources,
                         const Backend &backend) {
  std::string bytes(1, 'd');
  for (int32_t device : sources) {
    if (!backend.isAddressable(device))
      continue;
    auto data = array.shardOf(device).await();
    if (!data)
      return "e" + toString(data.takeError());
    bytes.append(static_cast<const char *>(data->get()),
                 array.shardOf(device).bytes());
  }
  return bytes;
}

llvm::Expected<std::optional<Array>>
gatherShards(const Sharded &array, Job &job, Client &client, int32_t root) {
  const Backend &backend = client.backend();
  auto all = ResultGather::ofExisting(array.type, array.shape, array.sharding,
                                      array.mesh, array.numDevices, nullptr);
  if (!all)
    return all.takeError();
  llvm::SmallVector<int32_t, 8> sources = all->sources();
  auto parts = job.gather(root, contribution(array, sources, backend));
  if (!parts)
    return parts.takeError();
  // The root tells whether some process could not contribute.
  std::string failure;
  for (auto [process, bytes] : llvm::enumerate(*parts))
    if (failure.empty() && !bytes.empty() && bytes[0] == 'e')
      failure = job.processes()[process].describe(int32_t(process)) + ": " +
                bytes.substr(1);
  auto told = job.broadcast(root, failure);
  if (!told)
    return told.takeError();
  if (!told->empty())
    return fail(*told);
  if (job.process() != root)
    return std::nullopt;
  std::vector<size_t> next(parts->size(), 1);
  int64_t localBytes = byteWidth(array.type);
  for (int64_t size :
       array.mesh && !array.mesh->isEmpty() && !array.mesh->isMaximal()
           ? localShape(array.shape, array.sharding)
           : llvm::SmallVector<int64_t, 4>(array.shape))
    localBytes *= size;
  for (int32_t device : sources) {
    int32_t process = backend.devices()[device].process;
    const std::string &bytes = (*parts)[process];
    if (next[process] + localBytes > bytes.size())
      return fail("process ", process, " sent ", bytes.size() - 1,
                  " bytes of an array of which it has more");
    all->setBuffer(device, bytes.data() + next[process]);
    next[process] += localBytes;
  }
  return all->gather(client.pool());
}

} // namespace

llvm::Expected<std::optional<Array>>
shardwright::gather(const ShardedArray &array, Job &job, Client &client,
                    int32_t root) {
  auto shardOf = [&](int32_t device) -> const Buffer & {
    return *llvm::find_if(array.buffers(), [&](const Buffer &buffer) {
      return buffer.device() == DeviceId(device);
    });
  };
  return gatherShards({array.type(), array.shape(), array.sharding(),
                       &array.mesh(), array.mesh().numDevices(), shardOf},
                      job, client, root);
}

llvm::Expected<std::optional<Array>>
shardwright::gatherResult(const Executable &executable, const Execution &run,
                          size_t index, Job &job, Client &client,
                          int32_t root) {
  const ValueSpec &spec = executable.results()[index];
  const Mesh *mesh = spec.mesh < 0 ? nullptr : &executable.meshes()[spec.mesh];
  auto shardOf = [&](int32_t device) -> const Buffer & {
    for (const std::vector<Buffer> &buffers : run.results)
      if (buffers[index].device() == DeviceId(device))
        return buffers[index];
    return run.results.front()[index]; // not reached: it is addressable
  };
  return gatherShards({spec.type, spec.shape, spec.sharding, mesh,
                       executable.numDevices(), shardOf},
                      job, client, root);
}

llvm::Expected<std::vector<ArrayPart>>
shardwright::partsHere(const Executable &executable, const Execution &run,
                       size_t index, const Client &client) {
  const ValueSpec &spec = executable.results()[index];
  const Mesh *mesh = spec.mesh < 0 ? nullptr : &executable.meshes()[spec.mesh];
  bool isWhole = !mesh || mesh->isEmpty() || mesh->isMaximal();
  if (!isWhole && totalSize(spec.sharding.unreduced) > 1)
    return fail("result ", index,
                " is a sum of parts on several devices, which "
                "can only be gathered");
  std::vector<ArrayPart> parts;
  for (const std::vector<Buffer> &buffers : run.results) {
    const Buffer &buffer = buffers[index];
    ArrayPart part;
    llvm::SmallVector<int64_t, 4> extent(spec.shape);
    part.begin.assign(spec.shape.size(), 0);
    if (!isWhole)
      for (auto [d, range] : llvm::enumerate(
               shardBox(spec.shape, spec.sharding, *mesh,
                        mesh->linearIndex(buffer.device().number())))) {
        part.begin[d] = range.begin;
        extent[d] = range.size();
      }
    if (llvm::any_of(parts, [&](const ArrayPart &other) {
          return other.begin == part.begin;
        }))
      continue;
    auto data = buffer.await();
    if (!data)
      return data.takeError();
    auto array = Array::allocate(spec.type, extent);
    if (!array)
      return array.takeError();
    int64_t width = byteWidth(spec.type);
    cpu::copyBox(array->data(), rowMajorStrides(extent, width), data->get(),
                 rowMajorStrides(buffer.shape(), width), extent, width);
    part.array = std::move(*array);
    parts.push_back(std::move(part));
  }
  return parts;
}
