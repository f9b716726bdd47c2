//===- direct_exchange.h - plan a direct exchange of boxes ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves a value from any layout to any other, on any two meshes over the same
// devices, with even or uneven shards. The rows that a device needs and does
// not hold form boxes: each is the intersection of its target shard with
// another device's source shard. Each box is sent once, by one of the devices
// that hold it, so the number of bytes equals the receive bound. Boxes of equal
// size are sent in rounds; each round is a permute in which a device sends and
// receives at most one box.
//
// Partial sums stay partial: both sides have the same number of summands, and a
// box comes from a device that holds the same summand.
//
// As in shard_index, a dimension of size N over n shards has ceil(N / n) rows
// in each shard.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_RESHARD_DIRECT_EXCHANGE_H
#define SHARDWRIGHT_PARTITION_RESHARD_DIRECT_EXCHANGE_H

#include "shardwright/mesh/sharding.h"

#include <vector>

namespace shardwright {

/// Boxes of one size that are exchanged in one permute.
struct ExchangeRound {
  llvm::SmallVector<int64_t, 4> sizes;
  /// By dimension and device id: offset of the box in the source shard of the
  /// sender, and in the target shard of the receiver. Unspecified for devices
  /// that do not send or receive.
  std::vector<llvm::SmallVector<int64_t, 0>> takes, puts;
  /// By device id: true if the device receives a box.
  std::vector<bool> receives;
  /// (source, target) device ids, flat, by ascending source. Empty: each device
  /// copies from its own shard.
  llvm::SmallVector<int64_t, 0> pairs;
};

/// Returns the rounds, those within devices first. The time is about linear in
/// devices times boxes per device.
std::vector<ExchangeRound> planExchange(const Mesh &fromMesh,
                                        const TensorSharding &from,
                                        const Mesh &toMesh,
                                        const TensorSharding &to,
                                        llvm::ArrayRef<int64_t> shape);

/// Upper bound of the number of boxes in a device's target shard. Takes
/// constant time in the number of devices.
int64_t exchangePieces(const TensorSharding &from, const TensorSharding &to,
                       llvm::ArrayRef<int64_t> shape);

/// Mean number of elements that a device lacks. Linear in the devices.
double exchangeElements(const Mesh &fromMesh, const TensorSharding &from,
                        const Mesh &toMesh, const TensorSharding &to,
                        llvm::ArrayRef<int64_t> shape);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_RESHARD_DIRECT_EXCHANGE_H
