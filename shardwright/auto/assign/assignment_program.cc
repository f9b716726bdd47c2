//===- assignment_program.cc - an assignment as linear program ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/assign/assignment_program.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

namespace shardwright {

/// A value that more choices need in one layout has a column y for it: instead
/// of a row of supply for each of them, one.
constexpr size_t kMostSupplyRows = 4;

AssignmentProgram::AssignmentProgram(const AssignmentProblem &problem,
                                     Form form)
    : problem(problem), made(problem.values.size()) {
  writeChoices();
  if (form == Form::Short) {
    readNeeds();
    for (size_t v = 0; v < problem.values.size(); ++v)
      writeSupplies(int32_t(v));
    keepUnit();
    return;
  }
  hand.resize(problem.values.size());
  moves.resize(problem.values.size());
  writeNeeds();
  for (size_t v = 0; v < problem.values.size(); ++v)
    writeMoves(v);
  writeLiveSets();
}

int32_t AssignmentProgram::addColumn(double cost, bool isInteger) {
  // All are at most 1, which the rows imply for those that are not integer.
  program.columns.push_back({cost, 0, 1, isInteger});
  return int32_t(program.columns.size()) - 1;
}

int32_t AssignmentProgram::handColumn(int32_t value, AxisLayout layout) {
  auto [it, isNew] = hand[value].try_emplace(layout, -1);
  if (isNew)
    it->second = addColumn(0, false);
  return it->second;
}

void AssignmentProgram::writeChoices() {
  std::vector<int32_t> maker(problem.values.size(), -1);
  for (auto [c, choice] : llvm::enumerate(problem.choices)) {
    first.push_back(int32_t(program.columns.size()));
    LinearProgram::Row one{1, 1, {}};
    std::map<LayoutOfValue, Columns> makes;
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
    std::map<int32_t, std::map<AxisLayout, Columns>> others;
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

//===--- the short form ---------------------------------------------------===//

void AssignmentProgram::readNeeds() {
  needs.resize(problem.values.size());
  for (auto [c, choice] : llvm::enumerate(problem.choices)) {
    std::map<LayoutOfValue, Columns> own;
    for (auto [w, strategy] : llvm::enumerate(choice.strategies))
      for (LayoutOfValue need : strategy.needs) {
        Columns &columns = own[need];
        int32_t column = first[c] + int32_t(w);
        if (columns.empty() || columns.back() != column)
          columns.push_back(column);
      }
    for (auto &[need, columns] : own)
      needs[need.value][need.layout].push_back(std::move(columns));
  }
}

/// True if a replicated copy, made from any layout, may cost less than a move
/// to `to`.
bool AssignmentProgram::mayMoveThroughCopy(int32_t value, AxisLayout to) const {
  double direct = 0, copy = LinearProgram::infinity;
  for (auto &[from, columns] : made[value]) {
    if (from == kReplicatedLayout)
      continue;
    const AssignmentValue &costs = problem.values[value];
    direct = std::max(direct, costs.moveSeconds(from, to));
    copy = std::min(copy, costs.moveSeconds(from, kReplicatedLayout));
  }
  return copy < direct;
}

void AssignmentProgram::noteMoves(int32_t value) {
  if (needs[value].empty())
    return;
  auto note = [&](AxisLayout to) {
    for (auto &[from, columns] : made[value])
      if (double seconds = problem.values[value].moveSeconds(from, to);
          seconds < LinearProgram::infinity)
        slowestMove = std::max(slowestMove, seconds);
  };
  note(kReplicatedLayout);
  for (auto &[to, needed] : needs[value])
    note(to);
}

/// The solver breaks ties by a part of the largest cost, which is that of the
/// full form.
void AssignmentProgram::keepUnit() {
  double largest = 0;
  for (const LinearProgram::Column &column : program.columns)
    largest = std::max(largest, std::abs(column.cost));
  if (slowestMove > largest)
    program.columns.push_back({slowestMove, 0, 0, false});
}

void AssignmentProgram::writeSupplies(int32_t value) {
  noteMoves(value);
  std::map<AxisLayout, std::vector<Columns>> &wanted = needs[value];
  // Layouts that are at hand however the value is made need no rows.
  std::erase_if(wanted, [&](const auto &need) {
    return llvm::all_of(made[value], [&](const auto &own) {
      return own.first == need.first ||
             (need.first >= 0 && own.first == kReplicatedLayout);
    });
  });
  // A replicated copy gives slices. One slice alone does not need it if it is
  // not cheaper to move through it.
  llvm::SmallVector<AxisLayout, 4> slices;
  for (auto &[to, needed] : wanted)
    if (to >= 0)
      slices.push_back(to);
  int32_t copy = -1;
  if (slices.size() > 1 ||
      (slices.size() == 1 && (wanted.count(kReplicatedLayout) ||
                              mayMoveThroughCopy(value, slices.front())))) {
    copy = addColumn(0, false);
    wanted.try_emplace(kReplicatedLayout);
  }
  for (auto &[to, needed] : wanted)
    writeSupply(value, to, needed, copy);
}

/// Adds a row: the one columns are at most the others. A column may be on both
/// sides.
void AssignmentProgram::addAtMost(llvm::ArrayRef<int32_t> columns,
                                  llvm::ArrayRef<int32_t> atMost) {
  std::map<int32_t, double> entries;
  for (int32_t column : columns)
    entries[column] += 1;
  for (int32_t column : atMost)
    entries[column] -= 1;
  LinearProgram::Row row{-LinearProgram::infinity, 0, {}};
  for (auto [column, times] : entries)
    if (times != 0)
      row.entries.push_back({column, times});
  program.rows.push_back(std::move(row));
}

void AssignmentProgram::writeSupply(int32_t value, AxisLayout to,
                                    llvm::ArrayRef<Columns> needed,
                                    int32_t copy) {
  Columns supply;
  if (to >= 0 && copy >= 0)
    supply.push_back(copy);
  for (auto &[from, columns] : made[value])
    if (from == to || (to >= 0 && from == kReplicatedLayout && copy < 0))
      llvm::append_range(supply, columns);
  addMoves(value, to, supply);
  int32_t atHand = to == kReplicatedLayout ? copy : -1;
  if (atHand < 0 && needed.size() > kMostSupplyRows)
    atHand = addColumn(0, false);
  for (const Columns &columns : needed)
    addAtMost(columns,
              atHand < 0 ? llvm::ArrayRef(supply) : llvm::ArrayRef(atHand));
  if (atHand >= 0)
    addAtMost(atHand, supply);
}

void AssignmentProgram::addMoves(int32_t value, AxisLayout to,
                                 Columns &supply) {
  // Moves from all dimensions cost the same.
  struct Source {
    Columns columns;
    double seconds = LinearProgram::infinity;
  };
  Source sources[2];
  for (auto &[from, columns] : made[value]) {
    if (from == to || from == kReplicatedLayout)
      continue;
    Source &source = sources[from == kPartialLayout];
    llvm::append_range(source.columns, columns);
    source.seconds = problem.values[value].moveSeconds(from, to);
  }
  for (auto [i, source] : llvm::enumerate(sources)) {
    if (source.seconds == LinearProgram::infinity)
      continue;
    int32_t move = addColumn(source.seconds, false);
    supply.push_back(move);
    // The cheaper move is not taken for the other. The sum of both needs no
    // limit: what needs the value is at most 1.
    const Source &other = sources[1 - i];
    if (!other.columns.empty() && source.seconds < other.seconds)
      addAtMost(move, source.columns);
  }
}

//===--- the full form ----------------------------------------------------===//

void AssignmentProgram::writeNeeds() {
  for (auto [c, choice] : llvm::enumerate(problem.choices)) {
    std::map<LayoutOfValue, Columns> needs;
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

void AssignmentProgram::writeMoves(size_t v) {
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

void AssignmentProgram::writeLiveSets() {
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

//===--- its solution -----------------------------------------------------===//

std::vector<int32_t>
AssignmentProgram::read(const std::vector<double> &solution) const {
  std::vector<int32_t> strategies;
  for (auto [c, choice] : llvm::enumerate(problem.choices)) {
    const double *values = solution.data() + first[c];
    strategies.push_back(int32_t(
        std::max_element(values, values + choice.strategies.size()) - values));
  }
  return strategies;
}

std::vector<double>
AssignmentProgram::secondsPerByte(const LinearSolution &solution) const {
  std::vector<double> prices;
  if (!solution.duals.empty())
    for (size_t r = firstLiveRow; r < program.rows.size(); ++r)
      prices.push_back(std::max(-solution.duals[r] / problem.limit, 0.0));
  return prices;
}

} // namespace shardwright
