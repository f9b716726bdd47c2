//===- auto_shard.h - find shardings automatically --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Given a module, a mesh, a machine and the memory of a device, finds the
// annotations with which our partitioner predicts the shortest step:
//
//   problem     what can be decided; equal layers are decided once
//   recipes     layouts that people use
//   search      better ones, by trials on copies of the module
//   trial       each by the real pipeline
//
// What is found is never slower than the best recipe that fits, or than the
// user's own annotations. Budgets are counts: equal inputs give equal answers.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_AUTO_SHARD_H
#define SHARDWRIGHT_AUTO_AUTO_SHARD_H

#include "shardwright/auto/problem.h"
#include "shardwright/compile/compile.h"
#include "shardwright/mesh/hlo/partition_spec.h"

#include "mlir/IR/OwningOpRef.h"

namespace shardwright {

/// Which of the user's annotations are forgotten first.
enum class DropAnnotations { None, Constraints, All };

struct AutoOptions {
  /// The mesh, if the module has none; otherwise new sizes of its axes. Empty:
  /// the module's mesh.
  llvm::SmallVector<MeshAxis, 4> mesh;
  MachineModel machine;
  /// Bytes of memory of a device; none: the machine's.
  std::optional<double> memory;
  Overlap overlap = Overlap::Off;
  /// 0: recipes only; 1: a search; 2: a search of ten times the trials.
  int effort = 1;
  /// Choose only what PartitionSpecs of arguments and results can say: no
  /// annotations of inner values, no priorities.
  bool specsOnly = false;
  DropAnnotations drop = DropAnnotations::None;
  PairOptions pairs;
  /// Shardings of arguments, which stay, by name or number.
  std::vector<std::pair<std::string, PartitionSpec>> fixed;
  /// Called after each trial with the number of trials and the seconds of the
  /// best plan so far (infinite: none fits); may be null.
  std::function<void(int64_t, double)> progress;
};

/// What partitioning with some annotations is predicted to cost.
struct PlanCost {
  std::string name; ///< `replicated`, `data on x`, `as given`, `found`
  StepTime step;
  double peak = 0, sent = 0;
  bool fits = false;
};

struct ChosenSharding {
  enum class Kind : uint8_t { Argument, Result, Inner };
  Kind kind = Kind::Argument;
  /// The number of the argument or result, or of the inner value in the
  /// program's order.
  int32_t index = 0;
  /// Of the source if it says one: `params['w']`.
  std::string name;
  std::string type;          ///< `8x16xf32`
  std::string sharding;      ///< `[{"x"}, {}]`
  std::string partitionSpec; ///< `P("x", None)`; empty if there is none
  /// Sites that are decided together, with this one.
  int32_t numEqual = 1;
  bool isGiven = false;
  /// The next best layout that was tried for the class, if there is one.
  std::string otherSharding;
  double otherSeconds = 0, otherPeak = 0;
};

struct AutoResult {
  Mesh mesh;
  double memoryLimit = 0;
  /// The plans that need no search, best first, and the one that was found.
  std::vector<PlanCost> compared;
  PlanCost found;
  /// Of each argument and result, then of inner values that are annotated.
  std::vector<ChosenSharding> shardings;
  /// The module with the annotations: as it was given, or as it is after stage
  /// Import if inner values are annotated.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  int64_t numTrials = 0;
};

/// Searches. The module is as it was read and does not change. Fails with a
/// diagnostic if the module cannot be partitioned at all.
mlir::FailureOr<AutoResult> autoShard(mlir::ModuleOp module,
                                      const AutoOptions &options);

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_AUTO_SHARD_H
