//===- export_gspmd.h - convert sdy to mhlo.sharding ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_GSPMD_EXPORT_GSPMD_H
#define SHARDWRIGHT_INTEROP_GSPMD_EXPORT_GSPMD_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace shardwright {

struct ExportGspmdOptions {
  /// Write V1, with device lists; otherwise V2 if an iota equals the list.
  bool deviceLists = false;
  /// Propagation has run: loops, conditionals and bodies of manual computations
  /// without a sharding are replicated. Otherwise GSPMD may still decide.
  bool propagated = false;
};

/// Converts sdy to `mhlo.sharding` and GSPMD's custom calls, and erases the
/// meshes. Every device holds the same data as before. Module attributes stay;
/// `mhlo.num_partitions` is added if no attribute has the number of devices.
/// Open dimensions of constraints become unspecified. Errors are located at the
/// op that GSPMD cannot express. Priorities, explicitly replicated axes and
/// sharding rules are dropped: GSPMD has no counterpart for them.
mlir::LogicalResult exportGspmd(mlir::ModuleOp module,
                                const ExportGspmdOptions &options = {});

/// Rewrites every `mhlo.sharding` of a GSPMD module as V1 if `deviceLists`,
/// otherwise as V2 if an iota equals the list.
mlir::LogicalResult rewriteGspmdTexts(mlir::ModuleOp module, bool deviceLists);

/// Registers the pass, and `xla-sdy-stablehlo-export-pipeline`, XLA's name for
/// it.
void registerExportGspmdPasses();

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_GSPMD_EXPORT_GSPMD_H
