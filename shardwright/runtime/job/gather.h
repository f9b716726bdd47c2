//===- gather.h - whole arrays from the shards of a job ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs of a program on the devices of several processes, as one process sees
// them: each makes the shards of its devices, and what all have together can be
// read in one.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_JOB_GATHER_H
#define SHARDWRIGHT_RUNTIME_JOB_GATHER_H

#include "shardwright/runtime/executable.h"
#include "shardwright/runtime/readers/array_reader.h"
#include "shardwright/runtime/sharded_array.h"

namespace shardwright {

class Job;

/// Global arrays whose shards are in all processes of a job, as one of them,
/// `root`, reads them. Every process makes this object of its shards. Then
/// `root` reads and calls `finish`, while the others are in `serve`.
class JobArrays {
public:
  /// One array.
  JobArrays(const ShardedArray &array, Job &job, Client &client,
            int32_t root = 0);
  /// The results of a run by Executable::runLocal; of a dimension of bounded
  /// size, the elements up to the size.
  JobArrays(const Executable &executable, const Execution &run, Job &job,
            Client &client, int32_t root = 0);
  ~JobArrays();

  bool isRoot() const;

  // In the process `root`.

  /// Readers of the arrays, for the time of this object. A read needs memory
  /// for twice the box in this process, and for its part in the others.
  llvm::Expected<std::vector<std::unique_ptr<ArrayReader>>> readers();
  /// Ends `serve` in the other processes, with `failure` if it is not empty.
  llvm::Error finish(const std::string &failure = "");

  // In the other processes.

  /// Sends what `root` reads, until it calls `finish`.
  llvm::Error serve();

private:
  struct Source;
  class Reader;
  std::string contribution(size_t index, const Box &box);
  llvm::Error read(size_t index, const Box &box, void *to,
                   llvm::ArrayRef<int64_t> strides);
  llvm::Error reduceAndPlace(const Source &source, const Box &box,
                             llvm::ArrayRef<std::string> parts, void *to,
                             llvm::ArrayRef<int64_t> strides);

  Job &job;
  Client &client;
  const int32_t root;
  std::vector<Source> sources;
  llvm::ArrayRef<ValueSpec> values; ///< of a run's results
};

/// The array whose shards the processes of `job` hold, in process `root`; none
/// in the others. Fails in all processes if it fails in one. All processes of
/// the job call it together.
llvm::Expected<std::optional<Array>> gather(const ShardedArray &array, Job &job,
                                            Client &client, int32_t root = 0);

/// The same for the results of a run by Executable::runLocal, in order; none in
/// the other processes.
llvm::Expected<std::vector<Array>> gatherResults(const Executable &executable,
                                                 const Execution &run, Job &job,
                                                 Client &client,
                                                 int32_t root = 0);

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

#endif // SHARDWRIGHT_RUNTIME_JOB_GATHER_H
