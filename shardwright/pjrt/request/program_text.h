//===- program_text.h - the per-device program as text ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_REQUEST_PROGRAM_TEXT_H
#define SHARDWRIGHT_PJRT_REQUEST_PROGRAM_TEXT_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace shardwright::pjrt {

/// Prints the module with the client's names of operations and arguments and
/// their file locations, but without call stacks.
std::string programText(mlir::ModuleOp module);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_REQUEST_PROGRAM_TEXT_H
