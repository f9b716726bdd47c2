//===- ffi_call.h - calls of foreign functions ------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_FFI_FFI_CALL_H
#define SHARDWRIGHT_PJRT_FFI_FFI_CALL_H

#include "shardwright/pjrt/ffi/ffi.h"
#include "shardwright/runtime/custom_call.h"

namespace shardwright::pjrt {

/// StableHLO's `api_version`; 4 for typed calls, which JAX writes as 1.
int64_t apiVersionOf(const cpu::LibraryCall &call);

/// The function for one call of a handler in a program; its stage `instantiate`
/// runs now, with an error if that fails or attributes are of a kind that
/// handlers cannot take.
llvm::Expected<CustomCallFunction>
makeTypedCall(const XLA_FFI_Handler_Bundle &bundle,
              const cpu::LibraryCall &call);

/// The same for a function of `api_version` 1, 2 or 3.
llvm::Expected<CustomCallFunction>
makeUntypedCall(void *function, const cpu::LibraryCall &call);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_FFI_FFI_CALL_H
