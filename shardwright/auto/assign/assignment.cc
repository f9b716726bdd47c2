//===- assignment.cc - layouts along one mesh axis ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/assign/assignment.h"

#include "shardwright/auto/assign/contract_assignment.h"
#include "shardwright/auto/assign/improve_assignment.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace shardwright {

double AssignmentValue::moveSeconds(AxisLayout from, AxisLayout to) const {
  if (from == to || from == kReplicatedLayout)
    return to == kPartialLayout && from != to ? LinearProgram::infinity : 0;
  if (to == kPartialLayout)
    return LinearProgram::infinity;
  if (from == kPartialLayout)
    return to == kReplicatedLayout ? allReduce : scatter;
  return to == kReplicatedLayout ? gather : exchange;
}

double AssignmentValue::copySeconds(AxisLayout made,
                                    llvm::ArrayRef<AxisLayout> wanted,
                                    bool &throughReplicated) const {
  throughReplicated = false;
  if (wanted.empty())
    return 0;
  double each = 0, sliced = moveSeconds(made, kReplicatedLayout);
  bool isReplicatedWanted = false;
  for (AxisLayout to : wanted) {
    each += moveSeconds(made, to);
    isReplicatedWanted |= to == kReplicatedLayout;
    if (to == kPartialLayout)
      return LinearProgram::infinity;
  }
  if (made == kReplicatedLayout)
    return 0;
  throughReplicated = isReplicatedWanted || sliced < each;
  return throughReplicated ? sliced : each;
}

/// Part of the bytes of a value that a device holds in this layout.
static double heldPart(AxisLayout layout, int64_t shards) {
  return layout >= 0 ? 1 / double(shards) : 1;
}

namespace {

using Entry = LinearProgram::Entry;

/// Writes the linear program of a problem, and reads its solution.
class ProgramWriter {
public:
  explicit ProgramWriter(const AssignmentProblem &problem)
      : problem(problem), made(problem.values.size()),
        hand(problem.values.size()), moves(problem.values.size()) {
    writeChoices();
    writeNeeds();
    for (size_t v = 0; v < problem.values.size(); ++v)
      writeMoves(v);
    writeLiveSets();
  }

  const LinearProgram &get() const { return program; }
  /// The strategies of the largest values.
  std::vector<int32_t> read(const std::vector<double> &solution) const;
  std::vector<double> secondsPerByte(const LinearSolution &solution) const;

private:
  int32_t addColumn(double cost, bool isInteger) {
    // All are at most 1, which the rows imply for those that are not integer.
    program.columns.push_back({cost, 0, 1, isInteger});
    return int32_t(program.columns.size()) - 1;
  }
  void writeChoices();
  void writeNeeds();
  void writeMoves(size_t v);
  void writeLiveSets();
  int32_t handColumn(int32_t value, AxisLayout layout) {
    auto [it, isNew] = hand[value].try_emplace(layout, -1);
    if (isNew)
      it->second = addColumn(0, false);
    return it->second;
  }

  const AssignmentProblem &problem;
  LinearProgram program;
  /// By choice: the column of the first strategy.
  std::vector<int32_t> first;
  /// By value and layout: the columns of strategies that make it so.
  std::vector<std::map<AxisLayout, std::vector<int32_t>>> made;
  /// By value and layout: y.
  std::vector<std::map<AxisLayout, int32_t>> hand;
  /// By value, from and to: z.
  std::vector<std::map<std::pair<AxisLayout, AxisLayout>, int32_t>> moves;
  size_t firstLiveRow = 0;
};

} // namespace

void ProgramWriter::writeChoices() {
  std::vector<int32_t> maker(problem.values.size(), -1);
  for (auto [c, choice] : llvm::enumerate(problem.choices)) {
    first.push_back(int32_t(program.columns.size()));
    LinearProgram::Row one{1, 1, {}};
    std::map<LayoutOfValue, std::vector<int32_t>> makes;
    for (const AssignmentStrategy &strategy : choice.strategies) {
      int32_t column = addColumn(strategy.seconds, true);
      one.entries.push_back({column, 1});
      for (LayoutOfValue own : strategy.makes)
        makes[own].push_back(column);
    }
    program.rows.push_back(std::move(one));
    for (auto &[own, columns] : makes) {
      int32_t &known = maker[own.value];
      if (known < 0)
        known = int32_t(c);
      if (known == int32_t(c))
        made[own.value][own.layout] = columns;
    }
  }
  // Further choices that make the same value make it in the same layout.
  for (auto [c, choice] : llvm::enumerate(problem.choices)) {
    std::map<int32_t, std::map<AxisLayout, std::vector<int32_t>>> others;
    for (auto [w, strategy] : llvm::enumerate(choice.strategies))
      for (LayoutOfValue own : strategy.makes)
        if (maker[own.value] != int32_t(c))
          others[own.value][own.layout].push_back(first[c] + int32_t(w));
    for (auto &[value, layouts] : others) {
      for (auto &[layout, columns] : made[value])
        layouts.try_emplace(layout);
      for (auto &[layout, columns] : layouts) {
        LinearProgram::Row row{0, 0, {}};
        for (int32_t column : columns)
          row.entries.push_back({column, 1});
        if (auto it = made[value].find(layout); it != made[value].end())
          for (int32_t column : it->second)
            row.entries.push_back({column, -1});
        program.rows.push_back(std::move(row));
      }
    }
  }
}

void ProgramWriter::writeNeeds() {
  for (auto [c, choice] : llvm::enumerate(problem.choices)) {
    std::map<LayoutOfValue, std::vector<int32_t>> needs;
    for (auto [w, strategy] : llvm::enumerate(choice.strategies))
      for (LayoutOfValue need : strategy.needs) {
        std::vector<int32_t> &columns = needs[need];
        int32_t column = first[c] + int32_t(w);
        if (columns.empty() || columns.back() != column)
          columns.push_back(column);
      }
    for (auto &[need, columns] : needs) {
      LinearProgram::Row row{-LinearProgram::infinity, 0, {}};
      for (int32_t column : columns)
        row.entries.push_back({column, 1});
      row.entries.push_back({handColumn(need.value, need.layout), -1});
      program.rows.push_back(std::move(row));
    }
  }
}

void ProgramWriter::writeMoves(size_t v) {
  if (hand[v].empty())
    return;
  // A copy that is replicated gives slices.
  int32_t whole = handColumn(int32_t(v), kReplicatedLayout);
  for (auto [to, column] : hand[v]) {
    LinearProgram::Row row{-LinearProgram::infinity, 0, {{column, 1}}};
    if (to >= 0)
      row.entries.push_back({whole, -1});
    for (auto &[from, columns] : made[v]) {
      if (from == to) {
        for (int32_t own : columns)
          row.entries.push_back({own, -1});
        continue;
      }
      double seconds = problem.values[v].moveSeconds(from, to);
      // Slices come from `whole`.
      if (from == kReplicatedLayout || seconds == LinearProgram::infinity)
        continue;
      int32_t move = addColumn(seconds, false);
      moves[v][{from, to}] = move;
      row.entries.push_back({move, -1});
      LinearProgram::Row source{-LinearProgram::infinity, 0, {{move, 1}}};
      for (int32_t own : columns)
        source.entries.push_back({own, -1});
      program.rows.push_back(std::move(source));
    }
    program.rows.push_back(std::move(row));
  }
}

void ProgramWriter::writeLiveSets() {
  firstLiveRow = program.rows.size();
  if (problem.limit == LinearProgram::infinity)
    return;
  for (const LiveSet &set : problem.liveSets) {
    std::map<int32_t, double> bytes;
    for (const LiveSet::Held &held : set.held) {
      for (auto &[layout, columns] : made[held.value])
        // A partial value is in memory as long as somebody reads it so.
        if (layout != kPartialLayout)
          for (int32_t column : columns)
            bytes[column] += held.bytes * heldPart(layout, problem.shards);
      if (auto it = hand[held.value].find(kPartialLayout);
          it != hand[held.value].end())
        bytes[it->second] += held.bytes;
      for (auto &[fromTo, column] : moves[held.value]) {
        auto [from, to] = fromTo;
        double size = from == kPartialLayout ? held.bytes : held.copyBytes;
        bytes[column] += size * heldPart(to, problem.shards);
      }
    }
    // In units of the limit, so that the solver's tolerances fit.
    LinearProgram::Row row{-LinearProgram::infinity, 1, {}};
    for (auto [column, size] : bytes)
      if (size > 0)
        row.entries.push_back({column, size / problem.limit});
    program.rows.push_back(std::move(row));
  }
}

std::vector<int32_t>
ProgramWriter::read(const std::vector<double> &solution) const {
  std::vector<int32_t> strategies;
  for (auto [c, choice] : llvm::enumerate(problem.choices)) {
    const double *values = solution.data() + first[c];
    strategies.push_back(int32_t(
        std::max_element(values, values + choice.strategies.size()) - values));
  }
  return strategies;
}

std::vector<double>
ProgramWriter::secondsPerByte(const LinearSolution &solution) const {
  std::vector<double> prices;
  if (!solution.duals.empty())
    for (size_t r = firstLiveRow; r < program.rows.size(); ++r)
      prices.push_back(std::max(-solution.duals[r] / problem.limit, 0.0));
  return prices;
}

AssignmentSolution evaluateAssignment(const AssignmentProblem &problem,
                                      std::vector<int32_t> strategies) {
  AssignmentSolution solution;
  constexpr AxisLayout unknown = -3;
  solution.made.assign(problem.values.size(), unknown);
  std::vector<std::vector<AxisLayout>> needs(problem.values.size());
  for (auto [choice, w] : llvm::zip(problem.choices, strategies)) {
    const AssignmentStrategy &strategy = choice.strategies[w];
    solution.seconds += strategy.seconds;
    for (LayoutOfValue own : strategy.makes) {
      AxisLayout &made = solution.made[own.value];
      if (made != unknown && made != own.layout)
        solution.seconds = LinearProgram::infinity;
      made = own.layout;
    }
    for (LayoutOfValue need : strategy.needs)
      needs[need.value].push_back(need.layout);
  }
  for (auto [v, list] : llvm::enumerate(needs)) {
    AxisLayout made = solution.made[v];
    llvm::sort(list);
    list.erase(llvm::unique(list), list.end());
    if (made == kPartialLayout && llvm::is_contained(list, kPartialLayout))
      solution.copies.push_back({int32_t(v), kPartialLayout});
    llvm::erase(list, made);
    bool throughReplicated = false;
    solution.seconds +=
        problem.values[v].copySeconds(made, list, throughReplicated);
    if (throughReplicated && !llvm::is_contained(list, kReplicatedLayout))
      solution.copies.push_back({int32_t(v), kReplicatedLayout});
    for (AxisLayout to : list)
      solution.copies.push_back({int32_t(v), to});
  }
  solution.strategies = std::move(strategies);
  return solution;
}

void roundCosts(AssignmentProblem &problem) {
  constexpr int kBits = 40;
  double largest = 0;
  auto each = [&](auto change) {
    for (AssignmentValue &value : problem.values)
      for (double *cost :
           {&value.gather, &value.exchange, &value.allReduce, &value.scatter})
        change(*cost);
    for (AssignmentChoice &choice : problem.choices)
      for (AssignmentStrategy &strategy : choice.strategies)
        change(strategy.seconds);
  };
  each([&](double cost) {
    if (std::isfinite(cost))
      largest = std::max(largest, std::abs(cost));
  });
  if (largest == 0)
    return;
  int exponent = std::ilogb(largest) - kBits;
  each([&](double &cost) {
    if (std::isfinite(cost))
      cost = std::ldexp(std::nearbyint(std::ldexp(cost, -exponent)), exponent);
  });
}

void addPrice(AssignmentProblem &problem, const LiveSet &set,
              double secondsPerByte) {
  std::vector<double> bytes(problem.values.size());
  for (const LiveSet::Held &held : set.held) {
    AssignmentValue &value = problem.values[held.value];
    bytes[held.value] += held.bytes;
    double price = secondsPerByte, n = double(problem.shards);
    value.gather += price * held.copyBytes;
    value.exchange += price * held.copyBytes / n;
    value.allReduce += price * held.bytes;
    value.scatter += price * held.bytes / n;
  }
  // The first choice that makes a value pays for it.
  std::vector<int32_t> maker(problem.values.size(), -1);
  for (auto [c, choice] : llvm::enumerate(problem.choices))
    for (AssignmentStrategy &strategy : choice.strategies)
      for (LayoutOfValue own : strategy.makes) {
        int32_t &first = maker[own.value];
        if (first < 0)
          first = int32_t(c);
        if (first == int32_t(c) && own.layout != kPartialLayout)
          strategy.seconds += secondsPerByte * bytes[own.value] *
                              heldPart(own.layout, problem.shards);
      }
}

double liveBytes(const AssignmentProblem &problem, const LiveSet &set,
                 const AssignmentSolution &solution) {
  std::map<int32_t, std::vector<AxisLayout>> copies;
  for (LayoutOfValue copy : solution.copies)
    copies[copy.value].push_back(copy.layout);
  double bytes = 0;
  for (const LiveSet::Held &held : set.held) {
    AxisLayout made = solution.made[held.value];
    if (made != kPartialLayout)
      bytes += held.bytes * heldPart(made, problem.shards);
    auto it = copies.find(held.value);
    if (it == copies.end() || made == kReplicatedLayout)
      continue;
    // Slices of a replicated copy are read from it.
    bool hasReplicated = llvm::is_contained(it->second, kReplicatedLayout);
    double size = made == kPartialLayout ? held.bytes : held.copyBytes;
    for (AxisLayout to : it->second)
      if (!hasReplicated || to < 0)
        bytes += size * heldPart(to, problem.shards);
  }
  return bytes;
}

AssignmentSolution solveAssignment(const AssignmentProblem &problem,
                                   const SolverLimits &limits) {
  ContractedAssignment contracted(problem);
  ProgramWriter writer(contracted.get());
  LinearSolution linear = solve(writer.get(), limits);
  AssignmentSolution solution;
  bool hasRows =
      !problem.liveSets.empty() && problem.limit != LinearProgram::infinity;
  if (linear.hasSolution()) {
    std::vector<int32_t> strategies = writer.read(linear.values);
    if (linear.status == LinearSolution::Status::Feasible && !hasRows)
      improveAssignment(contracted.get(), strategies);
    solution = evaluateAssignment(problem, contracted.expand(strategies));
  } else if (!linear.relaxed.empty() && !hasRows) {
    std::vector<int32_t> strategies = writer.read(linear.relaxed);
    improveAssignment(contracted.get(), strategies);
    solution = evaluateAssignment(problem, contracted.expand(strategies));
    if (solution.seconds < LinearProgram::infinity)
      linear.status = LinearSolution::Status::Feasible;
    else
      solution = AssignmentSolution();
  }
  solution.status = linear.status;
  if (!linear.duals.empty()) {
    solution.bound = linear.bound;
    solution.secondsPerByte = writer.secondsPerByte(linear);
  }
  return solution;
}

} // namespace shardwright
