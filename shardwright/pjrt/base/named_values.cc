//===- named_values.cc - lists of named values ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/base/named_values.h"

#include "llvm/ADT/StringExtras.h"

using namespace shardwright;
using namespace shardwright::pjrt;

PJRT_NamedValue &NamedValues::next(llvm::StringRef name,
                                   PJRT_NamedValue_Type type) {
  const std::string &kept = texts.emplace_back(name);
  PJRT_NamedValue value = {};
  value.struct_size = sizeof(PJRT_NamedValue);
  value.name = kept.data();
  value.name_size = kept.size();
  value.type = type;
  value.value_size = 1;
  return list.emplace_back(value);
}

void NamedValues::add(llvm::StringRef name, llvm::StringRef text) {
  PJRT_NamedValue &value = next(name, PJRT_NamedValue_kString);
  const std::string &kept = texts.emplace_back(text);
  value.string_value = kept.data();
  value.value_size = kept.size();
}

void NamedValues::add(llvm::StringRef name, int64_t number) {
  next(name, PJRT_NamedValue_kInt64).int64_value = number;
}

void NamedValues::add(llvm::StringRef name, float number) {
  next(name, PJRT_NamedValue_kFloat).float_value = number;
}

void NamedValues::add(llvm::StringRef name, llvm::ArrayRef<int64_t> numbers) {
  PJRT_NamedValue &value = next(name, PJRT_NamedValue_kInt64List);
  const auto &kept = arrays.emplace_back(numbers.begin(), numbers.end());
  value.int64_array_value = kept.data();
  value.value_size = kept.size();
}

llvm::Expected<std::vector<NamedText>>
pjrt::readNamedValues(const PJRT_NamedValue *values, size_t count) {
  std::vector<NamedText> result;
  if (count && !values)
    return llvm::createStringError("the list of options is a null pointer");
  for (size_t i = 0; i < count; ++i) {
    const PJRT_NamedValue &value = values[i];
    if (value.struct_size < sizeof(PJRT_NamedValue) ||
        (value.name_size && !value.name))
      return llvm::createStringError("option " + llvm::Twine(i) +
                                     " is malformed");
    NamedText text;
    text.name.assign(value.name, value.name_size);
    switch (value.type) {
    case PJRT_NamedValue_kString:
      if (value.value_size && !value.string_value)
        return llvm::createStringError("option '" + text.name +
                                       "' has no value");
      text.value.assign(value.string_value, value.value_size);
      break;
    case PJRT_NamedValue_kInt64:
      text.value = std::to_string(value.int64_value);
      break;
    case PJRT_NamedValue_kInt64List:
      if (value.value_size && !value.int64_array_value)
        return llvm::createStringError("option '" + text.name +
                                       "' has no value");
      text.value = llvm::join(
          llvm::map_range(
              llvm::ArrayRef(value.int64_array_value, value.value_size),
              [](int64_t n) { return std::to_string(n); }),
          ",");
      break;
    case PJRT_NamedValue_kFloat:
      text.value = std::to_string(value.float_value);
      break;
    case PJRT_NamedValue_kBool:
      text.value = value.bool_value ? "true" : "false";
      break;
    default:
      return llvm::createStringError("option '" + text.name +
                                     "' has a value of unknown type " +
                                     llvm::Twine(int(value.type)));
    }
    result.push_back(std::move(text));
  }
  return result;
}
