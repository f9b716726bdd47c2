//===- target.h - compilers of the program of one device --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_COST_TARGET_H
#define SHARDWRIGHT_PARTITION_COST_TARGET_H

#include "shardwright/partition/cost/machine_model.h"

#include <optional>

namespace shardwright {

/// Which compiler gets the program of one device: our own or XLA's for CPUs;
/// XLA's for GPUs; XLA's for TPUs. The programs compute the same results.
enum class Target { Cpu, Gpu, Tpu };

/// `cpu`, `gpu`, `tpu`.
std::optional<Target> targetFromName(llvm::StringRef name);

/// The target of a platform of PJRT: `cuda`, `rocm`, `gpu`, `tpu`; Cpu for any
/// other.
Target targetOfPlatform(llvm::StringRef platform);

/// What differs between targets (docs/elsewhere.md, "Targets").
struct TargetTraits {
  llvm::StringLiteral name;
  /// Merge reduce_scatters by packing their operands into one matrix; XLA for
  /// GPUs combines them unpacked.
  bool packsScatters;
  /// Merge all_gathers of any dimensions along a new leading dimension; XLA for
  /// GPUs and TPUs combines them, and fuses others with their users.
  bool packsGathers;
  /// Give reduce_scatters results of full tiles (combine/tile_scatters.h).
  bool tilesScatters;
};

const TargetTraits &traitsOf(Target target);

/// The limits for a target: those of the machine, but 0 for collectives that
/// are not to be packed.
JoinLimits joinLimitsFor(Target target, const MachineModel &machine);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_COST_TARGET_H
