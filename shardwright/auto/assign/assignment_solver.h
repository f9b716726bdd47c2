//===- assignment_solver.h - integer linear programs ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Minimises a linear cost under linear rows, with some columns integer. Value
// types; no IR. The solver is COIN-OR CBC, in a module beside the library,
// `libshardwright_cbc.so`, which is opened at the first call: the library does
// not need CBC. One thread, fixed seeds, limits in nodes and iterations: equal
// programs give equal solutions.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_ASSIGN_ASSIGNMENT_SOLVER_H
#define SHARDWRIGHT_AUTO_ASSIGN_ASSIGNMENT_SOLVER_H

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace shardwright {

struct LinearProgram {
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  struct Column {
    double cost = 0;
    double lower = 0, upper = 1;
    bool isInteger = false;
  };
  struct Entry {
    int32_t column = 0;
    double value = 1;
  };
  /// lower <= sum of values times columns <= upper.
  struct Row {
    double lower = -infinity, upper = infinity;
    /// A column occurs at most once.
    std::vector<Entry> entries;
  };
  std::vector<Column> columns;
  std::vector<Row> rows;
};

struct SolverLimits {
  /// Nodes of the branch and bound tree; 0: only the relaxation is solved, and
  /// its solution is taken if it is integral.
  int32_t nodes = 100;
  /// Simplex iterations, of the relaxation and of the tree each.
  int32_t iterations = 100000;
  /// Solutions that are better by a smaller part of the cost are not looked
  /// for.
  double gap = 0;
  /// Instead of a tree, round fractions one after the other, each by solving
  /// the relaxation again: fast, and not optimal.
  bool dives = false;
};

struct LinearSolution {
  enum class Status : uint8_t {
    Optimal,
    /// A limit ended the search; `values` is the best solution until then.
    Feasible,
    /// A limit ended the search before there was a solution.
    Limit,
    Infeasible,
    Unbounded,
    /// The module or CBC is missing.
    NoSolver,
  };
  Status status = Status::NoSolver;
  /// By column; empty if there is no solution.
  std::vector<double> values;
  double objective = 0;
  /// No solution costs less: the optimum of the relaxation. Minus infinity if
  /// it is unknown.
  double bound = -LinearProgram::infinity;
  /// By column: the relaxation's optimum, which need not be integral. Empty if
  /// it is unknown.
  std::vector<double> relaxed;
  /// By row: how much the relaxation's optimum grows per unit of the row's
  /// bound. Empty if it is unknown.
  std::vector<double> duals;

  bool hasSolution() const { return !values.empty(); }
};

LinearSolution solve(const LinearProgram &program, const SolverLimits &limits);

/// Why there is no solver; empty if there is one.
const std::string &solverMissing();

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_ASSIGN_ASSIGNMENT_SOLVER_H
