//===- summation.h - blocked summation loops --------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The error of a sequential float sum grows with the number of elements: adding
// 0.1f a million times is off by 1 %. Here one accumulator takes at most some
// hundred elements, and accumulators are summed in the same way, so that the
// error grows with the logarithm of the count (Higham, Accuracy and Stability
// of Numerical Algorithms, section 4.2). The order of the additions depends on
// the sizes alone.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_CODEGEN_SUMMATION_H
#define SHARDWRIGHT_CPU_CODEGEN_SUMMATION_H

#include "shardwright/cpu/codegen/loop_emitter.h"

namespace shardwright::cpu {

/// Number of elements per accumulator, and of accumulators per next
/// accumulator.
inline constexpr int64_t summationBlock = 32;

/// Splits a loop over `count` elements into `depth` nested loops of `fan`
/// iterations around a loop over a block of `size` elements. Depth 0: a single
/// loop.
struct SummationBlocks {
  static SummationBlocks of(int64_t count, int64_t size);

  /// Bounds of the elements of block `number`.
  LoopEmitter::Bounds bounds(llvm::IRBuilder<> &b, llvm::Value *number) const;
  /// Number of the block at iteration `turn` inside block `outer` (null: none).
  llvm::Value *number(llvm::IRBuilder<> &b, llvm::Value *outer,
                      llvm::Value *turn) const;

  int64_t count, size, fan = 1;
  int depth = 0;
  bool mayBeEmpty = false;
};

/// A loop nest that carries accumulators.
class Summation {
public:
  using State = llvm::ArrayRef<llvm::Value *>;
  using Inside = llvm::function_ref<Values(State)>;

  /// `counts`: iterations of each loop, outermost first; the last loop advances
  /// by `step` elements. `fresh`: constant identities of the accumulators, or
  /// empty if the elements must be added sequentially.
  Summation(llvm::IRBuilder<> &b, LoopEmitter &loops, IndexSpace &space,
            llvm::ArrayRef<int64_t> counts, int64_t step, Values fresh)
      : b(b), loops(loops), space(space), counts(counts), step(step),
        fresh(std::move(fresh)) {}

  /// Emits loop number `level` over `range` and calls `inside` in each
  /// iteration; in the last loop, `inside` adds an element.
  using Loop =
      llvm::function_ref<Values(size_t level, const LoopEmitter::Bounds &range,
                                State state, Inside inside)>;
  /// Adds two lists of accumulators.
  using Add = llvm::function_ref<Values(State, State)>;

  /// Returns the final accumulators; there is at least one loop.
  Values emit(State state, Loop loop, Add add);

private:
  Values nest(size_t level, State state);
  Values over(size_t level, const LoopEmitter::Bounds &range, State state);
  Values blocks(size_t level, const SummationBlocks &of, int depth,
                llvm::Value *number, State state);
  int64_t additions(size_t level) const;

  llvm::IRBuilder<> &b;
  LoopEmitter &loops;
  IndexSpace &space;
  llvm::ArrayRef<int64_t> counts;
  int64_t step;
  Values fresh;
  Loop loop = nullptr;
  Add add = nullptr;
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_CODEGEN_SUMMATION_H
