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

/// Columns of a terminal that UTF-8 text takes; its bytes if it is not
/// printable.
size_t columnsOf(llvm::StringRef text);

/// Columns, two spaces apart. Omits columns that are empty in every row. The
/// last cell of a row that is shorter than the header may exceed its column.
class TextTable {
public:
  explicit TextTable(std::vector<std::string> header);
  /// Without a header line.
  explicit TextTable(size_t columns)
      : TextTable(std::vector<std::string>(columns)) {}

  TextTable &alignRight(size_t column);
  /// If the table is wider than `width`, the cells of this column, which are
  /// locations, lose their beginning (shortenedLocation).
  TextTable &fit(size_t column, size_t width);

  void add(std::vector<std::string> row) { rows.push_back(std::move(row)); }
  void print(llvm::raw_ostream &os, llvm::StringRef indent) const;

private:
  std::vector<size_t> widths() const;
  bool exceedsColumn(const std::vector<std::string> &row, size_t i) const {
    return row.size() < rows.front().size() && i + 1 == row.size();
  }

  std::vector<std::vector<std::string>> rows; ///< the first is the header
  std::vector<bool> isRight;
  size_t fitted; ///< the column, or the number of columns: none
  size_t limit = 0;
};

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_TEXT_TABLE_H
