//===- newer_types.h - builtin types of a newer MLIR ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_INPUT_NEWER_TYPES_H
#define SHARDWRIGHT_INTEROP_INPUT_NEWER_TYPES_H

#include "mlir/IR/AsmState.h"

namespace shardwright {

/// Lets `config` read bytecode of MLIR 23 (as in jaxlib): floats of up to 8
/// bits, and tf32, have codes there that MLIR 22 does not know.
void addNewerTypes(mlir::ParserConfig &config);

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_INPUT_NEWER_TYPES_H
