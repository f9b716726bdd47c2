//===- overlap.h - overlap communication and compute ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the program of one device, as `localize` leaves it. Out: the same program
// with less exposed communication in the predicted time. Results change only by
// the order in which rings add floats.
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
  /// Rings of dots where they are faster; uses only ops that every backend
  /// supports.
  Rings,
  /// Rings, and async_start and async_done, where they are faster.
  On,
  /// Both wherever possible; for tests.
  Force,
};

/// `off`, `rings`, `on`, `force`.
llvm::StringRef str(Overlap mode);
std::optional<Overlap> overlapFromName(llvm::StringRef name);

struct OverlapOptions {
  MachineModel machine;
  /// Names the axes along which devices exchange data; may be empty.
  Mesh mesh;
  bool force = false;
  /// Memory limit for the values of one block; 0: the memory of the machine.
  double memoryBytes = 0;
  /// Directions of rings: 1 or 2; 0: the faster.
  int32_t directions = 0;
};

/// Splits collectives of one operand (and of several, where that is faster)
/// into async_start and async_done, and orders the ops of each block to
/// minimize waiting.
void overlapCollectives(mlir::ModuleOp local, const OverlapOptions &options);

/// Turns all_gather + dot and dot + reduce_scatter into rings. Returns the
/// number of rings.
int64_t makeRingDots(mlir::ModuleOp local, const OverlapOptions &options);

/// Applies `mode`; uses rings only if the whole program is faster with them.
void overlapCommunication(mlir::ModuleOp local, Overlap mode,
                          const OverlapOptions &options);

/// Registers `sw-overlap-collectives` and `sw-ring-dots`.
void registerOverlapPasses();

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OVERLAP_OVERLAP_H
