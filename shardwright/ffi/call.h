//===- call.h - calls of FFI handlers -----------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FFI_CALL_H
#define SHARDWRIGHT_FFI_CALL_H

#include "shardwright/ffi/ffi.h"
#include "shardwright/runtime/custom_call.h"

namespace shardwright::ffi {

/// StableHLO's `api_version`, but 4 for typed calls, for which JAX writes 1.
int64_t apiVersionOf(const cpu::LibraryCall &call);

/// Creates the function for one call of a registered target; fails with XLA's
/// text if there is none of its name and `api_version`.
llvm::Expected<CustomCallFunction> makeTargetCall(const cpu::LibraryCall &call);

/// Creates the function for one call of a handler, and runs the stage
/// `instantiate`. Fails if that fails, or if FFI does not support an attribute.
llvm::Expected<CustomCallFunction>
makeTypedCall(const XLA_FFI_Handler_Bundle &bundle,
              const cpu::LibraryCall &call);

/// Creates the function for one call of `api_version` 1, 2 or 3.
llvm::Expected<CustomCallFunction>
makeUntypedCall(void *function, const cpu::LibraryCall &call);

} // namespace shardwright::ffi

#endif // SHARDWRIGHT_FFI_CALL_H
