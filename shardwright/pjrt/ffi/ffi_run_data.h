//===- ffi_run_data.h - data of one run for FFI handlers -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_FFI_FFI_RUN_DATA_H
#define SHARDWRIGHT_PJRT_FFI_FFI_RUN_DATA_H

#include "shardwright/pjrt/ffi/ffi.h"
#include "shardwright/pjrt_abi/base.h"

#include "llvm/ADT/ArrayRef.h"

#include <memory>

namespace shardwright::pjrt {

/// What ExecuteOptions::callData points to: data that the starter of a run
/// passes to the handlers that the run calls.
struct FfiRunData {
  std::shared_ptr<const FfiUserData> userData;  ///< null: none
  std::shared_ptr<const XLA_FFI_Attrs> options; ///< null: none
};

/// Copies custom options into the form that handlers read, sorted by name. A
/// text becomes a string, a list of integers an array, any other value a
/// scalar. Fails for a malformed option and for two of one name.
llvm::Expected<std::shared_ptr<const XLA_FFI_Attrs>>
makeCustomOptions(llvm::ArrayRef<PJRT_NamedValue> options);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_FFI_FFI_RUN_DATA_H
