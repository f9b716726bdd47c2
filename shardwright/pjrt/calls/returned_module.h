//===- returned_module.h - a module from a custom partitioner ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_CALLS_RETURNED_MODULE_H
#define SHARDWRIGHT_PJRT_CALLS_RETURNED_MODULE_H

#include "shardwright/pjrt/calls/expand_calls.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace shardwright::pjrt {

/// The per-device module of a custom partitioner, to be moved into the program.
class ReturnedModule {
public:
  /// `kept` receives the source into which constants may point.
  ReturnedModule(mlir::Operation *call, KeptSources &kept)
      : call(call), kept(kept) {}

  /// Parses and imports the module, and inlines its calls. Fails if `main` does
  /// not have these types. Collectives number all `devices` of the program,
  /// even if some axes are manual around the call; groups of fewer devices are
  /// an error. Diagnostics are emitted at the call.
  mlir::LogicalResult read(llvm::StringRef bytes, mlir::TypeRange arguments,
                           mlir::TypeRange results, int64_t devices);
  /// Moves the body to a block whose arguments are those of `main`, with an sdy
  /// terminator. Renames functions and renumbers channels that would clash with
  /// those of the program.
  void moveInto(mlir::Block &block);

private:
  mlir::Operation *call;
  KeptSources &kept;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp main;
};

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_CALLS_RETURNED_MODULE_H
