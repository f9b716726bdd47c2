//===- device_ring.h - rings of devices -------------------------*- C++ -*-===//
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

/// The device groups of a collective, each in the order of a ring.
struct DeviceRing {
  mlir::DenseIntElementsAttr groups;
  int64_t size = 0;

  /// The ring of a collective over partitions; none if the groups differ in
  /// size, do not cover all devices, or number replicas.
  static std::optional<DeviceRing> of(mlir::Operation *collective,
                                      int64_t numReplicas);
};

/// Creates the ops of rings in one function.
class RingBuilder {
public:
  RingBuilder(mlir::func::FuncOp func, int64_t &nextChannel)
      : start(func), nextChannel(nextChannel) {}

  /// Sends `value` to the member `step` places ahead (behind, if negative);
  /// returns the received value.
  mlir::Value pass(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value value, const DeviceRing &ring, int64_t step);
  /// ((position of this device + shift) mod size) * scale: a 0-d tensor of i64,
  /// computed at the start of the function.
  mlir::Value place(const DeviceRing &ring, int64_t shift, int64_t scale);
  mlir::Value constant(int64_t value) { return start.constant(value); }
  /// Slices `size` elements of dimension `dim` at `start` from `value`.
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
