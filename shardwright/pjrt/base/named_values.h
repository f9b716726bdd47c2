//===- named_values.h - lists of named values -------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_BASE_NAMED_VALUES_H
#define SHARDWRIGHT_PJRT_BASE_NAMED_VALUES_H

#include "shardwright/pjrt_abi/base.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace shardwright::pjrt {

/// Values for a client, at stable addresses.
class NamedValues {
public:
  void add(llvm::StringRef name, llvm::StringRef text);
  void add(llvm::StringRef name, int64_t number);
  void add(llvm::StringRef name, float number);
  void add(llvm::StringRef name, llvm::ArrayRef<int64_t> numbers);
  llvm::ArrayRef<PJRT_NamedValue> values() const { return list; }

private:
  PJRT_NamedValue &next(llvm::StringRef name, PJRT_NamedValue_Type type);
  std::deque<std::string> texts;
  std::deque<std::vector<int64_t>> arrays;
  std::vector<PJRT_NamedValue> list;
};

/// A value from a client: its name, and its value as text, whatever its type.
struct NamedText {
  std::string name, value;
};
/// Fails if the fields of a value do not match its type.
llvm::Expected<std::vector<NamedText>>
readNamedValues(const PJRT_NamedValue *values, size_t count);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_BASE_NAMED_VALUES_H
