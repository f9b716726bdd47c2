//===- diff.h - compares two partitionings ----------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares two report documents: other annotations, another mesh, another
// machine, another version. Arguments and results are matched by their names,
// other values by an alignment of the programs that survives insertions.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_DIFF_DIFF_H
#define SHARDWRIGHT_REPORT_DIFF_DIFF_H

#include "shardwright/report/document/document_view.h"

#include "llvm/Support/raw_ostream.h"

namespace shardwright {

/// The first decision that differs, and its cause.
struct FirstDifference {
  /// `annotation`, `mesh`, `options`, `program`, `propagation`, `computation`;
  /// `none` if nothing differs.
  std::string kind = "none";
  /// What differs: a value, an option, an op.
  std::string what;
  /// What it is in each program; `none` where it is missing.
  std::string a, b;
  /// A sentence: why.
  std::string cause, where;
};

/// One number of both programs.
struct NumberDifference {
  std::string name; ///< a key of the statistics, such as `predicted_peak.bytes`
  double a = 0, b = 0;
};

/// One thing that differs. `none`: it is missing in that program.
struct ThingDifference {
  std::string what, a, b, where;
};

struct CollectiveDifference {
  std::string change; ///< `came`, `went`, `changed`
  std::string kind, op;
  std::string axesA, axesB;
  double bytesA = 0, bytesB = 0, executionsA = 0, executionsB = 0;
  std::string why; ///< the need of program B, of A if it went
};

struct Difference {
  std::string titleA, titleB;
  FirstDifference first;
  std::vector<NumberDifference> numbers;    ///< all that both have
  std::vector<ThingDifference> annotations; ///< in program order
  std::vector<ThingDifference> options;     ///< mesh, machine, options
  std::vector<ThingDifference> program;     ///< ops of one program only
  std::vector<ThingDifference> shardings;   ///< of matched values
  std::vector<CollectiveDifference> collectives;

  /// True if nothing differs but the titles.
  bool isEqual() const { return first.kind == "none"; }
};

Difference compareDocuments(const DocumentView &a, const DocumentView &b);

/// Lists at most `most` things of each kind.
void writeText(const Difference &difference, llvm::raw_ostream &os,
               size_t most = 20);
llvm::json::Object toJson(const Difference &difference);

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_DIFF_DIFF_H
