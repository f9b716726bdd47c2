//===- value_names.h - names and types of SSA values ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_LOWER_VALUE_NAMES_H
#define SHARDWRIGHT_FRONTEND_LOWER_VALUE_NAMES_H

#include <charconv>
#include <string>
#include <vector>

namespace shardwright::frontend {

/// The values %0, %1, ... of a function, each with its type as text.
class ValueNames {
public:
  /// A new name.
  std::string add(std::string type) {
    types.push_back(std::move(type));
    return "%" + std::to_string(types.size() - 1);
  }
  /// Empty for a name that stands for an error.
  const std::string &typeOf(const std::string &name) const {
    static const auto &none = *new std::string;
    size_t number = types.size();
    if (!name.empty())
      std::from_chars(name.data() + 1, name.data() + name.size(), number);
    return number < types.size() ? types[number] : none;
  }
  std::vector<std::string>
  typesOf(const std::vector<std::string> &names) const {
    std::vector<std::string> out;
    out.reserve(names.size());
    for (const std::string &name : names)
      out.push_back(typeOf(name));
    return out;
  }

private:
  std::vector<std::string> types;
};

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_LOWER_VALUE_NAMES_H
