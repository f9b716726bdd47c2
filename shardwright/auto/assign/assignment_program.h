//===- assignment_program.h - an assignment as linear program ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The integer linear program of an assignment problem (assignment.h):
//
//   s(c, w)     choice c takes strategy w; one per choice
//   x(v, l)     value v is made in layout l: the sum of strategies that do so
//   y(v, l)     v is at hand in l, because a strategy needs it so
//   z(v, l, m)  v moves from the layout l in which it is made to m
//
// Only s are integer, and they are the first columns. There is no column for x.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_ASSIGN_ASSIGNMENT_PROGRAM_H
#define SHARDWRIGHT_AUTO_ASSIGN_ASSIGNMENT_PROGRAM_H

#include "shardwright/auto/assign/assignment.h"

#include <map>

namespace shardwright {

class AssignmentProgram {
public:
  enum class Form : uint8_t {
    /// With live sets. Each y and z has a column.
    Full,
    /// Without live sets: has the same solutions, also of the relaxation, with
    /// about half of the rows. y has a column only if several rows read it. z
    /// from all dimensions are one column, which is limited to their x only if
    /// it is cheaper than another move.
    Short,
  };

  /// `problem` must outlive the program.
  AssignmentProgram(const AssignmentProblem &problem, Form form);

  const LinearProgram &get() const { return program; }
  /// By choice: the strategy of the largest value.
  std::vector<int32_t> read(const std::vector<double> &solution) const;
  /// AssignmentSolution::secondsPerByte.
  std::vector<double> secondsPerByte(const LinearSolution &solution) const;

private:
  using Columns = std::vector<int32_t>;

  int32_t addColumn(double cost, bool isInteger);
  void writeChoices();

  // The short form.
  void readNeeds();
  void writeSupplies(int32_t value);
  /// Writes that a value is at hand in the layout `to` for each list of columns
  /// that needs it so. `copy`: y of the replicated layout, or -1.
  void writeSupply(int32_t value, AxisLayout to, llvm::ArrayRef<Columns> needed,
                   int32_t copy);
  void addMoves(int32_t value, AxisLayout to, Columns &supply);
  void noteMoves(int32_t value);
  void keepUnit();
  bool mayMoveThroughCopy(int32_t value, AxisLayout to) const;
  void addAtMost(llvm::ArrayRef<int32_t> columns,
                 llvm::ArrayRef<int32_t> atMost);

  // The full form.
  int32_t handColumn(int32_t value, AxisLayout layout);
  void writeNeeds();
  void writeMoves(size_t v);
  void writeLiveSets();

  const AssignmentProblem &problem;
  LinearProgram program;
  /// By choice: the column of the first strategy.
  std::vector<int32_t> first;
  /// By value and layout: the columns of strategies that make it so.
  std::vector<std::map<AxisLayout, Columns>> made;

  /// Short: by value and layout, and by choice that needs it so, the columns of
  /// the strategies that do.
  std::vector<std::map<AxisLayout, std::vector<Columns>>> needs;
  /// Short: seconds of the slowest move of the full form.
  double slowestMove = 0;

  /// Full: by value and layout, y.
  std::vector<std::map<AxisLayout, int32_t>> hand;
  /// Full: by value, from and to, z.
  std::vector<std::map<std::pair<AxisLayout, AxisLayout>, int32_t>> moves;
  size_t firstLiveRow = 0;
};

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_ASSIGN_ASSIGNMENT_PROGRAM_H
