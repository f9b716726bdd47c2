//===- assignment_solver.cc - integer linear programs ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/assign/assignment_solver.h"

#include "shardwright/auto/solver/solver_interface.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>

namespace shardwright {
namespace {

struct SolverModule {
  SolveProgram *solve = nullptr;
  std::string missing;
};

/// Opens the module beside the library with this function.
SolverModule openModule() {
  SolverModule module;
  Dl_info info;
  llvm::SmallString<256> path;
  if (dladdr(reinterpret_cast<void *>(&openModule), &info))
    path = info.dli_fname;
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, "libshardwright_cbc.so");
  if (!llvm::sys::fs::exists(path)) {
    module.missing = "this build has no solver: it is built where CBC (Debian: "
                     "coinor-libcbc-dev) is installed";
    return module;
  }
  // Its LAPACK must not become that of the kernels.
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    module.missing = "the solver cannot be loaded: " + std::string(dlerror()) +
                     "; install CBC (Debian: coinor-libcbc3)";
    return module;
  }
  module.solve =
      reinterpret_cast<SolveProgram *>(dlsym(library, solveProgramName));
  if (!module.solve)
    module.missing = std::string(path) + " is not a solver of Shardwright";
  return module;
}

const SolverModule &theModule() {
  static const SolverModule module = openModule();
  return module;
}

LinearSolution::Status statusOf(SolverStatus status) {
  using Status = LinearSolution::Status;
  switch (status) {
  case SolverStatus::Optimal:
    return Status::Optimal;
  case SolverStatus::Feasible:
    return Status::Feasible;
  case SolverStatus::Limit:
    return Status::Limit;
  case SolverStatus::Infeasible:
    return Status::Infeasible;
  case SolverStatus::Unbounded:
    return Status::Unbounded;
  }
  return Status::Limit;
}

} // namespace

const std::string &solverMissing() { return theModule().missing; }

LinearSolution solve(const LinearProgram &program, const SolverLimits &limits) {
  LinearSolution solution;
  const SolverModule &module = theModule();
  if (!module.solve)
    return solution;
  size_t columns = program.columns.size(), rows = program.rows.size();
  std::vector<double> costs, lower, upper, rowLower, rowUpper, entryValues;
  std::vector<char> isInteger;
  std::vector<int32_t> starts{0}, entryColumns;
  for (const LinearProgram::Column &column : program.columns) {
    costs.push_back(column.cost);
    lower.push_back(column.lower);
    upper.push_back(column.upper);
    isInteger.push_back(column.isInteger);
  }
  for (const LinearProgram::Row &row : program.rows) {
    rowLower.push_back(row.lower);
    rowUpper.push_back(row.upper);
    for (const LinearProgram::Entry &entry : row.entries) {
      entryColumns.push_back(entry.column);
      entryValues.push_back(entry.value);
    }
    starts.push_back(int32_t(entryColumns.size()));
  }
  SolverInput input;
  input.numColumns = int32_t(columns);
  input.numRows = int32_t(rows);
  input.costs = costs.data();
  input.lower = lower.data();
  input.upper = upper.data();
  input.isInteger = isInteger.data();
  input.rowLower = rowLower.data();
  input.rowUpper = rowUpper.data();
  input.starts = starts.data();
  input.entryColumns = entryColumns.data();
  input.entryValues = entryValues.data();
  input.nodes = limits.nodes;
  input.iterations = limits.iterations;
  input.gap = limits.gap;
  input.dives = limits.dives;
  std::vector<double> values(columns), relaxed(columns), duals(rows);
  SolverOutput output;
  output.values = values.data();
  output.relaxed = relaxed.data();
  output.duals = duals.data();
  if (!module.solve(solverInterfaceVersion, input, output))
    return solution;
  solution.status = statusOf(output.status);
  if (output.hasBound) {
    solution.bound = output.bound;
    solution.relaxed = std::move(relaxed);
    solution.duals = std::move(duals);
  }
  if (solution.status == LinearSolution::Status::Optimal ||
      solution.status == LinearSolution::Status::Feasible) {
    solution.values = std::move(values);
    solution.objective = output.objective;
  }
  return solution;
}

} // namespace shardwright
