//===- direct_exchange.h - each device gets just what it lacks --*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From any layout to any other, on any two meshes over the same devices, even
// or uneven: what a device lacks of its part of the target are boxes, each the
// intersection with another device's part of the source. Every box travels
// once, from one of the devices that have it, so the bytes are the receive
// bound. Boxes of one size travel in rounds in which a device sends at most one
// box and receives at most one: a permute each.
//
// Partial sums stay what they are: both sides are unreduced along as many
// devices, and a box comes from a device that holds the same summand.
//
// The source of the semantics is shard_index: a dimension of N over n shards
// has ceil(N / n) rows in each.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_RESHARD_DIRECT_EXCHANGE_H
#define SHARDWRIGHT_PARTITION_RESHARD_DIRECT_EXCHANGE_H

#include "shardwright/mesh/sharding.h"

#include <vector>

namespace shardwright {

/// Boxes of one size that move at once.
struct ExchangeRound {
  llvm::SmallVector<int64_t, 4> sizes;
  /// By dimension and device id: where the box begins in the shard of the
  /// source that the device sends it from, and in that of the target where it
  /// puts what it receives. Anything for devices that do not.
  std::vector<llvm::SmallVector<int64_t, 0>> takes, puts;
  /// By device id.
  std::vector<bool> receives;
  /// (source, target) device ids, flat, by ascending source. Empty: each device
  /// takes from its own shard.
  llvm::SmallVector<int64_t, 0> pairs;
};

/// The rounds, those within devices first. Linear in devices times boxes a
/// device, times a little.
std::vector<ExchangeRound> planExchange(const Mesh &fromMesh,
                                        const TensorSharding &from,
                                        const Mesh &toMesh,
                                        const TensorSharding &to,
                                        llvm::ArrayRef<int64_t> shape);

/// At most so many boxes make up a device's part of the target. Does not look
/// at devices.
int64_t exchangePieces(const TensorSharding &from, const TensorSharding &to,
                       llvm::ArrayRef<int64_t> shape);

/// Elements that a device lacks, on average. Linear in the devices.
double exchangeElements(const Mesh &fromMesh, const TensorSharding &from,
                        const Mesh &toMesh, const TensorSharding &to,
                        llvm::ArrayRef<int64_t> shape);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_RESHARD_DIRECT_EXCHANGE_H
