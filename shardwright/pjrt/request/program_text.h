//===- program_text.h - what each device runs, as text ----------*- C++ -*-===//
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

/// The module with the names that the client gave its operations and
/// arguments, and the place of each, but not with the stacks of calls.
std::string programText(mlir::ModuleOp module);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_REQUEST_PROGRAM_TEXT_H
