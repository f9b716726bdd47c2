//===- kernel_index.h - element indices inside a kernel ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal to block_steps.h: the index at which a kernel evaluates a value, as
// a function of its loops. Equal indices have equal numbers; the opposite need
// not hold.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OVERLAP_KERNEL_INDEX_H
#define SHARDWRIGHT_PARTITION_OVERLAP_KERNEL_INDEX_H

#include "shardwright/partition/overlap/kernel_nodes.h"

#include <map>

namespace shardwright {

using KernelShape = llvm::SmallVector<int64_t, 4>;

KernelShape withoutOnes(llvm::ArrayRef<int64_t> shape);
/// The sizes of the reduced dimensions of a reduction, without those of 1.
KernelShape reducedSizes(const KernelNode &reduce);

class KernelIndices {
public:
  using Index = int32_t;

  /// Starts a kernel with loops of these sizes, outermost first.
  void reset(llvm::ArrayRef<int64_t> loops);
  void addInnerLoops(llvm::ArrayRef<int64_t> sizes);

  /// Each dimension but those of size 1 runs with one loop, from `first` on.
  Index alongLoops(size_t first, size_t count);
  /// The index of a scalar.
  Index scalar() { return intern({}); }
  /// The index of an operand if the node is evaluated at `at`.
  Index ofOperand(const KernelNodes &graph, int32_t node, size_t operand,
                  Index at);
  /// The input of a reduction: `reduced` are the loops of reduced dimensions.
  Index ofReduced(const KernelNodes &graph, int32_t node, Index at,
                  llvm::ArrayRef<int32_t> reduced);

  /// Iterations of the loops down to the innermost one on which it depends.
  double iterations(Index index) const;
  /// `index` or a reshape of it.
  bool isReshapeOf(Index index, Index of) const;

private:
  /// A loop, or a number of `derived` below 0.
  using Entry = int32_t;
  struct Info {
    /// By dimension whose size is not 1.
    llvm::SmallVector<Entry, 4> entries;
    /// Of a reshape: the index that it reshapes, and the shape before.
    Index base = -1;
    KernelShape baseShape;
  };

  Index intern(llvm::ArrayRef<Entry> entries);
  /// An entry that depends on others in a way that only the key tells.
  Entry derive(llvm::ArrayRef<int64_t> key, int32_t depth);
  int32_t depthOf(Entry entry) const {
    return entry >= 0 ? entry : depths[size_t(-entry - 1)];
  }
  int32_t depthOf(const Info &info) const;
  Index reshape(Index at, llvm::ArrayRef<int64_t> from,
                llvm::ArrayRef<int64_t> to);
  Index moved(const KernelNodes &graph, int32_t node, size_t operand, Index at);

  KernelShape loops;
  std::vector<Info> infos;
  std::map<llvm::SmallVector<Entry, 4>, Index> known;
  std::map<std::pair<Index, KernelShape>, Index> reshapes;
  std::map<llvm::SmallVector<int64_t, 4>, Entry> derived;
  std::vector<int32_t> depths;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OVERLAP_KERNEL_INDEX_H
