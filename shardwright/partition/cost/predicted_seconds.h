//===- predicted_seconds.h - time of collectives and kernels ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two functions that turn work of a device into seconds on a machine. The
// planner (reshard/, decide/), the predicted step (overlap/op_cost.h) and the
// reports share them. Value types; no IR.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_COST_PREDICTED_SECONDS_H
#define SHARDWRIGHT_PARTITION_COST_PREDICTED_SECONDS_H

#include "shardwright/partition/cost/machine_model.h"

namespace shardwright {

/// Seconds of a collective among `members` devices that each hold `local` bytes
/// on entry: rounds and bytes over `link`, writing the results, and reading
/// what a reduction combines. A permute sends in one direction; all others use
/// all directions of the link. 0 for less than two members, except for a
/// permute, whose number of members does not matter. `near`: members that
/// exchange over `link`, if others are in other processes, whose messages cost
/// more (process_traffic.h); -1: all.
double collectiveSeconds(const MachineModel &machine, CollectiveKind kind,
                         double local, int64_t members, const LinkModel &link,
                         int64_t near = -1);

/// Output columns that a contraction computes together: the dimensions of a dot
/// that only the right operand has, the output features of a convolution.
struct OutputColumns {
  double number = 0; ///< 0: of an op that is no contraction
  /// With a single column it multiplies with a vector.
  bool hasVectorForm = false;

  /// Those of a device, if the columns are divided among so many. 0: none that
  /// MachineModel::contractionColumns is about.
  double of(double devices) const {
    double own = number / devices;
    return own <= 1 && hasVectorForm ? 0 : own;
  }
};

/// What one kernel does on a device.
struct KernelWork {
  double operations = 0;
  double operationsPerSecond = 1;
  /// Bytes read from memory and written to it.
  double bytes = 0;
  bool isContraction = false;
  /// OutputColumns::of.
  double columns = 0;
  /// False for an op that runs in the kernel of another op, or on the host.
  bool isLaunched = true;
};

/// Seconds of a kernel: the larger of its arithmetic and its memory traffic,
/// and the fixed overhead of a launch.
double kernelSeconds(const MachineModel &machine, const KernelWork &work);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_COST_PREDICTED_SECONDS_H
