//===- accumulation.h - how a reduction's body is applied -------*- C++ -*-===//
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

/// What sums of a type are kept in: of floats narrower than f32, f32.
inline ElementType accumulatorType(ElementType type) {
  return isFloat(type) && byteWidth(type) < 4 ? ElementType::F32 : type;
}

/// Does the error of a long row of them grow with its length, and less when
/// they are grouped (summation.h)?
inline bool errorGrows(Op op, ElementType accumulator) {
  return (op == Op::Add || op == Op::Multiply) &&
         (isFloat(accumulator) || isComplex(accumulator));
}

/// A single operation that may be computed in any order accumulates floats
/// narrower than f32 in f32; any other body keeps its types.
struct Accumulation {
  explicit Accumulation(const Body &body)
      : body(body), op(commutativeBody(body)),
        logAddExp(!op && isLogAddExp(body)) {}

  bool anyOrder() const { return op || logAddExp; }

  /// Of the body's argument.
  ElementType type(size_t argument) const {
    ElementType t = body.nodes[argument].type;
    return op ? accumulatorType(t) : t;
  }
  bool errorGrows() const {
    return logAddExp || (op && cpu::errorGrows(*op, type(0)));
  }
  /// In any order: what accumulates nothing, and two accumulators as one.
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
  /// Appends the accumulators after one more element; `args` are those before,
  /// then the element.
  void step(OpEmitter &ops, llvm::ArrayRef<llvm::Value *> args,
            llvm::SmallVectorImpl<llvm::Value *> &next) const {
    if (anyOrder())
      next.push_back(add(ops, args[0], args[1]));
    else
      ops.evaluate(body, args, next);
  }
  /// An accumulator as an element.
  llvm::Value *finish(OpEmitter &ops, llvm::Value *result) const {
    return op ? ops.convert(result, type(0), body.nodes[0].type) : result;
  }

  const Body &body;
  std::optional<Op> op;
  bool logAddExp;
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_CODEGEN_ACCUMULATION_H
