//===- text_table.cc - columns of text -----------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/text_table.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

namespace shardwright {

void TextTable::print(llvm::raw_ostream &os, llvm::StringRef indent) const {
  const std::vector<std::string> &header = rows.front();
  std::vector<size_t> widths(header.size());
  auto runsOn = [&](const std::vector<std::string> &row, size_t i) {
    return row.size() < header.size() && i + 1 == row.size();
  };
  std::vector<bool> used(header.size());
  for (const auto &row : llvm::drop_begin(rows))
    for (auto [i, cell] : llvm::enumerate(row)) {
      used[i] = used[i] || !cell.empty();
      if (!runsOn(row, i))
        widths[i] = std::max(widths[i], cell.size());
    }
  for (size_t i = 0; i < widths.size(); ++i)
    widths[i] = used[i] ? std::max(widths[i], header[i].size()) : 0;
  for (const auto &row : rows) {
    std::string line;
    for (auto [i, cell] : llvm::enumerate(row)) {
      if (!used[i])
        continue;
      line += cell;
      if (!runsOn(row, i))
        line.append(widths[i] + 2 - cell.size(), ' ');
    }
    os << indent << llvm::StringRef(line).rtrim() << "\n";
  }
}

} // namespace shardwright
