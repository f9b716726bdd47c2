//===- plan_memo.h - what was decided of equal ops before -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs repeat their layers. How an op computes follows from the op (name,
// attributes, types, regions) and from layouts: where its operands are at hand
// and where its results are wanted. Ops that are equal in all of that share one
// plan.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_INSERT_PLAN_MEMO_H
#define SHARDWRIGHT_PARTITION_INSERT_PLAN_MEMO_H

#include "shardwright/partition/decide/decide.h"
#include "shardwright/partition/layout/layout.h"

#include "mlir/IR/Operation.h"

#include "llvm/ADT/DenseMap.h"

#include <deque>
#include <optional>

namespace shardwright {

/// How an op computes: an `OpDecision` in layouts.
struct OpPlan {
  /// -1: whole, on every device.
  int32_t mesh = -1;
  /// Of operands that are on other meshes only: the layout to bring them here
  /// in; null for the others.
  llvm::SmallVector<LayoutRef, 2> broughtHere;
  llvm::SmallVector<LayoutRef, 2> operands;
  llvm::SmallVector<LayoutRef, 1> results;
  /// The results are partial until completed, each in its own way.
  bool reduces = false;
  llvm::SmallVector<Completion, 1> completions;
  llvm::SmallVector<LayoutRef, 1> after;
  /// For an observer: see PlanObserver::onPlan.
  std::vector<WeighedWay> ways;
};

class PlanMemo {
public:
  PlanMemo() = default;
  PlanMemo(const PlanMemo &) = delete;
  ~PlanMemo();

  /// Starts a question about `op`, of which `add` says in order what else
  /// counts.
  void begin(mlir::Operation *op);
  void add(LayoutRef layout) { words.push_back(uintptr_t(layout)); }
  void add(bool flag) { words.push_back(flag); }
  void add(int64_t number) { words.push_back(uintptr_t(number)); }
  /// Null if no equal question has an answer.
  const std::optional<OpPlan> *find();
  /// The answer to the question that `find` just failed to answer; none: the op
  /// has no rule. Valid until the next one.
  const std::optional<OpPlan> *keep(std::optional<OpPlan> plan);

private:
  struct Entry {
    /// A copy without operands and uses.
    mlir::Operation *op;
    llvm::SmallVector<uintptr_t, 6> words;
    std::optional<OpPlan> plan;
    /// That has the same hash; null: none.
    Entry *next;
  };

  std::deque<Entry> entries;
  llvm::DenseMap<size_t, Entry *> byHash;
  mlir::Operation *asked = nullptr;
  llvm::SmallVector<uintptr_t> words;
  size_t hash = 0;
  std::optional<OpPlan> single;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_INSERT_PLAN_MEMO_H
