//===- matching.h - matches the values of two programs ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_DIFF_MATCHING_H
#define SHARDWRIGHT_REPORT_DIFF_MATCHING_H

#include "shardwright/report/document/document_view.h"

namespace shardwright {

/// Which rows of two documents are the same thing; -1 for a row without
/// partner.
struct Matching {
  std::vector<int64_t> valueOfA, valueOfB; ///< by value of A; by value of B
  std::vector<int64_t> opOfA, opOfB;
};

/// Matches arguments and results of the program by name (by number where names
/// are missing or occur twice), all other values and ops in program order by
/// function, op, scope name and types.
Matching matchDocuments(const DocumentView &a, const DocumentView &b);

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_DIFF_MATCHING_H
