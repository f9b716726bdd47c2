//===- op_index.h - the ops of a module by name -----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most passes around propagation work on few ops of a module. This analysis
// sorts all ops by name in one walk, and passes that keep it valid preserve it:
// several passes share one walk. (In a module that is larger than the caches,
// an empty walk costs as much as a pass.)
//
// A pass may preserve the index if later passes look up none of the ops that it
// adds, and if it calls `forget` for the names of ops that it erases.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_INDEX_OP_INDEX_H
#define SHARDWRIGHT_PROPAGATE_INDEX_OP_INDEX_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/AnalysisManager.h"
#include "llvm/ADT/MapVector.h"

#include <vector>

namespace shardwright {

template <typename... Ops>
inline constexpr auto isNamed = [](mlir::OperationName name) {
  return ((name.getTypeID() == mlir::TypeID::get<Ops>()) || ...);
};

/// True if the op implements ShardableDataFlowOpInterface.
bool hasDataFlow(mlir::OperationName name);

class OpIndex {
public:
  using NamePredicate = llvm::function_ref<bool(mlir::OperationName)>;
  using Ops = llvm::SmallVector<mlir::Operation *, 0>;

  /// Indexes the ops of a module or a function.
  explicit OpIndex(mlir::Operation *root);

  /// False if the module has no such op. May be true for forgotten names.
  bool has(NamePredicate wanted) const;
  /// In pre-order.
  Ops inOrder(NamePredicate wanted) const;
  /// In post-order.
  Ops postOrder(NamePredicate wanted) const;
  /// The top-level ops of the root, in order.
  llvm::ArrayRef<mlir::Operation *> topLevel() const { return top; }
  /// A top-level function, and the range of its ops in a list.
  struct InFunction {
    mlir::func::FuncOp func;
    int32_t begin, end;
  };
  /// For every function, in order, its range in `ops`, which is set to
  /// inOrder(wanted).
  llvm::SmallVector<InFunction, 0> byFunction(NamePredicate wanted,
                                              Ops &ops) const;
  /// The ops of postOrder(wanted) in `func`, a function of the module or the
  /// root.
  Ops inFunction(mlir::func::FuncOp func, NamePredicate wanted) const;
  /// Number of ops in `func`, including itself; 0: it is new.
  size_t sizeOf(mlir::func::FuncOp func) const {
    auto [begin, end] = rangeOf.lookup(func);
    return end - begin;
  }
  /// Ops with one operand and one result, in order.
  llvm::ArrayRef<mlir::Operation *> unary() const { return unaryOps; }
  /// All distinct dictionaries of discardable attributes.
  llvm::ArrayRef<mlir::DictionaryAttr> dictionaries() const { return dicts; }

  void forget(NamePredicate erased);
  void forgetUnary() { unaryOps.clear(); }
  /// Forgets everything except dictionaries().
  void forgetOps();

private:
  struct Entry {
    mlir::Operation *op;
    /// Index in pre-order; one past the last nested op.
    int32_t index, end;
  };
  using Entries = std::vector<Entry>;

  void visit(mlir::Operation *op);
  void addDictionary(mlir::Operation *op);
  Entries collect(NamePredicate wanted) const;
  static Ops postOrder(Entries all);

  llvm::MapVector<mlir::OperationName, Entries> ops;
  Ops unaryOps, top;
  /// The functions among `top`.
  Entries functions;
  llvm::SmallVector<mlir::DictionaryAttr> dicts;
  llvm::DenseSet<mlir::DictionaryAttr> seen;
  mlir::DictionaryAttr emptyDict, lastDict;
  int32_t count = 0;
  llvm::DenseMap<mlir::Operation *, std::pair<int32_t, int32_t>> rangeOf;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_INDEX_OP_INDEX_H
