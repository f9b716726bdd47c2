//===- error.cc - errors as values ----------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/base/error.h"

namespace shardwright::frontend {

std::string_view str(ErrorKind kind) {
  static constexpr std::string_view names[] = {
      "ValueError",
      "TypeError",
      "RuntimeError",
      "NameError",
      "AssertionError",
      "NotImplementedError",
      "KeyError",
      "ShardingTypeError",
      "DuplicateSpecError",
      "IndivisibleError",
      "ConcretizationTypeError",
      "TracerBoolConversionError",
      "TracerIntegerConversionError",
      "TracerArrayConversionError",
      "UnexpectedTracerError",
      "FloatingPointError",
      "IndexError",
      "NonConcreteBooleanIndexError",
      "AttributeError",
      "TypePromotionError",
      "Exception",
  };
  return names[static_cast<int>(kind)];
}

std::string Error::str() const { return cat(frontend::str(kind), ": ", text); }

} // namespace shardwright::frontend
