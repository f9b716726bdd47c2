//===- predict.h - what a step sends, takes and holds -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_COMPILE_PREDICT_H
#define SHARDWRIGHT_COMPILE_PREDICT_H

#include "shardwright/compile/compile.h"

namespace shardwright {

/// Predicts what a step of the program of one device, after stage Local, sends,
/// takes and holds, and writes it into the report, which has the mesh, the
/// devices, the arguments and the results.
void predict(mlir::ModuleOp module, const CompileOptions &options,
             const MachineModel &machine, ProgramReport &report);

} // namespace shardwright

#endif // SHARDWRIGHT_COMPILE_PREDICT_H
