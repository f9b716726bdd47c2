//===- document_view.h - reads a report document ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_DOCUMENT_DOCUMENT_VIEW_H
#define SHARDWRIGHT_REPORT_DOCUMENT_DOCUMENT_VIEW_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace shardwright {

/// The tables of a report document that comparisons and graphs need, with
/// strings in place of their numbers. A document is input: all numbers are
/// checked.
class DocumentView {
public:
  /// Fails if `document` is no report document of a version that is known.
  /// `name` is named in errors. The document must outlive the view.
  static llvm::Expected<DocumentView> create(const llvm::json::Value &document,
                                             llvm::StringRef name);

  struct Value {
    llvm::StringRef name, source, type, sharding;
    llvm::StringRef local;
    int64_t op = -1, argument = -1, copy = 0, flags = 0, localBytes = 0;
    /// Numbers of the results of the program that it is.
    std::vector<int64_t> resultOf;
    bool isResult() const { return flags & 32; }
    bool isRemoved() const { return flags & 4; }
  };
  struct Op {
    llvm::StringRef op, name, function;
    std::string where;                      ///< `file.py:12`, or empty
    std::vector<int64_t> operands, results; ///< values; -1 if not known
    int64_t parent = -1;
  };
  struct Arrival {
    int64_t value = -1, dim = 0, from = -1, fromDim = -1;
    llvm::StringRef axis, valueName, op, where;
    bool isStep() const { return !op.empty(); }
  };
  struct Annotation {
    int64_t value = -1;
    llvm::StringRef sharding, kind, where;
  };
  struct Stop {
    int64_t value = -1, dim = 0;
    llvm::StringRef axis, why, through, where;
  };
  struct Collective {
    llvm::StringRef kind, axes, name, why, way;
    int64_t op = -1;
    double bytes = 0, executions = 0, seconds = 0;
  };

  std::vector<Value> values;
  std::vector<Op> ops;
  std::vector<Arrival> arrivals;
  std::vector<Annotation> annotations;
  std::vector<Stop> stops;
  std::vector<Collective> collectives;
  const llvm::json::Object *statistics = nullptr, *mesh = nullptr,
                           *options = nullptr, *machine = nullptr;
  llvm::StringRef title, entry;

  /// The source's name of a value, otherwise the module's, with its op:
  /// `%12 = dot_general (f.py:3)`.
  std::string describe(int64_t value) const;
  std::string describeOp(int64_t op) const;

private:
  friend class DocumentReader;
};

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_DOCUMENT_DOCUMENT_VIEW_H
