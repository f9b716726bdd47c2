//===- run_data.h - data of one run for FFI handlers -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FFI_RUN_DATA_H
#define SHARDWRIGHT_FFI_RUN_DATA_H

#include "shardwright/ffi/ffi.h"

#include <memory>

namespace shardwright::ffi {

/// What ExecuteOptions::callData points to: data that the starter of a run
/// passes to the handlers that the run calls.
struct FfiRunData {
  std::shared_ptr<const FfiUserData> userData;  ///< null: none
  std::shared_ptr<const XLA_FFI_Attrs> options; ///< null: none
};

} // namespace shardwright::ffi

#endif // SHARDWRIGHT_FFI_RUN_DATA_H
