//===- tree.cc - trees of tensors -----------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/api/tree.h"

namespace shardwright::frontend {

std::vector<size_t> childSizes(const std::vector<std::string> &paths) {
  std::vector<size_t> out;
  std::string last;
  for (const std::string &path : paths) {
    if (path.empty())
      return {};
    // The first step of the path, up to the next one.
    size_t end = path.find_first_of("[.", 1);
    std::string first = path.substr(0, end);
    if (first != last)
      out.push_back(0);
    last = first;
    ++out.back();
  }
  return out;
}

} // namespace shardwright::frontend
