//===- broadcast_arrays.h - arrays that one process reads ------*- C++ -*-===//
//-*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_JOB_BROADCAST_ARRAYS_H
#define SHARDWRIGHT_RUNTIME_JOB_BROADCAST_ARRAYS_H

#include "shardwright/runtime/readers/array_reader.h"

#include <vector>

namespace shardwright {

class Job;

/// Arrays that only the process `root` can read, for all processes of a job.
/// Each process makes this object, reads each window of each reader, array by
/// array (readBoxes), and then calls `finish`.
class BroadcastArrays {
public:
  /// `arrays`: of the root, empty in other processes. `types`: those of the
  /// arrays, in all processes.
  BroadcastArrays(Job &job, int32_t root,
                  std::vector<std::unique_ptr<ArrayReader>> arrays,
                  llvm::ArrayRef<ElementType> types);
  ~BroadcastArrays();

  /// The readers, for the time of this object. All processes call it.
  llvm::Expected<std::vector<std::unique_ptr<ArrayReader>>> readers();
  /// Takes part in the rest of the broadcasts, if this process has stopped
  /// reading for an error: other processes go on.
  void finish();

private:
  class Reader;
  void nextArray();
  /// Broadcasts the next window. Returns its elements, or the root's failure.
  llvm::Expected<std::string> nextWindow();

  Job &job;
  const int32_t root;
  const std::vector<std::unique_ptr<ArrayReader>> arrays;
  const std::vector<ElementType> types;
  std::vector<llvm::SmallVector<int64_t, 4>> shapes;
  /// The array that is being broadcast, its windows, and the next of them.
  size_t current = 0;
  std::unique_ptr<Windows> windows;
  Box window;
};

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_JOB_BROADCAST_ARRAYS_H
