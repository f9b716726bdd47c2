//===- error.h - errors from several parts ----------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_SUPPORT_ERROR_H
#define SHARDWRIGHT_SUPPORT_ERROR_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace shardwright {

/// Returns an error whose text is the concatenation of `parts`: any strings and
/// numbers that llvm::Twine accepts.
template <typename... Parts> llvm::Error fail(Parts &&...parts) {
  return llvm::createStringError((llvm::Twine() + ... + llvm::Twine(parts)));
}

} // namespace shardwright

#endif // SHARDWRIGHT_SUPPORT_ERROR_H
