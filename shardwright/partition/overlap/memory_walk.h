//===- memory_walk.h - buffers of a program's values ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal to peak_memory.h: assigns a buffer to each value in memory, as a
// backend does that writes results of blocks directly into the buffers of
// loops, branches and callers, and updates in place what is not read again.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OVERLAP_MEMORY_WALK_H
#define SHARDWRIGHT_PARTITION_OVERLAP_MEMORY_WALK_H

#include "shardwright/partition/overlap/block_steps.h"
#include "shardwright/partition/overlap/memory_timeline.h"
#include "shardwright/partition/overlap/peak_memory.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

#include <deque>
#include <memory>

namespace shardwright {

/// The functions of a module, and what each call of one needs.
struct CalledFunctions {
  llvm::StringMap<mlir::func::FuncOp> functions;
  /// Peaks of the values inside; null while the function is being walked.
  llvm::StringMap<std::unique_ptr<PredictedPeak>> peaks;
};

class MemoryWalk {
public:
  explicit MemoryWalk(CalledFunctions &called) : called(called) {}

  /// Walks the function. Must be called once.
  void run(mlir::func::FuncOp func);

  using Buffer = MemoryTimeline::Buffer;
  static constexpr Buffer none = -1;

  struct BufferInfo {
    mlir::Value value; ///< that is written first
    MemoryClass kind = MemoryClass::Temporary;
    int64_t bytes = 0;
    int64_t index = -1;
    /// Of a call: the values alive in the callee.
    const PredictedPeak *callee = nullptr;
  };

  MemoryTimeline timeline;
  std::vector<BufferInfo> buffers;
  /// The op at each moment.
  std::vector<mlir::Operation *> ops;
  /// By argument and by result of the function.
  std::vector<Buffer> arguments, results;
  /// Pairs of an argument and a result: a step reads the one otherwise than
  /// element by element for what it writes to the other.
  llvm::DenseSet<std::pair<Buffer, Buffer>> conflicts;

private:
  /// A value, in the block that defines it.
  struct ValueInfo {
    Buffer buffer = none;
    /// The buffer to which it should be written.
    Buffer destination = none;
    /// The value whose memory it is.
    mlir::Value viewOf;
    /// Steps of the block: that write it, and read it last; number of reads.
    int32_t maker = -1, lastRead = -1, reads = 0;
  };
  /// The buffer that should hold a block's result. A loop's holds `liveIn`
  /// until the last read of that.
  struct Destination {
    Buffer buffer = none;
    mlir::Value liveIn;
  };
  struct Frame {
    mlir::Block &block;
    /// The block's arguments may be overwritten when they are not read again.
    bool ownsArguments;
    std::vector<BlockStep> steps;
    llvm::DenseSet<Buffer> destinations;
  };

  ValueInfo &info(mlir::Value value);
  mlir::Value root(mlir::Value value);
  Buffer bufferOf(mlir::Value value) { return info(root(value)).buffer; }
  Buffer addBuffer(mlir::Value value, MemoryClass kind, int64_t index = -1);
  Buffer addScratch(const BlockStep &step);
  Buffer target(mlir::Value value);
  void advance(mlir::Operation *op);
  void use(Buffer buffer);
  void copy(Buffer from, Buffer to, mlir::Operation *op);
  void noteConflicts(const BlockStep &step);

  /// Returns the buffers of the terminator's operands.
  std::vector<Buffer> walkBlock(mlir::Block &block,
                                llvm::ArrayRef<Destination> destinations,
                                bool ownsArguments);
  void findReads(Frame &frame);
  void findViews(const BlockStep &step);
  bool assign(Frame &frame, mlir::Value value, const Destination &to);
  void planLoops(Frame &frame);
  bool mayOverwrite(Frame &frame, int32_t number, int32_t input);
  void walkKernel(Frame &frame, int32_t number);
  void walkOp(const BlockStep &step);
  void walkLoop(const BlockStep &step);
  void walkBranches(const BlockStep &step);
  void walkCall(const BlockStep &step);

  CalledFunctions &called;
  llvm::DenseMap<mlir::Value, ValueInfo *> infos;
  std::deque<ValueInfo> storage;
};

/// The peak of the buffers that are counted.
PredictedPeak peakOf(const MemoryWalk &walk);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OVERLAP_MEMORY_WALK_H
