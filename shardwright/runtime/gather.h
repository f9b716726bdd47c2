//===- gather.h - whole arrays from the shards of a job ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs of a program on the devices of several processes, as one process sees
// them: each makes the shards of its devices, and what all have together can be
// gathered in one. All processes of the job call these functions together.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_GATHER_H
#define SHARDWRIGHT_RUNTIME_GATHER_H

#include "shardwright/runtime/executable.h"
#include "shardwright/runtime/sharded_array.h"

namespace shardwright {

class Job;

/// The array whose shards the processes of `job` hold, in process `root`; none
/// in the others. Fails in all processes if it fails in one.
llvm::Expected<std::optional<Array>> gather(const ShardedArray &array, Job &job,
                                            Client &client, int32_t root = 0);

/// The same for result `index` of a run by Executable::runLocal; sizes that the
/// program returns beside arrays of bounded size are results of their own.
llvm::Expected<std::optional<Array>>
gatherResult(const Executable &executable, const Execution &run, size_t index,
             Job &job, Client &client, int32_t root = 0);

/// A part of a global array.
struct ArrayPart {
  Array array;                         ///< without padding
  llvm::SmallVector<int64_t, 4> begin; ///< of the first element
};

/// The different parts of result `index` on the devices of this process, in the
/// order of devices, each from the first device that holds it. Fails for
/// partial sums, which are no parts.
llvm::Expected<std::vector<ArrayPart>> partsHere(const Executable &executable,
                                                 const Execution &run,
                                                 size_t index,
                                                 const Client &client);

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_GATHER_H
