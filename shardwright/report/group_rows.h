//===- group_rows.h - one row for rows of one kind --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs repeat layers, so tables repeat rows whose names differ in a number:
// `b0/o`, `b1/o`. These functions find such rows and name them together.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_GROUP_ROWS_H
#define SHARDWRIGHT_REPORT_GROUP_ROWS_H

#include "shardwright/report/collective_cost.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace shardwright {

struct ValueReport;

/// Rows of one kind.
struct RowGroup {
  std::string name;
  std::vector<size_t> members; ///< ascending
};

/// Groups names that only differ in numbers and whose `kinds` are equal, in the
/// order of their first members. The name of a group has the range of each
/// number, with the letters before it: `params['b0..b11']['w']`; up to three
/// numbers that are no range are listed: `b0,b2,b5`.
std::vector<RowGroup> groupByNumbers(llvm::ArrayRef<std::string> names,
                                     llvm::ArrayRef<std::string> kinds);

/// Groups arguments or results of equal type and sharding: those whose names
/// differ in numbers, and while there are more than `limit` groups, those below
/// a common prefix, named `params['b0..b11'][...]`.
std::vector<RowGroup> groupValues(llvm::ArrayRef<ValueReport> values,
                                  size_t limit);

/// Collectives of one kind, axes and scope; the scopes differ in numbers.
struct CollectiveGroup {
  std::string where;
  std::vector<const CollectiveUse *> uses;
  double executions = 0, bytes = 0;

  /// `x12` for 12 collectives, `for 7` for one that was combined from seven;
  /// else empty.
  std::string countText() const;
};

/// In descending order of bytes.
std::vector<CollectiveGroup>
groupCollectives(llvm::ArrayRef<CollectiveUse> uses);

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_GROUP_ROWS_H
