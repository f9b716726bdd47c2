//===- device_ring.h - the devices of a group, one after another *- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OVERLAP_DEVICE_RING_H
#define SHARDWRIGHT_PARTITION_OVERLAP_DEVICE_RING_H

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/support/function_start.h"

#include <map>
#include <optional>

namespace shardwright {

/// The groups of a collective, whose members follow each other in a ring.
struct DeviceRing {
  mlir::DenseIntElementsAttr groups;
  int64_t size = 0;

  /// Of a collective over partitions; none where groups are not of one size,
  /// leave devices out, or count replicas.
  static std::optional<DeviceRing> of(mlir::Operation *collective,
                                      int64_t numReplicas);
};

/// Makes the ops of rings in one function.
class RingBuilder {
public:
  RingBuilder(mlir::func::FuncOp func, int64_t &nextChannel)
      : start(func), nextChannel(nextChannel) {}

  /// What each device sends to the member `step` after it (before it, where
  /// negative).
  mlir::Value pass(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value value, const DeviceRing &ring, int64_t step);
  /// (position of this device + shift) mod size, times `scale`; a 0-d tensor of
  /// i64, made at the start of the function.
  mlir::Value place(const DeviceRing &ring, int64_t shift, int64_t scale);
  mlir::Value constant(int64_t value) { return start.constant(value); }
  /// `value`, a piece of `size` elements of dimension `dim` from `start` on.
  mlir::Value piece(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value value, int64_t dim, mlir::Value start,
                    int64_t size);

private:
  mlir::Value position(const DeviceRing &ring);

  FunctionStart start;
  int64_t &nextChannel;
  llvm::DenseMap<mlir::Attribute, mlir::Value> positions;
  using Place = std::tuple<const void *, int64_t, int64_t>;
  std::map<Place, mlir::Value> places;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OVERLAP_DEVICE_RING_H
