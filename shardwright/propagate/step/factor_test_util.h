//===- factor_test_util.h - shardings and rules from short text -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For unit tests only. Mesh a=2, b=2, c=4, d=8, e=3. A sharding is written
// "a d:(1)2 ?, , ?; c" : dimensions by commas, '?' for open, replicated axes
// after ';'. A rule is written "ij,k -> i,j,k" with '|' between operands.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_STEP_FACTOR_TEST_UTIL_H
#define SHARDWRIGHT_PROPAGATE_STEP_FACTOR_TEST_UTIL_H

#include "shardwright/mesh/sharding.h"
#include "shardwright/rules/sharding_rule.h"

#include "llvm/ADT/StringExtras.h"

namespace shardwright::test {

inline const Mesh &mesh() {
  static const Mesh m({{"a", 2}, {"b", 2}, {"c", 4}, {"d", 8}, {"e", 3}});
  return m;
}

inline AxisList axes(llvm::StringRef text) {
  AxisList result;
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(text, words, " ");
  for (llvm::StringRef w : words) {
    auto [name, sub] = w.split(':');
    AxisRef x = mesh().fullAxis(*mesh().find(name));
    if (sub.consume_front("(")) {
      sub.consumeInteger(10, x.preSize);
      sub.consume_front(")");
      sub.consumeInteger(10, x.size);
    }
    result.push_back(x);
  }
  return result;
}

inline TensorSharding sharding(llvm::StringRef text) {
  TensorSharding result;
  auto [dims, replicated] = text.split(';');
  llvm::SmallVector<llvm::StringRef> parts;
  dims.split(parts, ',');
  for (llvm::StringRef part : parts) {
    DimSharding &d = result.dims.emplace_back();
    part = part.trim();
    d.isClosed = !part.consume_back("?");
    d.axes = axes(part);
  }
  result.replicated = axes(replicated);
  return result;
}

inline TensorMapping mapping(llvm::StringRef text) {
  TensorMapping result;
  llvm::SmallVector<llvm::StringRef> dims;
  text.trim().split(dims, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef dim : dims) {
    DimMapping &m = result.emplace_back();
    for (char c : dim.trim())
      m.push_back(c - 'i');
  }
  return result;
}

inline ShardingRule rule(llvm::StringRef text,
                         std::initializer_list<int64_t> sizes) {
  ShardingRule result;
  for (int64_t s : sizes)
    result.factors.push_back({s});
  auto [operands, results] = text.split("->");
  llvm::SmallVector<llvm::StringRef> parts;
  operands.split(parts, '|');
  for (llvm::StringRef p : parts)
    result.operands.push_back(mapping(p));
  parts.clear();
  results.split(parts, '|');
  for (llvm::StringRef p : parts)
    result.results.push_back(mapping(p));
  return result;
}

} // namespace shardwright::test

#endif // SHARDWRIGHT_PROPAGATE_STEP_FACTOR_TEST_UTIL_H
