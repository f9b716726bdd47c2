//===- text_table.cc - columns of text -----------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/text_table.h"

#include "shardwright/report/location_text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Unicode.h"

namespace shardwright {

size_t columnsOf(llvm::StringRef text) {
  int columns = llvm::sys::unicode::columnWidthUTF8(text);
  return columns < 0 ? text.size() : size_t(columns);
}

TextTable::TextTable(std::vector<std::string> header)
    : rows{std::move(header)}, isRight(rows.front().size()),
      fitted(rows.front().size()) {}

TextTable &TextTable::alignRight(size_t column) {
  isRight[column] = true;
  return *this;
}

TextTable &TextTable::fit(size_t column, size_t width) {
  fitted = column;
  limit = width;
  return *this;
}

/// Of each column, 0 if it is empty.
std::vector<size_t> TextTable::widths() const {
  const std::vector<std::string> &header = rows.front();
  std::vector<size_t> widths(header.size());
  std::vector<bool> used(header.size());
  for (const auto &row : llvm::drop_begin(rows))
    for (auto [i, cell] : llvm::enumerate(row)) {
      used[i] = used[i] || !cell.empty();
      if (!exceedsColumn(row, i))
        widths[i] = std::max(widths[i], columnsOf(cell));
    }
  for (size_t i = 0; i < widths.size(); ++i)
    widths[i] = used[i] ? std::max(widths[i], columnsOf(header[i])) : 0;
  return widths;
}

void TextTable::print(llvm::raw_ostream &os, llvm::StringRef indent) const {
  TextTable copy(*this);
  std::vector<size_t> widths = this->widths();
  size_t total = indent.size();
  for (size_t width : widths)
    total += width > 0 ? width + 2 : 0;
  if (fitted < widths.size() && total > limit + 2) {
    constexpr size_t kLeast = 24;
    size_t excess = total - limit - 2, now = widths[fitted];
    size_t width = std::max(kLeast, now > excess ? now - excess : 0);
    for (auto &row : llvm::drop_begin(copy.rows))
      if (fitted < row.size())
        row[fitted] = shortenedLocation(row[fitted], width);
    widths = copy.widths();
  }
  bool hasHeader = llvm::any_of(
      rows.front(), [](const std::string &title) { return !title.empty(); });
  for (const auto &row : llvm::drop_begin(copy.rows, hasHeader ? 0 : 1)) {
    std::string line;
    for (auto [i, cell] : llvm::enumerate(row)) {
      if (widths[i] == 0 && !exceedsColumn(row, i))
        continue;
      size_t columns = columnsOf(cell);
      size_t pad = columns < widths[i] ? widths[i] - columns : 0;
      if (isRight[i] && !exceedsColumn(row, i))
        line.append(pad, ' ');
      line += cell;
      if (!isRight[i])
        line.append(pad, ' ');
      line += "  ";
    }
    os << indent << llvm::StringRef(line).rtrim() << "\n";
  }
}

} // namespace shardwright
