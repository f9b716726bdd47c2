//===- contract_assignment.h - a smaller equal problem ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most ops follow: a value that one choice makes and one choice needs is no
// decision of its own. The two choices become one, whose strategies are the
// pairs of theirs with the move between; dominated pairs are dropped. The
// optimum stays. Values of live sets stay, so that their bytes are counted.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_ASSIGN_CONTRACT_ASSIGNMENT_H
#define SHARDWRIGHT_AUTO_ASSIGN_CONTRACT_ASSIGNMENT_H

#include "shardwright/auto/assign/assignment.h"

namespace shardwright {

class ContractedAssignment {
public:
  explicit ContractedAssignment(const AssignmentProblem &problem);

  /// Has the values of the problem, of which some are not needed any more.
  const AssignmentProblem &get() const { return contracted; }
  /// Strategies of the problem from those of the contracted one.
  std::vector<int32_t> expand(const std::vector<int32_t> &strategies) const;

private:
  struct Composed {
    AssignmentStrategy strategy;
    /// The node that says which strategies of the problem it consists of.
    int32_t node = 0;
  };
  using List = std::vector<Composed>;
  /// A strategy `b` of choice `a`, or what two nodes consist of.
  struct Node {
    int32_t a = 0, b = 0;
    bool isStrategy = false;
  };

  void readUses();
  bool contract(int32_t value);
  /// Adds moves of the value to strategies that make and need it, which do so
  /// no more.
  static void settle(List &list, int32_t value, const AssignmentValue &moves);
  static void dropDominated(List &list);
  int32_t find(int32_t choice);

  const AssignmentProblem &problem;
  AssignmentProblem contracted;
  std::vector<List> lists;
  std::vector<Node> nodes;
  /// By choice: the one into which it went.
  std::vector<int32_t> parent;
  /// By value: choices that make and need it, which may repeat.
  std::vector<std::vector<int32_t>> makers, users;
  /// By value: it may be contracted; it has been.
  std::vector<bool> isFree, isGone;
  /// By choice of the contracted problem: its index in `lists`.
  std::vector<int32_t> kept;
};

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_ASSIGN_CONTRACT_ASSIGNMENT_H
