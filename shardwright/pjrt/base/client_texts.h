//===- client_texts.h - errors in the words that clients know ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs look for XLA's texts in some errors: that memory was exhausted, that
// a custom call has no target. Ours say the same and more; here they begin as
// XLA's do.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_BASE_CLIENT_TEXTS_H
#define SHARDWRIGHT_PJRT_BASE_CLIENT_TEXTS_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace shardwright::pjrt {

/// `CODE: text` of an error that XLA has too, ours in parentheses behind it;
/// any other text as it is.
std::string inWordsOfXla(llvm::StringRef text);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_BASE_CLIENT_TEXTS_H
