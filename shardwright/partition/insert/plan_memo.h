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

#include "shardwright/partition/insert/layout_plan.h"

#include <deque>

namespace shardwright {

/// Owns the plans that it returns.
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
  const OpPlan *find();
  /// Keeps the answer to the question that `find` just failed to answer.
  const OpPlan *keep(OpPlan plan);
  /// Keeps a plan that answers no question.
  const OpPlan *store(OpPlan plan) {
    return &single.emplace_back(std::move(plan));
  }

private:
  struct Entry {
    /// A copy without operands and uses.
    mlir::Operation *op;
    llvm::SmallVector<uintptr_t, 6> words;
    OpPlan plan;
    /// The next entry with the same hash, or null.
    Entry *next;
  };

  std::deque<Entry> entries;
  llvm::DenseMap<size_t, Entry *> byHash;
  mlir::Operation *asked = nullptr;
  llvm::SmallVector<uintptr_t> words;
  size_t hash = 0;
  std::deque<OpPlan> single;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_INSERT_PLAN_MEMO_H
