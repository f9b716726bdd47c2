//===- export_gspmd.h - sdy modules with mhlo.sharding ----------*- C++ -*-===//
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
  /// Write V1, devices listed; else V2 where an iota says them.
  bool deviceLists = false;
  /// Propagation has run: loops, conditionals and bodies of manual computations
  /// without a sharding are replicated. Else GSPMD may still decide.
  bool propagated = false;
};

/// Turns sdy into `mhlo.sharding` and GSPMD's custom calls, and erases the
/// meshes: every device holds what it held. Module attributes stay;
/// `mhlo.num_partitions` is added where nothing else would tell the number of
/// devices. Dimensions of constraints that are open become unspecified. Errors
/// are located at the op that GSPMD cannot say. Not kept, since GSPMD has no
/// word for them: priorities, explicitly replicated axes, sharding rules.
mlir::LogicalResult exportGspmd(mlir::ModuleOp module,
                                const ExportGspmdOptions &options = {});

/// Writes every `mhlo.sharding` of a GSPMD module anew: V2 where an iota says
/// the devices, or V1.
mlir::LogicalResult rewriteGspmdTexts(mlir::ModuleOp module, bool deviceLists);

/// `xla-sdy-stablehlo-export-pipeline` by upstream's name.
void registerExportGspmdPasses();

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_GSPMD_EXPORT_GSPMD_H
