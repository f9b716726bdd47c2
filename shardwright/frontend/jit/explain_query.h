//===- explain_query.h - questions about a program --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_JIT_EXPLAIN_QUERY_H
#define SHARDWRIGHT_FRONTEND_JIT_EXPLAIN_QUERY_H

#include <cstddef>
#include <optional>
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
  /// As in ReportQuery.
  std::optional<std::string> libraryPaths;
};

/// How a report of a lowered or compiled program is written.
struct ReportQuery {
  enum class Form : unsigned char {
    Text,
    Html, ///< a page for a browser, which needs no other file
    Json, ///< all data of the page
  };
  Form form = Form::Text;
  /// Of a text: each row of each table, not one for rows of one kind.
  bool full = false;
  /// Of a page: how many annotations are tried for suggestions, each by
  /// partitioning again; by default a number that depends on the program's
  /// size.
  std::optional<size_t> trials;
  /// Source files of libraries, which reports pass over for the line that calls
  /// them, as SHARDWRIGHT_LIBRARY_PATHS, which is the default: absolute
  /// folders, or parts of a path such as `mylib/layers`, separated by colons.
  std::optional<std::string> libraryPaths;
};

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_JIT_EXPLAIN_QUERY_H
