//===- op_emitter.h - scalar operations as LLVM IR --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits one element of an elementwise operation, for scalars or vectors. The
// semantics are XLA's on CPU: integers wrap, division by zero and oversized
// shifts are defined, maximum and minimum propagate NaN, conversions to
// integers saturate.
//
// In registers an integer is as wide as its type (i1, i4, ...). A float
// narrower than f32 is an f32 rounded to its type: each operation computes in
// f32 and rounds its result once. A complex number is a pair
// (register_value.h). In memory, types under 8 bits occupy a byte.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_OPS_OP_EMITTER_H
#define SHARDWRIGHT_CPU_OPS_OP_EMITTER_H

#include "shardwright/cpu/graph/kernel_graph.h"
#include "shardwright/cpu/ops/math_emitter.h"
#include "shardwright/cpu/ops/register_value.h"

namespace shardwright::cpu {

class OpEmitter {
public:
  OpEmitter(llvm::IRBuilder<> &b, bool lanes512) : b(b), math(b, lanes512) {}

  /// Types of one element in a register and in memory.
  llvm::Type *registerType(ElementType type);
  llvm::Type *memoryType(ElementType type);
  /// Converts between register and memory type; scalar or vector.
  llvm::Value *fromMemory(llvm::Value *x, ElementType type);
  llvm::Value *toMemory(llvm::Value *x, ElementType type);

  /// The element with the bits `bits`, and `highBits` from bit 64 on.
  llvm::Constant *constant(uint64_t bits, ElementType type,
                           uint64_t highBits = 0);
  /// `node` is elementwise. `args` are all scalars or all vectors with equal
  /// lanes. `argType` is the element type of the (last) operand.
  llvm::Value *elementwise(const Node &node, ElementType argType,
                           llvm::ArrayRef<llvm::Value *> args);
  llvm::Value *convert(llvm::Value *x, ElementType from, ElementType to);
  llvm::Value *binary(Op op, ElementType type, llvm::Value *x, llvm::Value *y);
  /// The identity element of the operation: x op identity is x.
  llvm::Value *identity(Op op, ElementType type);
  llvm::Value *compare(Direction direction, bool totalOrder, ElementType type,
                       llvm::Value *x, llvm::Value *y);
  /// The bits of x as an integer of the type's memory width, and back.
  llvm::Value *toBits(llvm::Value *x, ElementType type);
  llvm::Value *fromBits(llvm::Value *x, ElementType type);
  llvm::Value *evaluate(const Body &body, llvm::ArrayRef<llvm::Value *> args,
                        llvm::SmallVectorImpl<llvm::Value *> &results);

private:
  llvm::Value *unary(const Node &node, ElementType argType, llvm::Value *x);
  llvm::Value *integerBinary(Op op, ElementType type, llvm::Value *x,
                             llvm::Value *y);
  llvm::Value *floatBinary(Op op, ElementType type, llvm::Value *x,
                           llvm::Value *y);
  llvm::Value *integerPower(ElementType type, llvm::Value *x, llvm::Value *y);
  llvm::Value *reducePrecision(llvm::Value *x, int exponentBits,
                               int mantissaBits);
  /// Rounds the f32 x to `type` if that is narrower.
  llvm::Value *round(llvm::Value *x, ElementType type);
  /// Conversions of floats of 4 to 8 bits (tiny_float_emitter.cc).
  llvm::Value *roundTiny(llvm::Value *x, ElementType type);
  llvm::Value *encodeTiny(llvm::Value *x, ElementType type);
  llvm::Value *decodeTiny(llvm::Value *x, ElementType type);
  /// complex_emitter.cc
  llvm::Value *complexUnary(const Node &node, ElementType argType,
                            llvm::Value *x);
  llvm::Value *complexBinary(Op op, llvm::Value *x, llvm::Value *y);
  llvm::Value *complexCompare(Direction direction, llvm::Value *x,
                              llvm::Value *y);
  llvm::Value *complexAbs(llvm::Value *x);
  llvm::Value *complexCall(Op op, llvm::ArrayRef<llvm::Value *> args);

  llvm::IRBuilder<> &b;
  MathEmitter math;
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_OPS_OP_EMITTER_H
