//===- duration_text.h - seconds for people ---------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_DURATION_TEXT_H
#define SHARDWRIGHT_REPORT_DURATION_TEXT_H

#include "llvm/Support/FormatVariadic.h"

#include <string>

namespace shardwright {

/// `1.25 s`, `12.30 ms`, `4.5 us`.
inline std::string durationText(double seconds) {
  if (seconds >= 1)
    return llvm::formatv("{0:f2} s", seconds);
  if (seconds >= 1e-3)
    return llvm::formatv("{0:f2} ms", seconds * 1e3);
  return llvm::formatv("{0:f1} us", seconds * 1e6);
}

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_DURATION_TEXT_H
