//===- solver_interface.h - between the library and CBC ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The function that `libshardwright_cbc.so` exports. Plain arrays, which the
// caller owns.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_SOLVER_SOLVER_INTERFACE_H
#define SHARDWRIGHT_AUTO_SOLVER_SOLVER_INTERFACE_H

#include <cstdint>

namespace shardwright {

struct SolverInput {
  int32_t numColumns = 0, numRows = 0;
  /// By column.
  const double *costs = nullptr, *lower = nullptr, *upper = nullptr;
  const char *isInteger = nullptr;
  /// By row; `starts` has one entry more.
  const double *rowLower = nullptr, *rowUpper = nullptr;
  const int32_t *starts = nullptr;
  /// By entry.
  const int32_t *entryColumns = nullptr;
  const double *entryValues = nullptr;
  int32_t nodes = 0, iterations = 0;
  double gap = 0;
  bool dives = false;
};

/// Of LinearSolution::Status.
enum class SolverStatus : int32_t {
  Optimal,
  Feasible,
  Limit,
  Infeasible,
  Unbounded,
};

struct SolverOutput {
  SolverStatus status = SolverStatus::Limit;
  /// By column: the solution, and the optimum of the relaxation.
  double *values = nullptr, *relaxed = nullptr;
  /// By row, of the relaxation.
  double *duals = nullptr;
  double objective = 0, bound = 0;
  bool hasBound = false;
};

/// Returns false if `version` is another one than the module's.
using SolveProgram = bool(int32_t version, const SolverInput &input,
                          SolverOutput &output);
inline constexpr const char *solveProgramName = "shardwrightSolveProgram";
/// Changes with this file.
inline constexpr int32_t solverInterfaceVersion = 1;

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_SOLVER_SOLVER_INTERFACE_H
