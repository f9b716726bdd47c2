//===- summation.cc - blocked summation loops -----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/codegen/summation.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace shardwright::cpu {

SummationBlocks SummationBlocks::of(int64_t count, int64_t size) {
  SummationBlocks blocks{count, size};
  int64_t wanted = divideCeil(count, size);
  if (wanted <= 1)
    return blocks;
  auto reached = [&] {
    int64_t n = 1;
    for (int i = 0; i < blocks.depth; ++i)
      n *= blocks.fan;
    return n;
  };
  for (blocks.fan = summationBlock; reached() < wanted;)
    ++blocks.depth;
  for (blocks.fan = 2; reached() < wanted;)
    ++blocks.fan;
  blocks.mayBeEmpty = reached() != wanted;
  return blocks;
}

LoopEmitter::Bounds SummationBlocks::bounds(IRBuilder<> &b,
                                            Value *number) const {
  Value *lo = b.CreateMul(number, b.getInt64(size));
  Value *hi = b.CreateBinaryIntrinsic(
      Intrinsic::smin, b.CreateAdd(lo, b.getInt64(size)), b.getInt64(count));
  return {lo, hi, 1, mayBeEmpty, {}};
}

Value *SummationBlocks::number(IRBuilder<> &b, Value *outer,
                               Value *turn) const {
  return outer ? b.CreateAdd(b.CreateMul(outer, b.getInt64(fan)), turn) : turn;
}

// Number of sequential additions from loop `level` inwards.
int64_t Summation::additions(size_t level) const {
  if (level == counts.size())
    return 1;
  int64_t turns = level + 1 < counts.size() ? counts[level]
                                            : divideCeil(counts[level], step);
  return turns * additions(level + 1);
}

Values Summation::emit(State state, Loop emitLoop, Add emitAdd) {
  loop = emitLoop;
  add = emitAdd;
  return nest(0, state);
}

Values Summation::over(size_t level, const LoopEmitter::Bounds &range,
                       State state) {
  return loop(level, range, state, [&](State inner) {
    return level + 1 < counts.size() ? nest(level + 1, inner) : Values(inner);
  });
}

Values Summation::nest(size_t level, State state) {
  LoopEmitter::Bounds whole = loops.bounds(0, counts[level]);
  if (fresh.empty() || additions(level) <= summationBlock)
    return over(level, whole, state);
  int64_t unit = level + 1 < counts.size() ? 1 : step;
  int64_t turns = std::max<int64_t>(1, summationBlock / additions(level + 1));
  auto of = SummationBlocks::of(counts[level], unit * turns);
  if (of.depth == 0)
    return over(level, whole, state);
  return blocks(level, of, of.depth, nullptr, state);
}

Values Summation::blocks(size_t level, const SummationBlocks &of, int depth,
                         Value *number, State state) {
  if (depth == 0)
    return over(level, of.bounds(b, number), state);
  AtomId var = space.variable({0, of.fan - 1});
  return loops.loop(var, loops.bounds(0, of.fan), 1, state, [&](State outer) {
    Value *inner = of.number(b, number, loops.variable(var));
    return add(outer, blocks(level, of, depth - 1, inner, fresh));
  });
}

} // namespace shardwright::cpu
