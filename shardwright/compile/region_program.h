//===- region_program.h - compiles to the region form -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_COMPILE_REGION_PROGRAM_H
#define SHARDWRIGHT_COMPILE_REGION_PROGRAM_H

#include "shardwright/compile/compile.h"

namespace shardwright {

/// The entry function's signature as the front end wrote it, which the region
/// form keeps.
class EntrySignature {
public:
  /// Reads a module before import.
  static EntrySignature of(mlir::ModuleOp module);

  /// Converts the program of stage Local to the region form
  /// (interop/region/region_passes.h). `compiled` has the shardings of its
  /// arguments and results. Attributes and tokens of the signature are as the
  /// front end wrote them, except for shardings; an argument that cannot alias
  /// its result after partitioning becomes a donor. Emits a diagnostic on
  /// failure.
  mlir::LogicalResult convertToRegion(mlir::ModuleOp local,
                                      const Compiled &compiled,
                                      const PartitionOptions &options) const;

private:
  struct Value {
    bool isToken = false;
    mlir::DictionaryAttr attributes; ///< without shardings; may be null
    mlir::Location location;
  };
  mlir::LogicalResult restore(mlir::func::FuncOp main,
                              const Compiled &compiled) const;

  llvm::SmallVector<Value> arguments, results;
};

} // namespace shardwright

#endif // SHARDWRIGHT_COMPILE_REGION_PROGRAM_H
