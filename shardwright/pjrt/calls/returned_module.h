//===- returned_module.h - what a client makes of a call --------*- C++ -*-===//
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

/// The per-device module of a custom partitioner, on its way into the program.
class ReturnedModule {
public:
  /// `kept` receives what constants may point into.
  ReturnedModule(mlir::Operation *call, KeptSources &kept)
      : call(call), kept(kept) {}

  /// Reads and imports it, with its calls inlined. A function `main` of other
  /// types than these is an error. Collectives number the `devices` of the
  /// whole program, also where some axes are manual around the call: groups of
  /// fewer are an error. Diagnostics are at the call.
  mlir::LogicalResult read(llvm::StringRef bytes, mlir::TypeRange arguments,
                           mlir::TypeRange results, int64_t devices);
  /// Appends it to a block whose arguments are those of `main`, with a
  /// terminator of sdy. Functions that it refers to and channels get numbers
  /// and names that the program does not have.
  void moveInto(mlir::Block &block);

private:
  mlir::Operation *call;
  KeptSources &kept;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp main;
};

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_CALLS_RETURNED_MODULE_H
