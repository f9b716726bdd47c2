//===- custom_options.h - options of a run for FFI handlers ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_REQUEST_CUSTOM_OPTIONS_H
#define SHARDWRIGHT_PJRT_REQUEST_CUSTOM_OPTIONS_H

#include "shardwright/pjrt_abi/base.h"
#include "shardwright/pjrt_abi/ffi.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace shardwright::pjrt {

/// Copies custom options into the form that handlers read, sorted by name. A
/// text becomes a string, a list of integers an array, any other value a
/// scalar. Fails for a malformed option and for two of one name.
llvm::Expected<std::shared_ptr<const XLA_FFI_Attrs>>
makeCustomOptions(llvm::ArrayRef<PJRT_NamedValue> options);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_REQUEST_CUSTOM_OPTIONS_H
