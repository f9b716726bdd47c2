//===- summation.h - loops that add up many elements ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum of floats taken one element after the other is off by as many roundings
// as it has elements: a million times 0.1f by 1 %. Here no accumulator takes
// more than some hundred elements; accumulators are added up in the same way,
// so that the error grows with the logarithm of the count (Higham, Accuracy and
// Stability of Numerical Algorithms, section 4.2). The order depends on the
// sizes alone.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_CODEGEN_SUMMATION_H
#define SHARDWRIGHT_CPU_CODEGEN_SUMMATION_H

#include "shardwright/cpu/codegen/loop_emitter.h"

namespace shardwright::cpu {

/// How many elements one accumulator takes, and how many of those another.
inline constexpr int64_t summationBlock = 32;

/// A loop over `count` elements as `depth` loops of `fan` turns around one over
/// a block of `size` elements; depth 0: one loop will do.
struct SummationBlocks {
  static SummationBlocks of(int64_t count, int64_t size);

  /// Of the block `number`.
  LoopEmitter::Bounds bounds(llvm::IRBuilder<> &b, llvm::Value *number) const;
  /// The number of a block in a loop inside of the block `outer`, if there is.
  llvm::Value *number(llvm::IRBuilder<> &b, llvm::Value *outer,
                      llvm::Value *turn) const;

  int64_t count, size, fan = 1;
  int depth = 0;
  bool mayBeEmpty = false;
};

/// A nest of loops that carries accumulators.
class Summation {
public:
  using State = llvm::ArrayRef<llvm::Value *>;
  using Inside = llvm::function_ref<Values(State)>;

  /// `counts` of each loop, outermost first; the last goes in turns of `step`
  /// elements. `fresh`: accumulators of nothing, constants, or none where the
  /// elements are to be taken one after the other.
  Summation(llvm::IRBuilder<> &b, LoopEmitter &loops, IndexSpace &space,
            llvm::ArrayRef<int64_t> counts, int64_t step, Values fresh)
      : b(b), loops(loops), space(space), counts(counts), step(step),
        fresh(std::move(fresh)) {}

  /// Emits loop number `level` over `range` and calls `inside` in each turn,
  /// the last loop what adds an element.
  using Loop =
      llvm::function_ref<Values(size_t level, const LoopEmitter::Bounds &range,
                                State state, Inside inside)>;
  /// Adds two lists of accumulators.
  using Add = llvm::function_ref<Values(State, State)>;

  /// The accumulators after all; there is at least one loop.
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
