//===- accumulation.h - accumulators of reductions --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_CODEGEN_ACCUMULATION_H
#define SHARDWRIGHT_CPU_CODEGEN_ACCUMULATION_H

#include "shardwright/cpu/ops/op_emitter.h"
#include "shardwright/cpu/plan/kernel_plan.h"

namespace shardwright::cpu {

/// The accumulator type: f32 for narrower floats, else the type itself.
inline ElementType accumulatorType(ElementType type) {
  return isFloat(type) && byteWidth(type) < 4 ? ElementType::F32 : type;
}

/// True if the rounding error of a long reduction grows with its length, so
/// that blocked summation (summation.h) reduces it.
inline bool errorGrows(Op op, ElementType accumulator) {
  return (op == Op::Add || op == Op::Multiply) &&
         (isFloat(accumulator) || isComplex(accumulator));
}

/// How the body of a reduction is applied. A commutative single operation
/// accumulates floats narrower than f32 in f32; any other body keeps its types.
struct Accumulation {
  explicit Accumulation(const Body &body)
      : body(body), op(commutativeBody(body)),
        logAddExp(!op && isLogAddExp(body)) {}

  bool anyOrder() const { return op || logAddExp; }

  /// Type of an argument of the body.
  ElementType type(size_t argument) const {
    ElementType t = body.nodes[argument].type;
    return op ? accumulatorType(t) : t;
  }
  bool errorGrows() const {
    return logAddExp || (op && cpu::errorGrows(*op, type(0)));
  }
  /// For commutative bodies: the identity, and the combination of two
  /// accumulators.
  llvm::Value *nothing(OpEmitter &ops) const {
    return ops.identity(op.value_or(Op::Maximum), type(0));
  }
  llvm::Value *add(OpEmitter &ops, llvm::Value *x, llvm::Value *y) const {
    if (op)
      return ops.binary(*op, type(0), x, y);
    llvm::SmallVector<llvm::Value *, 1> sum;
    ops.evaluate(body, {x, y}, sum);
    return sum.front();
  }
  /// Appends the accumulators after one more element; `args` are the previous
  /// accumulators, then the element.
  void step(OpEmitter &ops, llvm::ArrayRef<llvm::Value *> args,
            llvm::SmallVectorImpl<llvm::Value *> &next) const {
    if (anyOrder())
      next.push_back(add(ops, args[0], args[1]));
    else
      ops.evaluate(body, args, next);
  }
  /// Converts an accumulator to the element type.
  llvm::Value *finish(OpEmitter &ops, llvm::Value *result) const {
    return op ? ops.convert(result, type(0), body.nodes[0].type) : result;
  }

  const Body &body;
  std::optional<Op> op;
  bool logAddExp;
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_CODEGEN_ACCUMULATION_H
