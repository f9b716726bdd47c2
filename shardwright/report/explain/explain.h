//===- explain.h - explain the sharding of a value --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Explains shardings. For each axis of each dimension: the path back to the
// annotation that it came from. For each axis that propagation could have added
// and did not: the reason, and an annotation that would add it. Annotations are
// tried before they are suggested.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_EXPLAIN_EXPLAIN_H
#define SHARDWRIGHT_REPORT_EXPLAIN_EXPLAIN_H

#include "shardwright/mesh/sharding.h"
#include "shardwright/propagate/reasons/reasons.h"
#include "shardwright/report/explain/user_values.h"

#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/JSON.h"

#include <memory>

namespace shardwright {

/// One step of the path of an axis, from the value back to the annotation.
struct ExplainStep {
  std::string value;
  int32_t dim = 0;
  /// The op that carried the axis here: `add`, `while`, `sharding group`.
  std::string op;
  /// Name and kind of the rule's factor; empty for a group.
  std::string factor, factorKind;
  int32_t opPriority = 0;
  int64_t userPriority = 0;
  /// Where the op is in the source.
  std::string where;
};

struct ExplainedAxis {
  std::string axis;
  /// From the value itself to the annotation.
  std::vector<ExplainStep> steps;
  /// The end of the path: `annotated [{"x"}, {}]`.
  std::string origin;
  std::string originValue, originWhere;
  int32_t originDim = 0;
};

/// A suggested annotation.
struct Suggestion {
  /// `argument`, `result` or `value`.
  std::string kind;
  std::string value;
  /// `[{"x"}, {}]`, and as a PartitionSpec of JAX (empty if it has none).
  std::string sharding, partitionSpec;
  /// The effect of the annotation: the axis is on this dimension of the value.
  std::string axis;
  int32_t dim = 0;
};

struct ExplainedStop {
  std::string axis;
  /// The value that the axis did not reach, and the one that has it.
  std::string target, source;
  int32_t dim = 0, sourceDim = 0;
  std::string op, where;
  std::string obstacle;
  /// A sentence: `dim 0 of %4 has "x"`.
  std::string why;
  std::optional<Suggestion> suggestion;
};

struct ExplainedDim {
  int64_t size = 0;
  std::vector<ExplainedAxis> axes;
  /// Axes that were not added, each with the first obstacle.
  std::vector<ExplainedStop> stops;
};

struct ExplainedValue {
  std::string name, sourceName, function, op, type, where;
  /// In the final program; empty: replicated.
  std::string sharding;
  /// 0, or the number of the copy of its function, from 1.
  int32_t copy = 0;
  std::vector<ExplainedDim> dims;
  /// The places where its own axes were not added.
  std::vector<ExplainedStop> ahead;
  /// Other reasons, such as an op without a rule next to the value.
  std::vector<std::string> notes;
};

/// A value whose paths and obstacles are numbers of rows, which many values
/// share: the reasons of all values of a program take linear time.
struct IndexedValue {
  /// Without paths and obstacles.
  ExplainedValue value;
  struct Axis {
    int32_t dim = 0;
    std::string axis;
    int32_t row = -1; ///< in ReasonPaths
  };
  std::vector<Axis> axes;
  /// Numbers of Reasons::stops(): obstacles at the value, and where its own
  /// axes were not added.
  std::vector<int32_t> stops, ahead;
  PlaceId place = kNoPlace;
  /// In the final program; rank 0 for a value that is no tensor.
  TensorSharding sharding;
};

class ReasonPaths;

class Explainer {
public:
  /// The values of `imported`, a module after stage Import, were numbered by
  /// `user` before. The module is not changed; both must outlive the explainer.
  static llvm::FailureOr<std::unique_ptr<Explainer>>
  create(mlir::ModuleOp imported, const UserValues &user, ShardyVersion shardy);
  ~Explainer();

  /// Explains a user's value by its number: one answer for each copy in the
  /// program; none if it was removed.
  std::vector<ExplainedValue> explainValue(int32_t id);
  ExplainedValue explainResult(unsigned result);
  /// The same as explainValue and explainResult, with rows of tables instead of
  /// texts. Rows are in `paths`.
  std::vector<IndexedValue> indexValue(int32_t id);
  IndexedValue indexResult(unsigned result);
  const ReasonPaths &paths() const;
  /// Obstacle `index` of Reasons::stops(). With `tries`, an annotation that
  /// helps is searched by propagating again.
  ExplainedStop explainStop(int32_t index, bool tries);
  /// The name of a place, as in paths and obstacles.
  std::string nameOf(PlaceId place) const;
  /// The user's value whose sharding the place holds; -1 if there is none.
  int32_t valueOf(PlaceId place) const;
  /// An annotation that the user wrote.
  struct Given {
    /// The number of a value, or a result of the program; the other is -1.
    int32_t value = -1, mainResult = -1;
    std::string sharding, kind, where;
  };
  /// In program order, those of results last.
  std::vector<Given> annotations() const;

  /// Without obstacles: a value by its number (its first copy), or a result.
  /// Empty if it was removed.
  ExplainedValue briefValue(int32_t id);
  ExplainedValue briefResult(unsigned result);
  /// The arguments and results of the program, without obstacles.
  std::vector<ExplainedValue> overview();
  /// The `limit` obstacles at the largest values, one per value and axis.
  std::vector<ExplainedStop> largestStops(size_t limit);

  unsigned numResults() const;
  const Reasons &reasons() const;

  class Impl;

private:
  std::unique_ptr<Impl> impl;
  explicit Explainer(std::unique_ptr<Impl> impl);
};

struct ExplainTextOptions {
  /// Print every step of long paths, and each row of tables.
  bool full = false;
};

void writeText(const ExplainedValue &value, llvm::raw_ostream &os,
               const ExplainTextOptions &options = {});
/// A table of values, grouped (group_rows.h) and folded unless `full`, and the
/// obstacles.
void writeOverview(llvm::ArrayRef<ExplainedValue> values,
                   llvm::ArrayRef<ExplainedStop> stops, llvm::raw_ostream &os,
                   const ExplainTextOptions &options = {});
llvm::json::Value toJson(const ExplainedValue &value);
llvm::json::Value toJson(const ExplainedStop &stop);

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_EXPLAIN_EXPLAIN_H
