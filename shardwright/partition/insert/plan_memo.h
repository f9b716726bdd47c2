//===- plan_memo.h - plans of equal ops -------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs repeat their layers. The plan of an op depends on the op (name,
// attributes, types, regions), on the layouts in which its operands exist and
// on the wanted layouts of its results. Ops for which all of these are equal
// share one plan.
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

  /// Starts the lookup of `op`; `add` appends to its key.
  void begin(mlir::Operation *op);
  void add(LayoutRef layout) { words.push_back(uintptr_t(layout)); }
  void add(bool flag) { words.push_back(flag); }
  void add(int64_t number) { words.push_back(uintptr_t(number)); }
  /// The plan with an equal key; null if there is none.
  const OpPlan *find();
  /// Stores the plan for the key of the last `find`.
  const OpPlan *keep(OpPlan plan);
  /// Stores a plan without a key.
  const OpPlan *store(OpPlan plan) {
    return &single.emplace_back(std::move(plan));
  }
  /// Drops the plans without a key.
  void forgetSingle() { single.clear(); }
  /// Number of plans with a key.
  size_t size() const { return entries.size(); }

private:
  struct Entry {
    /// A copy of the op without operands and uses.
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
