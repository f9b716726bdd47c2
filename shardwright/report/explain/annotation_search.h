//===- annotation_search.h - try annotations that help ----------*- C++ -*-===//
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

#include <algorithm>
#include <functional>

namespace shardwright {

/// The result of partitioning.
struct PartitionTrial {
  double bytesSent = 0;
  /// Predicted, of a step and of one device; 0 if they were not requested.
  double stepSeconds = 0;
  int64_t peakBytes = 0;
  /// Replicated values of at least the requested size.
  std::vector<WholeValue> whole;
};

/// Partitions a module after stage Import, which it may change, and lists
/// replicated values of at least `wholeBytes`. Nothing if it fails.
using TrialPartitioner = std::function<std::optional<PartitionTrial>(
    mlir::ModuleOp, int64_t wholeBytes)>;

struct TriedAnnotation {
  std::string what;     ///< `argument w`
  std::string sharding; ///< `[{"x"}, {}]`
  std::string partitionSpec;
  /// The value that is annotated.
  Annotation annotation;
  /// Of the program with it, as in PartitionTrial.
  double bytesSent = 0, stepSeconds = 0;
  int64_t peakBytes = 0;

  /// `annotate argument w as [{"x"}, {}], P("x", None)`.
  std::string text() const;
};

struct AnnotationAdvice {
  /// The annotation with which the program sends least; none if none helps.
  std::optional<TriedAnnotation> best;
  size_t numTried = 0;
};

class AnnotationSearch {
public:
  /// The values of `imported` are numbered by `user`; the module is not
  /// changed. Both must outlive the search. `bytesSent`: bytes that the current
  /// program sends.
  static mlir::FailureOr<std::unique_ptr<AnnotationSearch>>
  create(mlir::ModuleOp imported, const UserValues &user,
         const PlannedMoves &moves, TrialPartitioner partition,
         double bytesSent, ShardyVersion shardy);

  /// Finds an annotation with which the value is never replicated.
  AnnotationAdvice keepSharded(const WholeValue &value);
  /// Finds an annotation with which the program sends less.
  AnnotationAdvice sendLess(const RecordedReason &reason);

  double bytesNow() const { return bytesSent; }
  /// Tries at most this many annotations in each of the next answers.
  void limitTrials(size_t most) { mostTrials = std::min(mostTrials, most); }

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
