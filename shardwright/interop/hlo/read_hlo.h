//===- read_hlo.h - HLO protos into StableHLO -------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_HLO_READ_HLO_H
#define SHARDWRIGHT_INTEROP_HLO_READ_HLO_H

#include "shardwright/interop/hlo/hlo_module.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace shardwright::hlo {

/// Reads a module as front ends send it: a module of func, stablehlo and chlo
/// ops that verifies. Its shardings are `mhlo.sharding`, its aliases
/// `tf.aliasing_output` and `jax.buffer_donor`. Values of tuple shape are
/// several values. Layouts do not change the meaning of the program: a client
/// of PJRT passes and gets arrays in the layouts of its buffers. Every failure
/// is one diagnostic at `file` that names computation and instruction.
mlir::OwningOpRef<mlir::ModuleOp> readHlo(llvm::StringRef bytes,
                                          Wrapping wrapping,
                                          mlir::Location file,
                                          DeviceCounts counts = {});

} // namespace shardwright::hlo

#endif // SHARDWRIGHT_INTEROP_HLO_READ_HLO_H
