//===- overlap.h - communication beside computing ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the program of one device, as `localize` leaves it. Out: the same
// program, whose collectives take less of the predicted time. Results do not
// change, but for the order in which rings add floats.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OVERLAP_OVERLAP_H
#define SHARDWRIGHT_PARTITION_OVERLAP_OVERLAP_H

#include "shardwright/mesh/mesh.h"
#include "shardwright/partition/cost/machine_model.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace shardwright {

enum class Overlap : uint8_t {
  Off,
  /// Rings of dots where they win; ops that every backend knows.
  Rings,
  /// Rings, and async_start and async_done, where they win.
  On,
  /// Both wherever they are possible; for tests.
  Force,
};

struct OverlapOptions {
  MachineModel machine;
  /// Names the axes along which devices exchange; may be empty.
  Mesh mesh;
  bool force = false;
  /// What values of one block may take; 0: the memory of the machine.
  double memoryBytes = 0;
  /// Of rings: 1 or 2, 0 for what takes less time.
  int32_t directions = 0;
};

/// Makes pairs of async_start and async_done of collectives of one operand (and
/// of those of several, where that takes less time) and orders the ops of each
/// block so that the device waits least.
void overlapCollectives(mlir::ModuleOp local, const OverlapOptions &options);

/// Makes rings of all_gather and dot, and of dot and reduce_scatter. Returns
/// how many.
int64_t makeRingDots(mlir::ModuleOp local, const OverlapOptions &options);

/// What `mode` says; rings only where the whole program takes less time with
/// them.
void overlapCommunication(mlir::ModuleOp local, Overlap mode,
                          const OverlapOptions &options);

/// Registers `sw-overlap-collectives` and `sw-ring-dots`.
void registerOverlapPasses();

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OVERLAP_OVERLAP_H
