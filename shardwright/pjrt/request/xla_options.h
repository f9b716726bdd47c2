//===- xla_options.h - options that are XLA's -------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs written for XLA pass `compiler_options` that mean nothing to us.
// They are accepted; values that XLA would refuse are refused in its words, as
// far as we know the option's type.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_REQUEST_XLA_OPTIONS_H
#define SHARDWRIGHT_PJRT_REQUEST_XLA_OPTIONS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace shardwright::pjrt {

/// Whether the option is one of XLA's; an error when its value cannot be.
llvm::Expected<bool> isXlaOption(llvm::StringRef name, llvm::StringRef value);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_REQUEST_XLA_OPTIONS_H
