//===- ffi_function.cc - typed functions that programs call ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/callbacks/ffi_function.h"

#include <algorithm>

namespace shardwright::frontend::ffi::detail {

static Status checkCount(const char *what, size_t expected, bool more,
                         size_t got) {
  if (more ? got >= expected : got == expected)
    return {};
  return valueError("Wrong number of ", what, ": expected ",
                    more ? "at least " : "", expected, " but got ", got);
}

Status checkCounts(const Expectation &expected, const Call &call) {
  for (const Status &status :
       {checkCount("arguments", expected.args, expected.moreArgs,
                   call.operands.size()),
        checkCount("results", expected.results, expected.moreResults,
                   call.results.size())})
    if (!status)
      return status;
  if (expected.allAttributes)
    return {};
  std::string names;
  for (const auto &[name, value] : call.attributes)
    names += (names.empty() ? "" : ", ") + name;
  if (call.attributes.size() != expected.attributes.size())
    return valueError("Wrong number of attributes: expected ",
                      expected.attributes.size(), " but got ",
                      call.attributes.size(),
                      names.empty() ? "" : " with name(s): ", names);
  return {};
}

Status checkBuffer(const char *what, size_t position, const Buffer &buffer,
                   DType type, int64_t rank) {
  if (buffer.type != type)
    return valueError(what, position, ": Wrong buffer dtype: expected ",
                      name(type), " but got ", name(buffer.type));
  auto actual = static_cast<int64_t>(buffer.shape.size());
  if (rank >= 0 && actual != rank)
    return valueError(what, position, ": Wrong buffer rank: expected ", rank,
                      " but got ", actual);
  return {};
}

/// The attribute, or an error that names those that there are.
static Expected<const Value *> find(const Call &call, const std::string &name) {
  auto found = call.attributes.find(name);
  if (found != call.attributes.end())
    return &found->second;
  std::string names;
  for (const auto &[other, value] : call.attributes)
    names += (names.empty() ? "" : ", ") + other;
  return valueError("there is no attribute '", name, "'; the call has ",
                    names.empty() ? "none" : names);
}

/// `expected`: what the attribute should be.
static Error wrong(const std::string &name, const std::string &expected,
                   const Value &value) {
  std::string kind = "a dictionary";
  if (std::optional<DType> type = value.numberType())
    kind = cat("a number of type ", frontend::name(*type));
  else if (value.text())
    kind = "a string";
  else if (const Tensor *list = value.array())
    kind = cat("an array of ", frontend::name(list->dtype()));
  return valueError("attribute '", name, "': expected ", expected, " but got ",
                    kind);
}

Status checkNumber(const Call &call, const std::string &name, DType type) {
  Expected<const Value *> value = find(call, name);
  if (!value)
    return value.error();
  if ((*value)->numberType() == type)
    return {};
  return wrong(name, cat("a number of type ", frontend::name(type)), **value);
}
Status checkList(const Call &call, const std::string &name, DType type) {
  Expected<const Value *> value = find(call, name);
  if (!value)
    return value.error();
  const Tensor *list = (*value)->array();
  if (list && list->dtype() == type)
    return {};
  return wrong(name, cat("an array of ", frontend::name(type)), **value);
}
Status checkText(const Call &call, const std::string &name) {
  Expected<const Value *> value = find(call, name);
  if (!value)
    return value.error();
  return (*value)->text() ? Status() : wrong(name, "a string", **value);
}
Status checkFields(const Call &call, const std::string &name) {
  Expected<const Value *> value = find(call, name);
  if (!value)
    return value.error();
  return (*value)->fields() ? Status() : wrong(name, "a dictionary", **value);
}

} // namespace shardwright::frontend::ffi::detail
