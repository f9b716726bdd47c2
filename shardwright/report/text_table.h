//===- text_table.h - columns of text ---------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_TEXT_TABLE_H
#define SHARDWRIGHT_REPORT_TEXT_TABLE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace shardwright {

/// Left-aligned columns, two spaces apart. Omits columns that are empty in
/// every row. The last cell of a row that is shorter than the header may exceed
/// its column.
class TextTable {
public:
  explicit TextTable(std::vector<std::string> header)
      : rows{std::move(header)} {}
  void add(std::vector<std::string> row) { rows.push_back(std::move(row)); }
  void print(llvm::raw_ostream &os, llvm::StringRef indent) const;

private:
  std::vector<std::vector<std::string>> rows;
};

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_TEXT_TABLE_H
