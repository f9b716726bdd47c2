//===- machine_option.h - the option `machine` of passes --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_COST_MACHINE_OPTION_H
#define SHARDWRIGHT_PARTITION_COST_MACHINE_OPTION_H

#include "shardwright/partition/cost/machine_model.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace shardwright {

/// The machine with the links of its levels for the axes of the module's meshes
/// (machine_levels.h); axes of equal names have the link of the first. Fails
/// with a diagnostic at the mesh if an axis does not lie in one level.
mlir::FailureOr<MachineModel> placeMesh(mlir::ModuleOp module,
                                        const MachineModel &machine);

/// The machine that a pass option `machine` names: the content of the file
/// `path`, placed as by placeMesh if `op` is a module; none if the path is
/// empty. If the file cannot be read, fails with a diagnostic at `op`.
mlir::FailureOr<std::optional<MachineModel>>
readMachineOption(mlir::Operation *op, llvm::StringRef path);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_COST_MACHINE_OPTION_H
