//===- client_texts.h - error texts in XLA's wording ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs search for XLA's texts in some errors: exhausted memory, a custom
// call without a target. Our errors say the same and more; this rewords them so
// that they begin like XLA's.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_BASE_CLIENT_TEXTS_H
#define SHARDWRIGHT_PJRT_BASE_CLIENT_TEXTS_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace shardwright::pjrt {

/// Returns `CODE: text` for an error that XLA has too, with our text in
/// parentheses after it; returns any other text unchanged.
std::string inWordsOfXla(llvm::StringRef text);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_BASE_CLIENT_TEXTS_H
