//===- xla_options.h - compiler options of XLA ------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs written for XLA pass `compiler_options` that do not apply to
// Shardwright. They are accepted. Values that XLA rejects are rejected in its
// wording, but names of enumerators are not checked.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_COMPILE_XLA_OPTIONS_H
#define SHARDWRIGHT_COMPILE_XLA_OPTIONS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace shardwright {

/// True if the option is one of XLA's; an error if its value is invalid.
llvm::Expected<bool> isXlaOption(llvm::StringRef name, llvm::StringRef value);

} // namespace shardwright

#endif // SHARDWRIGHT_COMPILE_XLA_OPTIONS_H
