//===- explain_query.h - questions about a program --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_JIT_EXPLAIN_QUERY_H
#define SHARDWRIGHT_FRONTEND_JIT_EXPLAIN_QUERY_H

#include <string>
#include <vector>

namespace shardwright::frontend {

/// A question about the shardings of a lowered program. If nothing is selected,
/// the answer is an overview of arguments, results, and the values at which
/// axes stop.
struct ExplainQuery {
  /// Names in the module's text: `%3`, `@function:%3`.
  std::vector<std::string> values;
  /// Arguments and results by name or by number.
  std::vector<std::string> arguments, results;
  /// The purpose of each collective, instead of values.
  bool collectives = false;
  /// Every step of a long path.
  bool full = false;
};

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_JIT_EXPLAIN_QUERY_H
