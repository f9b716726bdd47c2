//===- program_bytes.h - a program in the form for plugins ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_CLIENT_PROGRAM_BYTES_H
#define SHARDWRIGHT_PJRT_CLIENT_PROGRAM_BYTES_H

#include "shardwright/backend/loaded_program.h"
#include "shardwright/dialect/vhlo/version.h"
#include "shardwright/pjrt_client/plugin_layouts.h"

#include "mlir/IR/BuiltinOps.h"

namespace shardwright::pjrt_client {

/// A program of one device for a compiler of another vendor.
struct ProgramParts {
  std::string bytes; ///< a portable artifact in replicas form
  std::vector<ArrayType> arguments, results;
  std::vector<Placement> argumentPlacements, resultPlacements;
  int64_t numDevices = 1;
};

/// Rewrites `local`, and writes it for a reader of StableHLO `version`; none:
/// for any reader of the last years. Emits an error on failure.
mlir::FailureOr<ProgramParts>
programParts(mlir::ModuleOp local, llvm::ArrayRef<ArgumentDonation> donations,
             std::optional<vhlo::Version> version);

} // namespace shardwright::pjrt_client

#endif // SHARDWRIGHT_PJRT_CLIENT_PROGRAM_BYTES_H
