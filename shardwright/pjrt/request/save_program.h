//===- save_program.h - files of the programs of a client -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_REQUEST_SAVE_PROGRAM_H
#define SHARDWRIGHT_PJRT_REQUEST_SAVE_PROGRAM_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace shardwright::pjrt {

/// If the environment variable SHARDWRIGHT_SAVE_PROGRAMS names a folder: writes
/// the module there as text with locations, for our commands. Names are
/// `0001-name.mlir`, in the order in which this process compiles. Fails if the
/// file cannot be written, and says which.
llvm::Error saveProgram(mlir::ModuleOp module);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_REQUEST_SAVE_PROGRAM_H
