//===- join_permutes.h - one permute for several ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Permutes that do not wait for each other become one without sending a byte
// more in two ways, which nest: those of equal pairs send their values in one
// message, and those in which no device sends twice or receives twice take
// place at once, each device sending what it sent in its own.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_COMBINE_JOIN_PERMUTES_H
#define SHARDWRIGHT_PARTITION_COMBINE_JOIN_PERMUTES_H

#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardwright {

/// Permutes, some of them joined.
class JoinedPermutes {
public:
  /// In program order; none waits for another.
  explicit JoinedPermutes(
      llvm::ArrayRef<stablehlo::CollectivePermuteOp> permutes);

  /// How many are left.
  int64_t size() const { return roots.size(); }
  /// Replaces those that were joined. New ops, of which the listener hears, are
  /// right before the last one of each, and at the start of the function: uses
  /// may come before them.
  void build(mlir::func::FuncOp func, mlir::OpBuilder::Listener *listener);

private:
  struct Node {
    enum Kind { Leaf, Message, Union } kind = Leaf;
    stablehlo::CollectivePermuteOp op;
    llvm::SmallVector<int32_t, 2> parts;
    /// (source, target), flat.
    llvm::SmallVector<int64_t> pairs;
    mlir::Type element;
    int64_t elements = 0;
    int64_t devices = 0;
    /// Of a leaf, or what all parts send.
    mlir::Value value;
    bool restUnused = false;
    /// The handle of a channel between partitions.
    bool isAcrossPartitions = false;
  };
  using Joinable = llvm::function_ref<bool(const Node &, const Node &)>;

  void join(Node::Kind kind, Joinable joinable);
  bool areDisjoint(const Node &a, const Node &b) const;
  double bytes(const Node &node) const;
  stablehlo::CollectivePermuteOp lastOf(int32_t node) const;

  class Builder;
  std::vector<Node> nodes;
  llvm::SmallVector<int32_t> roots;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_COMBINE_JOIN_PERMUTES_H
