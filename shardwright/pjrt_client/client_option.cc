//===- client_option.cc - named options of a plugin's client --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_client/client_option.h"

#include "shardwright/pjrt_client/arguments.h"
#include "shardwright/support/error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace shardwright;
using namespace shardwright::pjrt_client;

/// Reads `[0,1]`.
static std::optional<std::vector<int64_t>> readList(llvm::StringRef text) {
  if (!text.consume_front("[") || !text.consume_back("]"))
    return std::nullopt;
  std::vector<int64_t> list;
  if (text.trim().empty())
    return list;
  for (llvm::StringRef part : llvm::split(text, ','))
    if (part.trim().getAsInteger(10, list.emplace_back()))
      return std::nullopt;
  return list;
}

llvm::Expected<ClientOption> ClientOption::parse(llvm::StringRef text) {
  auto [name, value] = text.split('=');
  if (name.empty() || !text.contains('='))
    return fail("expected name=value, found '", text, "'");
  ClientOption option;
  option.name = name.str();
  int64_t integer;
  double number;
  if (value == "true" || value == "false")
    option.value = value == "true";
  else if (!value.getAsInteger(10, integer))
    option.value = integer;
  else if (auto list = readList(value))
    option.value = std::move(*list);
  else if (!value.empty() &&
           (llvm::isDigit(value.back()) || value.ends_with(".")) &&
           !value.getAsDouble(number))
    option.value = float(number);
  else if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
    option.value = value.drop_front().drop_back().str();
  else
    option.value = value.str();
  return option;
}

std::vector<PJRT_NamedValue>
pjrt_client::namedValues(llvm::ArrayRef<ClientOption> options) {
  std::vector<PJRT_NamedValue> values;
  for (const ClientOption &option : options) {
    auto value = makeStruct<PJRT_NamedValue>();
    value.name = option.name.data();
    value.name_size = option.name.size();
    value.value_size = 1;
    if (auto *text = std::get_if<std::string>(&option.value)) {
      value.type = PJRT_NamedValue_kString;
      value.string_value = text->data();
      value.value_size = text->size();
    } else if (auto *integer = std::get_if<int64_t>(&option.value)) {
      value.type = PJRT_NamedValue_kInt64;
      value.int64_value = *integer;
    } else if (auto *list = std::get_if<std::vector<int64_t>>(&option.value)) {
      value.type = PJRT_NamedValue_kInt64List;
      value.int64_array_value = list->data();
      value.value_size = list->size();
    } else if (auto *number = std::get_if<float>(&option.value)) {
      value.type = PJRT_NamedValue_kFloat;
      value.float_value = *number;
    } else {
      value.type = PJRT_NamedValue_kBool;
      value.bool_value = std::get<bool>(option.value);
    }
    values.push_back(value);
  }
  return values;
}
