//===- factor_moves.h - layouts that change together ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op that communicates (a contraction, reduction, convolution, gather, sort)
// computes along an axis if the layouts of its operands and its result change
// together, and often only pays if the next such op goes along. A *group* is a
// set of dimensions between such ops: chains of ops that never communicate join
// them, and equal sites are joined. Each factor of an op that communicates
// joins some groups. A colour (colours.h) is a set of groups.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_FACTOR_MOVES_H
#define SHARDWRIGHT_AUTO_FACTOR_MOVES_H

#include "shardwright/auto/problem/colours.h"
#include "shardwright/auto/problem/plan.h"

namespace shardwright {

/// Takes an axis away from some groups and gives it to others.
struct LayoutMove {
  /// Arguments with their results only, or results and inner values too.
  enum class Reach : uint8_t { Arguments, All };

  int32_t axis = 0;
  Reach reach = Reach::All;
  /// Sorted.
  llvm::SmallVector<int32_t, 4> clear, put;

  friend bool operator==(const LayoutMove &, const LayoutMove &) = default;
  friend bool operator<(const LayoutMove &a, const LayoutMove &b) {
    return std::tie(a.axis, a.reach, a.clear, a.put) <
           std::tie(b.axis, b.reach, b.clear, b.put);
  }
};

class FactorMoves {
public:
  /// Both must outlive the result. Linear in the ops.
  FactorMoves(mlir::ModuleOp imported, const AutoProblem &problem);

  /// Moves with which the op of this number computes or holds its values in
  /// another way, those that change most first. Equal layers give equal moves.
  std::vector<LayoutMove> ofOp(int32_t number);
  /// Moves that shard a value: argument or result `index`, or the results of
  /// op `index`.
  std::vector<LayoutMove> ofArgument(int32_t index);
  std::vector<LayoutMove> ofResult(int32_t index);
  std::vector<LayoutMove> ofResultsOf(int32_t number);

  /// Changes the classes that the search may annotate. False if nothing
  /// changes.
  bool apply(const LayoutMove &move, Plan &plan,
             llvm::function_ref<bool(const SiteClass &)> mayAnnotate) const;

private:
  using Groups = llvm::SmallVector<int32_t, 4>;

  void readFactors();
  /// The groups of each factor of the op that may be sharded; of ops without a
  /// rule, of each dimension.
  std::vector<Groups> factorsOf(mlir::Operation *op);
  void addValue(mlir::Value value, std::vector<LayoutMove> &moves);
  /// The groups, and those that share a factor with one of them.
  Groups withNeighbours(const Groups &groups) const;

  const AutoProblem &problem;
  mlir::ModuleOp imported;
  Colours groups;
  std::vector<mlir::Operation *> ops;
  /// Classes and their dimensions of each group.
  llvm::DenseMap<int32_t, std::vector<std::pair<int32_t, int32_t>>> members;
  /// The factors of several groups, each once, sorted; and those that have a
  /// group. Lists of neighbours would be quadratic in the operands of an op.
  std::vector<Groups> factors;
  llvm::DenseMap<int32_t, std::vector<int32_t>> factorsWith;
};

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_FACTOR_MOVES_H
