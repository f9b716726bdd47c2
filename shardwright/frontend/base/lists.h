//===- lists.h - lists made of others ---------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_BASE_LISTS_H
#define SHARDWRIGHT_FRONTEND_BASE_LISTS_H

#include <string>
#include <vector>

namespace shardwright::frontend {

/// The entries of a list where `chosen`.
template <typename T>
std::vector<T> chosenEntries(const std::vector<T> &list,
                             const std::vector<bool> &chosen) {
  std::vector<T> out;
  for (size_t i = 0; i < list.size(); ++i)
    if (chosen[i])
      out.push_back(list[i]);
  return out;
}

/// The entries of a, then those of b.
template <typename List> List joinedLists(List a, const List &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// `'a', 'b'`: names as Python prints them in a list or set.
template <typename Names> std::string quotedNames(const Names &names) {
  std::string out;
  for (const std::string &name : names)
    out += (out.empty() ? "'" : ", '") + name + "'";
  return out;
}

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_BASE_LISTS_H
