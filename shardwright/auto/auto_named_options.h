//===- auto_named_options.h - automatic sharding by name --------*- C++ -*-===//
//-*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_AUTO_NAMED_OPTIONS_H
#define SHARDWRIGHT_AUTO_AUTO_NAMED_OPTIONS_H

#include "shardwright/auto/auto_shard.h"

#include "llvm/Support/Error.h"

namespace shardwright {

/// What compiler_options of jax.jit ask for:
///   shardwright_auto         true: find the shardings that are left open
///   shardwright_auto_mesh    data=4,model=2: the mesh, if the program has none
///   shardwright_auto_effort  0, 1 or 2
///   shardwright_machine      a machine file
///   shardwright_memory       16GiB: memory of a device
struct AutoRequest {
  bool isAsked = false;
  /// shardwright_partition_effort is 3: planInside.
  bool plansInside = false;
  /// shardwright_machine is given.
  bool namesMachine = false;
  AutoOptions options;

  /// Has a compilation decide as the search does, or would do: by the times of
  /// the machine. Nothing changes if no machine is named and no search runs.
  void chooseMachine(CompileOptions &compile) const;
};

/// Reads the value of `mesh`, `effort`, `machine` or `memory` into the options.
/// Errors call it `name`. `what` must be one of these.
llvm::Error readAutoOption(llvm::StringRef what, llvm::StringRef value,
                           llvm::StringRef name, AutoOptions &options);

/// Applies an option by its name, with its value as text. False if the option
/// is none of these.
llvm::Expected<bool> applyAutoOption(llvm::StringRef name,
                                     llvm::StringRef value,
                                     AutoRequest &request);

/// Replaces the module by its annotated form. Emits a diagnostic on failure,
/// also if nothing fits in memory. `report`, if given, gets the text of
/// `writeAutoText`.
mlir::LogicalResult shardAsAsked(mlir::OwningOpRef<mlir::ModuleOp> &module,
                                 const AutoRequest &request,
                                 std::string *report = nullptr);

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_AUTO_NAMED_OPTIONS_H
