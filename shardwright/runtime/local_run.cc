//===- local_run.cc - runs on the devices of one process of a job ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/bounded_arrays.h"
#include "shardwright/runtime/executable.h"
#include "shardwright/runtime/sharded_array.h"
#include "shardwright/support/error.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardwright;

llvm::Error Executable::completeArguments(llvm::ArrayRef<Array> &arguments,
                                          std::vector<Array> &withSizes) const {
  if (llvm::Error e =
          checkArguments(parts.arguments, arguments.size(), [&](size_t i) {
            return std::pair(arguments[i].type(), arguments[i].shape());
          }))
    return e;
  if (arguments.size() == parts.arguments.size())
    return llvm::Error::success();
  auto all = padded(parts.arguments, arguments);
  if (!all)
    return all.takeError();
  withSizes = std::move(*all);
  arguments = withSizes;
  return llvm::Error::success();
}

llvm::Expected<Execution>
Executable::runLocal(llvm::ArrayRef<Array> arguments, Client &client,
                     RunStatistics *statistics,
                     std::shared_ptr<Trace> trace) const {
  std::vector<Array> withSizes;
  if (llvm::Error e = completeArguments(arguments, withSizes))
    return e;
  int64_t count = numDevices();
  size_t numLocal = 0;
  for (int64_t d = 0; d < count; ++d)
    numLocal += client.backend().isAddressable(d);
  std::vector<std::vector<Buffer>> buffers(numLocal);
  for (auto [i, array] : llvm::enumerate(arguments)) {
    const ValueSpec &spec = parts.arguments[i];
    auto placed =
        buffersOfShards(array, spec.sharding, meshOf(spec), count,
                        program().arguments()[i].shape, client, spec.memory);
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
