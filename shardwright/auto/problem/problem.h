//===- problem.h - where shardings can be decided ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a search may decide in a module: the layouts of arguments and results of
// @main, of values that loops carry, and of the results of contractions. Equal
// sites form one class, which has one layout.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_PROBLEM_H
#define SHARDWRIGHT_AUTO_PROBLEM_H

#include "shardwright/mesh/sharding.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <vector>

namespace shardwright {

/// Results that end in the layout of an argument, so that the next step can
/// take them.
enum class StatePairs {
  None,
  /// A result of the type of an argument, with the same path in
  /// `jax.result_info` as in the argument's name (`[0]['w']`, `params['w']`).
  ByName,
};

/// A place of a module that has a sharding.
struct Site {
  enum class Kind : uint8_t { Argument, Result, Inner };
  Kind kind = Kind::Argument;
  /// The number of the argument or result; -1 for an inner value.
  int32_t index = -1;
  /// The argument or inner value; null for a result.
  mlir::Value value;
};

/// Sites that share one layout.
struct SiteClass {
  std::vector<Site> sites;
  mlir::RankedTensorType type;
  /// The user's sharding: closed dimensions stay as they are, open ones may
  /// get more axes at their end. Open without axes if there is none.
  TensorSharding given;
  bool isGiven = false;
  /// By dimension.
  llvm::SmallVector<int32_t, 4> colours;
  /// An argument that a step turns into a result of the same layout.
  bool isState = false;
  /// Bytes of one site, unsharded.
  double bytes = 0;

  Site::Kind kind() const { return sites.front().kind; }
};

/// The roles of a colour in contractions, each weighed by multiplications.
struct ColourUse {
  /// Kept in the result (batch or free), and summed up.
  double kept = 0, summed = 0;
  /// Bytes of arguments that have it, and whether state is among them.
  double argumentBytes = 0;
  bool isInState = false;
};

struct AutoProblem {
  Mesh mesh;
  /// What shardings name as their mesh.
  mlir::Attribute meshRef;
  /// The axes of more than one device.
  llvm::SmallVector<int32_t, 4> axes;
  /// By index in `axes`. Plans that differ in the order of axes of one kind
  /// cost the same. Empty: all axes differ.
  llvm::SmallVector<int32_t, 4> axisKinds;
  /// In program order: arguments, results, inner values.
  std::vector<SiteClass> classes;
  std::vector<ColourUse> colours;
  /// Classes that have a dimension of the colour.
  std::vector<std::vector<int32_t>> classesOf;
};

struct PairOptions {
  StatePairs pairs = StatePairs::ByName;
  /// Pairs of result and argument that the user names.
  std::vector<std::pair<int32_t, int32_t>> named;
};

/// Reads a module after stage Import, which has a mesh. Fails with a diagnostic
/// if a pair does not fit.
mlir::FailureOr<AutoProblem> readProblem(mlir::ModuleOp imported,
                                         const PairOptions &options);

/// Their bodies have the shapes of the module's own mesh.
bool hasManualComputations(mlir::ModuleOp module);

/// By result: the argument whose layout it has, or -1.
mlir::FailureOr<std::vector<int32_t>> pairResults(mlir::ModuleOp imported,
                                                  const PairOptions &options);

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_PROBLEM_H
