//===- shape.cc - sizes of the dimensions of arrays -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/base/shape.h"

#include <algorithm>

namespace shardwright::frontend {

std::string commaText(const Ints &values) {
  std::string out;
  for (size_t i = 0; i < values.size(); ++i)
    out += (i ? "," : "") + std::to_string(values[i]);
  return out;
}

std::string tupleText(const Ints &values) {
  std::string out = "(";
  for (size_t i = 0; i < values.size(); ++i)
    out += (i ? ", " : "") + std::to_string(values[i]);
  return out + (values.size() == 1 ? ",)" : ")");
}

Ints iotaInts(int64_t n) {
  Ints out(std::max<int64_t>(n, 0));
  for (int64_t i = 0; i < n; ++i)
    out[i] = i;
  return out;
}

bool containsInt(const Ints &values, int64_t v) {
  return std::find(values.begin(), values.end(), v) != values.end();
}

Ints withoutInts(int64_t n, const Ints &values) {
  Ints out;
  for (int64_t i = 0; i < n; ++i)
    if (!containsInt(values, i))
      out.push_back(i);
  return out;
}

} // namespace shardwright::frontend
