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
#include "shardwright/runtime/client.h"
#include "shardwright/runtime/shard_plan.h"
#include "shardwright/support/thread_pool.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <vector>

namespace shardwright {

/// True for the devices to include; a null filter includes all devices.
using DeviceFilter = llvm::function_ref<bool(int32_t device)>;

/// Memory of every device's shard, by device. Devices with equal shards share
/// memory.
struct DeviceShards {
  std::vector<std::shared_ptr<void>> data; ///< 64-byte aligned
  /// The shard is in the global array, which must not be modified.
  std::vector<bool> isView;
};

/// The shards of `global`, of local shape localShape(shape, sharding), for
/// devices 0..numDevices-1. Devices with the same box share one buffer. A box
/// that is contiguous and aligned in the global array is not copied, so the
/// shards are read-only. If a dimension does not divide, the last shards are
/// padded with zeros. For an unreduced array, the first devices along the
/// unreduced axes get the value, all others the reduction's neutral element. If
/// `mesh` is null, empty or maximal, every device gets the full array. The data
/// of devices that `isWanted` excludes may be null. Fails if memory is
/// exhausted, or if the type of an unreduced array has no neutral element.
llvm::Expected<DeviceShards> shardArray(const Array &global,
                                        const TensorSharding &sharding,
                                        const Mesh *mesh, int64_t numDevices,
                                        cpu::ThreadPool &pool,
                                        DeviceFilter isWanted = nullptr);

/// Memory for a shard.
struct ShardToFill {
  const ShardPlan::Shard *shard;
  void *to; ///< has the local shape
};

/// Memory for the shards of an array of this type and shape: a view, if
/// `viewOf` returns one, else memory that the caller fills.
llvm::Expected<DeviceShards> placeShards(
    const ShardPlan &plan, ElementType type, llvm::ArrayRef<int64_t> shape,
    ReductionKind reduction, int64_t numDevices, DeviceFilter isWanted,
    llvm::function_ref<std::shared_ptr<void>(const ShardPlan::Shard &)> viewOf,
    std::vector<ShardToFill> &toFill);

/// Buffers of the shards on the addressable ones of devices 0..numDevices-1.
llvm::Expected<std::vector<Buffer>>
buffersOf(DeviceShards shards, ElementType type,
          llvm::ArrayRef<int64_t> localShape, Client &client,
          MemoryKind memory);

/// A global array and the buffers from which it is gathered.
class ResultGather {
public:
  /// Allocates one buffer per device. If its shard is a contiguous, aligned
  /// part of the global array, the device writes there directly.
  static llvm::Expected<ResultGather>
  create(ElementType type, llvm::ArrayRef<int64_t> shape,
         const TensorSharding &sharding, const Mesh *mesh, int64_t numDevices);
  /// For existing shards: allocates no buffers, see `setBuffer`. Reads only
  /// from devices that `isReadable` includes, and fails if a shard is on none
  /// of them.
  static llvm::Expected<ResultGather>
  ofExisting(ElementType type, llvm::ArrayRef<int64_t> shape,
             const TensorSharding &sharding, const Mesh *mesh,
             int64_t numDevices, DeviceFilter isReadable);

  /// By device: the buffer of its shard.
  llvm::ArrayRef<void *> buffers() const { return data; }
  /// The devices whose shards `gather` reads.
  llvm::SmallVector<int32_t, 8> sources() const;
  /// Sets the read-only buffer of a device's shard.
  void setBuffer(int32_t device, const void *shard) {
    data[device] = const_cast<void *>(shard);
  }
  /// Called after the devices have written. Takes each box from the lowest
  /// readable device (of a maximal mesh: from its device). An unreduced array
  /// is reduced over the devices along its unreduced axes, in axis order.
  Array gather(cpu::ThreadPool &pool);

private:
  struct Box {
    /// The devices that are read: one, or one per summand.
    llvm::SmallVector<int32_t, 1> devices;
    int64_t dstOffset; ///< bytes into the global array
    llvm::SmallVector<int64_t, 4> extent;
    void *sum = nullptr; ///< the sum, if there are several devices
    /// The shard (or the sum) is in the global array already.
    bool inPlace = false;
  };
  static llvm::Expected<ResultGather>
  make(ElementType type, llvm::ArrayRef<int64_t> shape,
       const TensorSharding &sharding, const Mesh *mesh, int64_t numDevices,
       bool allocates, DeviceFilter isReadable);
  /// Null if memory is exhausted.
  void *allocate(int64_t bytes);

  Array global;
  llvm::SmallVector<int64_t, 4> localDims;
  std::vector<Box> boxes;
  std::vector<void *> data; ///< by device
  std::vector<std::shared_ptr<void>> owned;
  std::optional<cpu::Reduction> reduction;
};

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_SHARDING_TRANSFER_H
