//===- blame.h - what a plan's step and memory are spent on -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of the program of one device: the seconds that each op of the module costs
// beyond an equal share of its work, and the values that are alive at the peak.
// Ops are named by their numbers (trial_context.h).
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_BLAME_H
#define SHARDWRIGHT_AUTO_BLAME_H

#include "shardwright/mesh/mesh.h"
#include "shardwright/partition/cost/machine_model.h"

#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace shardwright {

struct Blame {
  struct Op {
    int32_t number = 0;
    /// Seconds of the collectives that move its operands or complete its
    /// results, and of work that devices repeat.
    double seconds = 0;
  };
  struct Held {
    /// The argument or result of @main, or the op that makes the value.
    enum class Kind : uint8_t { Argument, Result, Op } kind = Kind::Op;
    int32_t number = 0;
    double bytes = 0;
  };
  /// The costliest first, then by number.
  std::vector<Op> ops;
  /// The largest first.
  std::vector<Held> held;
};

/// Seconds of each op of a module of global shapes if its work is divided
/// evenly among the devices, by number; loops count by their trip counts.
std::vector<double> evenShares(mlir::ModuleOp imported, const Mesh &mesh,
                               const MachineModel &machine);

/// `local`: the program of one device, made from the module of `shares`, with
/// numbers as locations.
Blame blameOf(mlir::ModuleOp local, const Mesh &mesh,
              const MachineModel &machine, llvm::ArrayRef<double> shares);

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_BLAME_H
