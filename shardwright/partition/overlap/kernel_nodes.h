//===- kernel_nodes.h - the ops of a block as nodes -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal to block_steps.h: the ops of a block, with what fusion needs to know
// of each.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OVERLAP_KERNEL_NODES_H
#define SHARDWRIGHT_PARTITION_OVERLAP_KERNEL_NODES_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace shardwright {

struct KernelNode {
  enum class Kind : uint8_t {
    External, ///< argument, value from outside, array of constants
    Leaf,     ///< splat or iota
    Alone,    ///< an op that no kernel computes
    Result,   ///< another result of its operand than the first
    View,     ///< an op whose result is its operand
    // The rest may be computed by kernels.
    Pointwise,
    Broadcast,
    Reshape,
    Transpose,
    Slice,
    Reverse,
    Pad,
    Concat,
    Bitcast,
    DynamicSlice,
    Gather,
    Reduce,
    Window,
    RunningSum, ///< a window over all elements before or after
    // With others only as the last op.
    Update,
    Piece, ///< of a concatenation that is written piece by piece
    Scatter,
    Sort,
  };
  Kind kind = Kind::External;
  mlir::Operation *op = nullptr; ///< null for arguments and outside values
  /// Nodes that it reads. Control flow: the operands, then what its regions
  /// capture. Piece: the piece before, or -1, then the operand.
  llvm::SmallVector<int32_t, 3> operands;
  mlir::Value value;             ///< the first result
  llvm::ArrayRef<int64_t> shape; ///< of the value; of a piece its own
  int64_t elements = 1;          ///< likewise
  int32_t cost = 0;              ///< additions for each element
  /// So cheap that each kernel which needs it computes it again.
  bool isCheap = false;
  /// Runs even if nothing uses it.
  bool isOrdered = false;
  /// Bytes that it needs only while it runs.
  int64_t scratchBytes = 0;

  bool mayRunInKernel() const { return kind >= Kind::Pointwise; }
};

struct KernelNodes {
  /// Operands come before their users.
  std::vector<KernelNode> nodes;
  /// Nodes of the terminator's operands; -1 for values without memory.
  llvm::SmallVector<int32_t, 4> returned;
};

KernelNodes readKernelNodes(mlir::Block &block);

/// True if the node's value is memory of its operand, at some offset.
bool isViewNode(const KernelNodes &graph, int32_t id);
/// True if it changes which dimension is the innermost, or strides over it.
bool changesInnermost(const KernelNodes &graph, int32_t id);
/// Of a reduction: the reduced dimensions are the last ones, or include the
/// last one. Dimensions of size 1 do not count.
bool reducesLast(const KernelNodes &graph, const KernelNode &reduce);
bool reducesInnermost(const KernelNodes &graph, const KernelNode &reduce);
llvm::ArrayRef<int64_t> reducedDimensions(const KernelNode &reduce);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OVERLAP_KERNEL_NODES_H
