//===- compile_overrides.h - our options by name ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_API_COMPILE_OVERRIDES_H
#define SHARDWRIGHT_PJRT_API_COMPILE_OVERRIDES_H

#include "shardwright/compile/compile.h"
#include "shardwright/pjrt/base/named_values.h"

namespace shardwright::pjrt {

/// Applies an option that the user sets by name. XLA's options are checked and
/// ignored; unknown ones are an error.
llvm::Error applyOverrides(const NamedText &option, CompileOptions &options);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_API_COMPILE_OVERRIDES_H
