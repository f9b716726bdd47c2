//===- version.cc - text of versions ------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/vhlo/version.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace shardwright::vhlo {

std::optional<Version> Version::parse(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 4> parts;
  text.split(parts, '.');
  if (parts.size() != 3)
    return std::nullopt;
  int64_t numbers[3];
  for (int i = 0; i < 3; ++i)
    if (parts[i].empty() || !llvm::all_of(parts[i], llvm::isDigit) ||
        parts[i].getAsInteger(10, numbers[i]))
      return std::nullopt;
  return Version{numbers[0], numbers[1], numbers[2]};
}

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const Version &version) {
  return os << version.major << '.' << version.minor << '.' << version.patch;
}

} // namespace shardwright::vhlo
