//===- local_run.cc - runs on the devices of one process of a job ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/bounded_arrays.h"
#include "shardwright/runtime/executable.h"
#include "shardwright/runtime/sharding_transfer.h"
#include "shardwright/support/error.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardwright;

llvm::Error
Executable::checkGlobalArguments(llvm::ArrayRef<Array> arguments) const {
  llvm::ArrayRef<ValueSpec> visible = withoutSizes(parts.arguments);
  if (arguments.size() != visible.size())
    return fail("the program takes ", visible.size(),
                " arguments, but was given ", arguments.size());
  for (auto [i, array] : llvm::enumerate(arguments))
    if (array.type() != visible[i].type ||
        !hasShapeOf(parts.arguments, i, array.shape()))
      return fail("argument ", i, visible[i].name.empty() ? "" : " (",
                  visible[i].name, visible[i].name.empty() ? "" : ")", " is ",
                  str(parts.arguments, i), ", but was given ", array.str());
  return llvm::Error::success();
}

/// Buffers of the shards of one argument on the addressable devices, in order.
static llvm::Expected<std::vector<Buffer>>
placeLocal(const Array &array, const ValueSpec &spec, const Mesh *mesh,
           const ArrayType &local, int64_t numDevices, Client &client) {
  auto isLocal = [&](int32_t device) {
    return client.backend().isAddressable(device);
  };
  auto shards = shardArray(array, spec.sharding, mesh, numDevices,
                           client.pool(), isLocal);
  if (!shards)
    return shards.takeError();
  std::vector<Buffer> buffers;
  for (int32_t d = 0; d < numDevices; ++d) {
    if (!isLocal(d))
      continue;
    std::shared_ptr<void> &data = shards->data[d];
    const void *at = data.get();
    auto buffer =
        shards->isView[d]
            ? client.viewHost(
                  {at, local.type, local.shape}, d, [keep = data] {},
                  spec.memory)
            : client.adoptHost(data, local.type, local.shape, d, spec.memory);
    if (!buffer)
      return buffer.takeError();
    buffers.push_back(std::move(*buffer));
  }
  return buffers;
}

llvm::Expected<Execution>
Executable::runLocal(llvm::ArrayRef<Array> arguments, Client &client,
                     RunStatistics *statistics,
                     std::shared_ptr<Trace> trace) const {
  if (llvm::Error e = checkGlobalArguments(arguments))
    return e;
  std::vector<Array> withSizes;
  if (arguments.size() != parts.arguments.size()) {
    auto all = padded(parts.arguments, arguments);
    if (!all)
      return all.takeError();
    withSizes = std::move(*all);
    arguments = withSizes;
  }
  int64_t count = numDevices();
  size_t numLocal = 0;
  for (int64_t d = 0; d < count; ++d)
    numLocal += client.backend().isAddressable(d);
  std::vector<std::vector<Buffer>> buffers(numLocal);
  for (auto [i, array] : llvm::enumerate(arguments)) {
    const ValueSpec &spec = parts.arguments[i];
    auto placed = placeLocal(array, spec, meshOf(spec),
                             program().arguments()[i], count, client);
    if (!placed)
      return placed.takeError();
    for (auto [d, buffer] : llvm::enumerate(*placed))
      buffers[d].push_back(std::move(buffer));
  }
  ExecuteOptions options;
  options.trace = std::move(trace);
  options.statistics = statistics;
  return execute(buffers, client, options);
}
