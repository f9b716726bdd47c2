//===- align.h - aligns two sequences ---------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_DIFF_ALIGN_H
#define SHARDWRIGHT_REPORT_DIFF_ALIGN_H

#include <cstdint>
#include <string>
#include <vector>

namespace shardwright {

/// For each element of `a` the index of its partner in `b`, or -1. Partners
/// have equal keys and ascend in both sequences. Uses the fewest insertions and
/// deletions (Myers' algorithm) if these are few; otherwise joins keys that
/// occur once in both sequences, and aligns between them in order.
std::vector<int64_t> align(const std::vector<std::string> &a,
                           const std::vector<std::string> &b);

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_DIFF_ALIGN_H
