//===- json_text.h - valid UTF-8 for JSON -----------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_JSON_TEXT_H
#define SHARDWRIGHT_REPORT_JSON_TEXT_H

#include "llvm/Support/JSON.h"

namespace shardwright {

/// Converts a name, location or message for JSON. Programs may contain any
/// bytes; invalid UTF-8 becomes U+FFFD, because LLVM's JSON writer aborts on
/// it.
inline std::string jsonText(llvm::StringRef text) {
  return llvm::json::fixUTF8(text);
}

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_JSON_TEXT_H
