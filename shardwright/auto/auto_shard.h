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
//   planner     layouts that a model of the whole program finds best
//   search      better ones, by trials on copies of the module
//   trial       each by the real pipeline
//
// What is found is never slower than the best recipe that fits, or than the
// user's own annotations. Budgets are counts: equal inputs give equal answers.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_AUTO_SHARD_H
#define SHARDWRIGHT_AUTO_AUTO_SHARD_H

#include "shardwright/auto/axis_roles.h"
#include "shardwright/auto/found_details.h"
#include "shardwright/auto/problem/problem.h"
#include "shardwright/compile/compile.h"
#include "shardwright/mesh/hlo/partition_spec.h"

#include "mlir/IR/OwningOpRef.h"

#include <limits>

namespace shardwright {

/// Which of the user's annotations are forgotten first.
enum class DropAnnotations { None, Constraints, All };

struct AutoOptions {
  /// The mesh, if the module has none; otherwise new sizes of its axes. Empty:
  /// the module's mesh.
  llvm::SmallVector<MeshAxis, 4> mesh;
  /// The order of the devices of `mesh`; empty: 0, 1, 2, ...
  llvm::SmallVector<int64_t, 0> deviceIds;
  MachineModel machine;
  /// Bytes of memory of a device; none: the machine's.
  std::optional<double> memory;
  Overlap overlap = Overlap::Off;
  /// Of the trials beside machine and overlap: effort of the partitioner,
  /// version of Shardy, compiler, what is done before stages.
  CompileOptions compile;
  /// 0: recipes and planned layouts only; 1: a search; 2: a search of ten times
  /// the trials.
  int effort = 1;
  /// Choose only what PartitionSpecs of arguments and results can say: no
  /// annotations of inner values, no priorities.
  bool specsOnly = false;
  /// Partition what is found as it is read back from its text, so that
  /// FoundDetails::secondsOfText tells whether the text says it all.
  bool readsBack = false;
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
  /// By dimension: a dimension of an argument that is sharded alike, `x[0]`.
  std::vector<std::string> colours;
  /// The constraints that forced the layout; empty if it is the fastest.
  std::vector<std::string> reasons;
  /// The next best layout that was tried for the class, if there is one.
  std::string otherSharding;
  double otherSeconds = 0, otherPeak = 0;
  /// Of an inner value: its position in the source, and the name of the
  /// location of its op; of a value that a loop carries, that of the op which
  /// computes the next one.
  std::string where, scope;
};

/// What the planner (assign/planner.h) says beside its plans.
struct PlannerReport {
  /// Why there are no planned layouts; empty if there are.
  std::string missing;
  /// What its model predicts for a step within the limit, and the least that
  /// the model allows; minus infinity if that is unknown.
  double seconds = 0;
  double bound = -std::numeric_limits<double>::infinity();
  /// Seconds that a byte more of memory saves.
  double secondsPerByte = 0;
  /// The shortest step within less and more memory, of all plans that were
  /// tried, one of the planner's for each point among them. Only with a search.
  struct Point {
    double share = 1; ///< of the limit
    PlanCost cost;    ///< empty, and does not fit, if nothing fits
  };
  std::vector<Point> frontier;
};

struct AutoResult {
  Mesh mesh;
  double memoryLimit = 0;
  /// The plans that need no search, best first, and the one that was found.
  std::vector<PlanCost> compared;
  PlanCost found;
  /// If the shape of the mesh was chosen: the step on one device.
  std::optional<PlanCost> oneDevice;
  /// By axis of the mesh.
  std::vector<AxisRoles> axisRoles;
  FoundDetails details;
  /// Of each argument and result, then of inner values that are annotated.
  std::vector<ChosenSharding> shardings;
  /// The module with the annotations: as it was given, or as it is after stage
  /// Import if inner values are annotated.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Partitionings, and what the search took in all, in partitionings: a plan
  /// with the shardings of an earlier one counts as a part of one.
  int64_t numTrials = 0, spent = 0;
  PlannerReport planner;
};

/// Searches. The module is as it was read and does not change. Fails with a
/// diagnostic if the module cannot be partitioned at all.
mlir::FailureOr<AutoResult> autoShard(mlir::ModuleOp module,
                                      const AutoOptions &options);

/// Likewise for a module that has passed stage Import, which is not run again:
/// `mesh`, `drop` and `fixed` do not count, and the annotated module has the
/// ops of this one.
mlir::FailureOr<AutoResult> autoShardImported(mlir::ModuleOp imported,
                                              const AutoOptions &options);

/// Emits an error at the module if nothing fits: the least memory that was
/// found, and the remedies. `limit` says where the limit comes from.
mlir::LogicalResult requireFits(mlir::ModuleOp module, const AutoResult &result,
                                llvm::StringRef limit);

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_AUTO_SHARD_H
