//===- annotation_search.h - annotations that help, by trying ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Searches for an annotation that keeps a value sharded, or reduces the bytes
// that a program sends. Candidates are annotations of the value, of the op that
// needs it and of that op's other values. Each is written into a copy of the
// module, which is partitioned again.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_EXPLAIN_ANNOTATION_SEARCH_H
#define SHARDWRIGHT_REPORT_EXPLAIN_ANNOTATION_SEARCH_H

#include "shardwright/report/explain/annotation.h"
#include "shardwright/report/explain/explain_run.h"
#include "shardwright/report/explain/whole_values.h"

#include <functional>

namespace shardwright {

/// What partitioning gave.
struct PartitionTrial {
  double bytesSent = 0;
  /// Of at least the bytes that were asked for.
  std::vector<WholeValue> whole;
};

/// Partitions a module after stage Import, which it may change; `wholeBytes`:
/// values of at least so many are listed. Nothing where that fails.
using TrialPartitioner = std::function<std::optional<PartitionTrial>(
    mlir::ModuleOp, int64_t wholeBytes)>;

struct TriedAnnotation {
  std::string what;     ///< `argument w`
  std::string sharding; ///< `[{"x"}, {}]`
  std::string partitionSpec;
  double bytesSent = 0; ///< of the program with it

  /// `annotate argument w as [{"x"}, {}], P("x", None)`.
  std::string text() const;
};

struct AnnotationAdvice {
  /// The one with which the program sends least; none helps.
  std::optional<TriedAnnotation> best;
  size_t numTried = 0;
};

class AnnotationSearch {
public:
  /// `imported` has values numbered by `user`; it is not changed. Both must
  /// outlive the search. `bytesSent`: of the program as it is.
  static mlir::FailureOr<std::unique_ptr<AnnotationSearch>>
  create(mlir::ModuleOp imported, const UserValues &user,
         const PlannedMoves &moves, TrialPartitioner partition,
         double bytesSent);

  /// The value is nowhere whole with it.
  AnnotationAdvice keepSharded(const WholeValue &value);
  /// The program sends less with it than without.
  AnnotationAdvice sendLess(const RecordedReason &reason);

  double bytesNow() const { return bytesSent; }

private:
  AnnotationSearch(mlir::ModuleOp imported, const UserValues &user,
                   const PlannedMoves &moves, TrialPartitioner partition,
                   double bytesSent)
      : imported(imported), user(user), moves(moves),
        partition(std::move(partition)), bytesSent(bytesSent) {}

  std::vector<Annotation> candidates(const NamedValue &value,
                                     const RecordedReason *reason) const;
  mlir::RankedTensorType typeOf(const NamedValue &value) const;
  const TensorSharding *propagated(const NamedValue &value) const;
  AnnotationAdvice
  tryAll(llvm::ArrayRef<Annotation> annotations, int64_t wholeBytes,
         llvm::function_ref<bool(const PartitionTrial &)> helps);

  mutable mlir::ModuleOp imported;
  const UserValues &user;
  const PlannedMoves &moves;
  TrialPartitioner partition;
  double bytesSent;
  std::unique_ptr<ExplainRun> run;
  size_t mostTrials = 0;
};

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_EXPLAIN_ANNOTATION_SEARCH_H
