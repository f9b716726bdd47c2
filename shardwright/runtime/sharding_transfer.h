//===- sharding_transfer.h - global arrays to and from devices --*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_SHARDING_TRANSFER_H
#define SHARDWRIGHT_RUNTIME_SHARDING_TRANSFER_H

#include "shardwright/cpu/thread_pool.h"
#include "shardwright/mesh/sharding.h"
#include "shardwright/runtime/array.h"

#include <vector>

namespace shardwright {

/// Where every device's shard lives. Devices whose shards are the same box of
/// the global array may share memory; `owners` keeps it alive.
struct DeviceShards {
  std::vector<void *> data; ///< by device; 64-byte aligned
  std::vector<std::shared_ptr<void>> owners;
};

/// The shards of `global`, of local shape localShape(shape, sharding), for
/// devices 0..numDevices-1. Devices that hold the same box share one buffer; a
/// box that lies contiguous (and aligned) in the global array is not copied,
/// so the shards are read-only. Where a dimension does not divide, the last
/// shards are padded with zeros. `mesh` null, empty or maximal: every device
/// gets the whole array.
llvm::Expected<DeviceShards> shardArray(const Array &global,
                                        const TensorSharding &sharding,
                                        const Mesh *mesh, int64_t numDevices,
                                        cpu::ThreadPool &pool);

/// A global array and the buffers from which it is put together.
class ResultGather {
public:
  /// Allocates a buffer a device; those whose shard is a contiguous, aligned
  /// piece of the global array write there directly.
  static llvm::Expected<ResultGather>
  create(ElementType type, llvm::ArrayRef<int64_t> shape,
         const TensorSharding &sharding, const Mesh *mesh, int64_t numDevices);

  const DeviceShards &shards() const { return buffers; }
  /// After the devices have written: of each box the copy of the lowest device
  /// (of a maximal mesh: its device).
  Array gather(cpu::ThreadPool &pool);

private:
  struct Box {
    int32_t device;
    int64_t dstOffset; ///< bytes into the global array
    llvm::SmallVector<int64_t, 4> extent;
    bool inPlace;
  };
  Array global;
  llvm::SmallVector<int64_t, 4> localDims;
  std::vector<Box> boxes;
  DeviceShards buffers;
};

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_SHARDING_TRANSFER_H
