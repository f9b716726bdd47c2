//===- tree.cc - trees of tensors -----------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/api/tree.h"

#include <cstdio>

namespace shardwright::frontend {

std::string detail::staticText(long double value) {
  char out[32];
  // Hexadecimal digits are exact.
  std::snprintf(out, sizeof out, "%La", value);
  return out;
}

std::string pythonTreeText(const std::string &def) {
  std::string out;
  // Of the open brackets, how many children they have so far.
  std::vector<int64_t> children;
  for (size_t i = 0; i < def.size(); ++i) {
    char c = def[i];
    if (c == '(' || c == '[' || c == '{') {
      children.push_back(0);
      out += c;
    } else if (c == ')' || c == ']' || c == '}') {
      if (c == ')' && !children.empty() && children.back() == 1)
        out += ',';
      if (!children.empty())
        children.pop_back();
      out += c;
    } else if (c == ',') {
      if (!children.empty())
        ++children.back();
      bool isLast = i + 1 == def.size() || def[i + 1] == ')' ||
                    def[i + 1] == ']' || def[i + 1] == '}';
      out += isLast ? "" : ", ";
    } else {
      out += c;
      if (c == ':')
        out += ' ';
    }
  }
  return out;
}

} // namespace shardwright::frontend
