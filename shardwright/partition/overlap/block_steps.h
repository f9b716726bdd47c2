//===- block_steps.h - what a backend runs for a block ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps in which a backend that fuses runs the ops of a block: kernels,
// which compute several ops in one loop nest, and single ops. Values between
// the ops of a kernel need no memory.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OVERLAP_BLOCK_STEPS_H
#define SHARDWRIGHT_PARTITION_OVERLAP_BLOCK_STEPS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace shardwright {

struct BlockStep {
  enum class Kind : uint8_t {
    Kernel, ///< computes its outputs from its inputs
    View,   ///< the output is the memory of the input, or a part of it
    Op,     ///< an op that no kernel computes: a collective, a loop
  };
  Kind kind = Kind::Op;
  /// The op; the last one of a kernel.
  mlir::Operation *op = nullptr;
  /// Values in memory. Control flow also reads the values that its regions
  /// capture. Without constants. Several steps may write one output, a piece
  /// each.
  llvm::SmallVector<mlir::Value, 4> inputs, outputs;
  /// By output of a kernel: the input that it updates in place, or -1.
  llvm::SmallVector<int32_t, 2> updated;
  /// By input of a kernel: whether each element is read only for the same
  /// element of the outputs, so that an output may replace it.
  llvm::SmallVector<bool, 4> isPointwise;
  /// Bytes that it needs only while it runs.
  int64_t scratchBytes = 0;
};

/// The steps in their order of execution; ops without users take none. Linear
/// in the number of ops.
std::vector<BlockStep> stepsOfBlock(mlir::Block &block);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OVERLAP_BLOCK_STEPS_H
