//===- join_permutes.h - merge permutes -------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Independent permutes can be merged without sending more bytes in two ways,
// which nest: permutes of equal pairs send their values in one message, and
// permutes in which no device sends twice or receives twice become one, in
// which each device sends the value of its own permute.
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_COMBINE_JOIN_PERMUTES_H
#define SHARDWRIGHT_PARTITION_COMBINE_JOIN_PERMUTES_H

#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardwright {

/// A set of permutes, some of them merged.
class JoinedPermutes {
public:
  /// Takes permutes in program order; none depends on another. No message made
  /// of several is larger than `mostBytes`.
  explicit JoinedPermutes(
      llvm::ArrayRef<stablehlo::CollectivePermuteOp> permutes,
      double mostBytes);
  JoinedPermutes(const JoinedPermutes &) = delete;

  /// Number of permutes after merging.
  int64_t size() const { return roots.size(); }
  /// Replaces the merged permutes. New ops are inserted right before the last
  /// member of each, and at the start of the function, and reported to the
  /// listener; uses may come before them.
  void build(mlir::func::FuncOp func, mlir::OpBuilder::Listener *listener);

private:
  struct Node {
    enum Kind { Leaf, Message, Union } kind = Leaf;
    stablehlo::CollectivePermuteOp op;
    llvm::SmallVector<int32_t, 2> parts;
    /// (source, target), flat; of an attribute or in `ownPairs`. There are as
    /// many as devices, so nodes share them.
    llvm::ArrayRef<int64_t> pairs;
    mlir::Type element;
    int64_t elements = 0;
    /// The value of a leaf, or the value that all parts send.
    mlir::Value value;
    bool restUnused = false;
    /// True if the channel is between partitions.
    bool isAcrossPartitions = false;
  };
  using Joinable = llvm::function_ref<bool(const Node &, const Node &)>;

  void join(Node::Kind kind, Joinable joinable);
  /// Keeps pairs that no attribute has.
  llvm::ArrayRef<int64_t> own(std::vector<int64_t> pairs);
  bool areDisjoint(const Node &a, const Node &b) const;
  double bytes(const Node &node) const;
  stablehlo::CollectivePermuteOp lastOf(int32_t node) const;

  class Builder;
  std::vector<Node> nodes;
  std::vector<std::vector<int64_t>> ownPairs;
  llvm::SmallVector<int32_t> roots;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_COMBINE_JOIN_PERMUTES_H
