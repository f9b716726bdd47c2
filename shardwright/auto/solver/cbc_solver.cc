//===- cbc_solver.cc - integer linear programs by COIN-OR CBC -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/solver/solver_interface.h"

#include <CbcHeuristic.hpp>
#include <CbcHeuristicDiveCoefficient.hpp>
#include <CbcModel.hpp>
#include <CoinPackedMatrix.hpp>
#include <OsiClpSolverInterface.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace shardwright;

namespace {

constexpr double kIntegral = 1e-6;
/// Values that a dive rounds up together (no simple fraction, which rounding
/// would put on either side), and its relaxations.
constexpr double kNearlyOne = 0.59;
constexpr int kMostDives = 30;
constexpr int kSeed = 20240613;
/// Scaled costs are at most 2^kCostBits. Of columns that cost the same, the
/// simplex takes one by rounding errors, which differ between processors; so
/// costs of integer columns differ by multiples of 2^-kTieBits, which is more
/// than its tolerance.
constexpr int kCostBits = 10, kTieBits = 20;
constexpr uint64_t kTies = 1024;

class CbcRun {
public:
  CbcRun(const SolverInput &input, SolverOutput &output)
      : input(input), output(output) {}
  void run();

private:
  void load();
  bool solveRelaxation();
  bool isIntegral() const;
  void take(const double *values);
  void branch();
  /// Sets the columns that are nearly one to one and solves the relaxation
  /// again, until all are integral.
  void dive();

  const SolverInput &input;
  SolverOutput &output;
  OsiClpSolverInterface lp;
  /// Costs are divided by it, so that tolerances mean the same in all units.
  double unit = 1;
};

/// A number that looks random (the finalizer of SplitMix64).
static uint64_t mix(uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

void CbcRun::load() {
  double largest = 0;
  for (int32_t c = 0; c < input.numColumns; ++c)
    largest = std::max(largest, std::abs(input.costs[c]));
  // A power of two: scaling is exact.
  if (largest > 0)
    unit = std::ldexp(1, std::ilogb(largest) + 1 - kCostBits);
  std::vector<double> costs(input.costs, input.costs + input.numColumns);
  for (int32_t c = 0; c < input.numColumns; ++c) {
    costs[c] /= unit;
    // Below the cost, so that a bound stays one.
    if (input.isInteger[c] && largest > 0)
      costs[c] -= std::ldexp(double(mix(uint64_t(c)) % kTies), -kTieBits);
  }
  // Infinite bounds are the library's own number.
  auto bounds = [&](const double *from, int32_t size) {
    std::vector<double> list(from, from + size);
    for (double &value : list)
      if (std::isinf(value))
        value = value > 0 ? lp.getInfinity() : -lp.getInfinity();
    return list;
  };
  std::vector<int> lengths(input.numRows);
  for (int32_t r = 0; r < input.numRows; ++r)
    lengths[r] = input.starts[r + 1] - input.starts[r];
  CoinPackedMatrix matrix(/*colordered=*/false, input.numColumns, input.numRows,
                          input.starts[input.numRows], input.entryValues,
                          input.entryColumns, input.starts, lengths.data());
  std::vector<double> lower = bounds(input.lower, input.numColumns),
                      upper = bounds(input.upper, input.numColumns),
                      rowLower = bounds(input.rowLower, input.numRows),
                      rowUpper = bounds(input.rowUpper, input.numRows);
  lp.messageHandler()->setLogLevel(0);
  lp.setLogLevel(0);
  lp.loadProblem(matrix, lower.data(), upper.data(), costs.data(),
                 rowLower.data(), rowUpper.data());
  for (int32_t c = 0; c < input.numColumns; ++c)
    if (input.isInteger[c])
      lp.setInteger(c);
  lp.setIntParam(OsiMaxNumIteration, input.iterations);
}

bool CbcRun::solveRelaxation() {
  lp.initialSolve();
  if (lp.isProvenPrimalInfeasible()) {
    output.status = SolverStatus::Infeasible;
    return false;
  }
  if (lp.isProvenDualInfeasible()) {
    output.status = SolverStatus::Unbounded;
    return false;
  }
  if (!lp.isProvenOptimal()) {
    output.status = SolverStatus::Limit;
    return false;
  }
  output.hasBound = true;
  output.bound = lp.getObjValue() * unit;
  std::copy_n(lp.getColSolution(), input.numColumns, output.relaxed);
  const double *prices = lp.getRowPrice();
  for (int32_t r = 0; r < input.numRows; ++r)
    output.duals[r] = prices[r] * unit;
  return true;
}

bool CbcRun::isIntegral() const {
  const double *values = lp.getColSolution();
  for (int32_t c = 0; c < input.numColumns; ++c)
    if (input.isInteger[c] &&
        std::abs(values[c] - std::round(values[c])) > kIntegral)
      return false;
  return true;
}

void CbcRun::take(const double *values) {
  std::copy(values, values + input.numColumns, output.values);
  for (int32_t c = 0; c < input.numColumns; ++c)
    if (input.isInteger[c])
      output.values[c] = std::round(output.values[c]);
  output.objective = 0;
  for (int32_t c = 0; c < input.numColumns; ++c)
    output.objective += input.costs[c] * output.values[c];
}

void CbcRun::branch() {
  CbcModel model(lp);
  model.setLogLevel(0);
  model.messageHandler()->setLogLevel(0);
  model.solver()->messageHandler()->setLogLevel(0);
  model.setRandomSeed(kSeed);
  model.setNumberThreads(0);
  model.setAllowableFractionGap(input.gap);
  model.setMaximumNodes(input.nodes);
  model.setMaximumNumberIterations(input.iterations);
  CbcRounding rounding(model);
  model.addHeuristic(&rounding);
  CbcHeuristicDiveCoefficient coefficients(model);
  model.addHeuristic(&coefficients);
  model.branchAndBound();
  const double *best = model.bestSolution();
  if (best) {
    take(best);
    output.status = model.isProvenOptimal() ? SolverStatus::Optimal
                                            : SolverStatus::Feasible;
  } else {
    output.status = model.isProvenInfeasible() ? SolverStatus::Infeasible
                                               : SolverStatus::Limit;
  }
}

void CbcRun::dive() {
  output.status = SolverStatus::Limit;
  int iterations = lp.getIterationCount();
  for (int step = 0; step < kMostDives && iterations <= input.iterations;
       ++step) {
    const double *values = lp.getColSolution();
    std::vector<int32_t> chosen;
    int32_t largest = -1;
    for (int32_t c = 0; c < input.numColumns; ++c) {
      if (!input.isInteger[c] ||
          std::abs(values[c] - std::round(values[c])) <= kIntegral)
        continue;
      if (values[c] >= kNearlyOne)
        chosen.push_back(c);
      // Rounding does not choose between equals.
      if (largest < 0 || values[c] > values[largest] + kIntegral)
        largest = c;
    }
    if (largest < 0) {
      take(values);
      output.status = SolverStatus::Feasible;
      return;
    }
    if (chosen.empty())
      chosen.push_back(largest);
    for (int32_t c : chosen)
      lp.setColLower(c, 1);
    lp.resolve();
    iterations += lp.getIterationCount();
    if (lp.isProvenOptimal())
      continue;
    for (int32_t c : chosen)
      lp.setColLower(c, input.lower[c]);
    lp.setColUpper(chosen.front(), 0);
    lp.resolve();
    if (!lp.isProvenOptimal())
      return;
  }
}

void CbcRun::run() {
  load();
  if (!solveRelaxation())
    return;
  if (isIntegral()) {
    take(lp.getColSolution());
    output.status = SolverStatus::Optimal;
  } else if (input.dives) {
    dive();
  } else if (input.nodes > 0) {
    branch();
  } else {
    output.status = SolverStatus::Limit;
  }
}

} // namespace

extern "C" __attribute__((visibility("default"))) bool
shardwrightSolveProgram(int32_t version, const SolverInput &input,
                        SolverOutput &output) {
  if (version != solverInterfaceVersion)
    return false;
  // The solver throws where its numbers go wrong; that is no solution.
  try {
    CbcRun(input, output).run();
  } catch (...) {
    output.status = SolverStatus::Limit;
    output.hasBound = false;
  }
  return true;
}
