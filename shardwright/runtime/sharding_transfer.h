//===- sharding_transfer.h - global arrays to and from devices --*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_SHARDING_TRANSFER_H
#define SHARDWRIGHT_RUNTIME_SHARDING_TRANSFER_H

#include "shardwright/cpu/collectives/reduce.h"
#include "shardwright/mesh/sharding.h"
#include "shardwright/runtime/array.h"
#include "shardwright/support/thread_pool.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <vector>

namespace shardwright {

/// True for the devices to include; a null filter includes all devices.
using DeviceFilter = llvm::function_ref<bool(int32_t device)>;

/// Where every device's shard lives, by device. Devices whose shards are equal
/// share memory.
struct DeviceShards {
  std::vector<std::shared_ptr<void>> data; ///< 64-byte aligned
  /// The shard lies in the global array, whose owner may not want it changed.
  std::vector<bool> isView;
};

/// The shards of `global`, of local shape localShape(shape, sharding), for
/// devices 0..numDevices-1. Devices that hold the same box share one buffer; a
/// box that lies contiguous (and aligned) in the global array is not copied,
/// so the shards are read-only. Where a dimension does not divide, the last
/// shards are padded with zeros. Of an unreduced array the devices that are
/// first along its unreduced axes get the value, the others what a sum does not
/// change. `mesh` null, empty or maximal: every device gets the whole array.
/// The data of devices that `isWanted` excludes may be null. Fails without
/// memory, and where an unreduced array's type has no zero.
llvm::Expected<DeviceShards> shardArray(const Array &global,
                                        const TensorSharding &sharding,
                                        const Mesh *mesh, int64_t numDevices,
                                        cpu::ThreadPool &pool,
                                        DeviceFilter isWanted = nullptr);

/// A global array and the buffers from which it is put together.
class ResultGather {
public:
  /// Allocates a buffer a device; those whose shard is a contiguous, aligned
  /// piece of the global array write there directly.
  static llvm::Expected<ResultGather>
  create(ElementType type, llvm::ArrayRef<int64_t> shape,
         const TensorSharding &sharding, const Mesh *mesh, int64_t numDevices);
  /// For shards that are there already: allocates none, see `setBuffer`. Reads
  /// only from devices that `isReadable` includes, and fails if a shard is on
  /// none of them.
  static llvm::Expected<ResultGather>
  ofExisting(ElementType type, llvm::ArrayRef<int64_t> shape,
             const TensorSharding &sharding, const Mesh *mesh,
             int64_t numDevices, DeviceFilter isReadable);

  /// By device: where its shard is, or is to be written.
  llvm::ArrayRef<void *> buffers() const { return data; }
  /// The devices whose shards `gather` reads.
  llvm::SmallVector<int32_t, 8> sources() const;
  /// Where the shard of a device is; it is only read.
  void setBuffer(int32_t device, const void *shard) {
    data[device] = const_cast<void *>(shard);
  }
  /// After the devices have written: of each box the copy of the lowest
  /// readable device (of a maximal mesh: its device). Of an unreduced array the
  /// sum of what the devices along its unreduced axes have, in the order of
  /// these.
  Array gather(cpu::ThreadPool &pool);

private:
  struct Box {
    /// Those that are read: one, or one for each summand.
    llvm::SmallVector<int32_t, 1> devices;
    int64_t dstOffset; ///< bytes into the global array
    llvm::SmallVector<int64_t, 4> extent;
    void *sum = nullptr; ///< of several: where their sum goes
    /// What is read (or the sum) is in the global array already.
    bool inPlace = false;
  };
  static llvm::Expected<ResultGather>
  make(ElementType type, llvm::ArrayRef<int64_t> shape,
       const TensorSharding &sharding, const Mesh *mesh, int64_t numDevices,
       bool allocates, DeviceFilter isReadable);
  /// Null: no memory.
  void *allocate(int64_t bytes);

  Array global;
  llvm::SmallVector<int64_t, 4> localDims;
  std::vector<Box> boxes;
  std::vector<void *> data; ///< by device
  std::vector<std::shared_ptr<void>> owned;
  std::optional<cpu::Reduction> addition;
};

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_SHARDING_TRANSFER_H
