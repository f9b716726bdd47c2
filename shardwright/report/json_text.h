//===- json_text.h - texts of a program in JSON -----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_JSON_TEXT_H
#define SHARDWRIGHT_REPORT_JSON_TEXT_H

#include "llvm/Support/JSON.h"

namespace shardwright {

/// A name, location or message for a JSON value. Those of a program may hold
/// any bytes; what is not UTF-8 becomes U+FFFD, since LLVM's JSON writer aborts
/// on it.
inline std::string jsonText(llvm::StringRef text) {
  return llvm::json::fixUTF8(text);
}

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_JSON_TEXT_H
