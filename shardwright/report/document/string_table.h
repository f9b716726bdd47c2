//===- string_table.h - the strings of a report document --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_DOCUMENT_STRING_TABLE_H
#define SHARDWRIGHT_REPORT_DOCUMENT_STRING_TABLE_H

#include "shardwright/report/json_text.h"

#include "llvm/ADT/StringMap.h"

namespace shardwright {

/// Numbers strings in the order of their first use. Number 0 is the empty
/// string.
class StringTable {
public:
  StringTable() { add(""); }

  int64_t add(llvm::StringRef text) {
    auto [it, isNew] = numbers.try_emplace(text, int64_t(list.size()));
    if (isNew)
      list.push_back(jsonText(text));
    return it->second;
  }
  llvm::json::Array take() { return std::move(list); }

private:
  llvm::StringMap<int64_t> numbers;
  llvm::json::Array list;
};

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_DOCUMENT_STRING_TABLE_H
