//===- reduce.h - reduce the buffers of several devices ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_COLLECTIVES_REDUCE_H
#define SHARDWRIGHT_CPU_COLLECTIVES_REDUCE_H

#include "shardwright/cpu/program/program.h"

#include "llvm/Support/Error.h"

namespace shardwright::cpu {

/// out[i] := inputs[0][i] op inputs[1][i] op ..., always in that order. f16 and
/// bf16 are summed in float and rounded once. Max and Min give NaN when any
/// operand is, and tell -0 from +0. Pred: Add, Max and Or are or; Mul, Min and
/// And are and.
class Reduction {
public:
  /// Fails when `type` has no such reduction (bitwise on floats, order on
  /// complex numbers).
  static llvm::Expected<Reduction> create(ElementType type, ReduceKind kind);

  /// Over elements [begin, end); the inputs do not overlap the output.
  void run(const void *const *inputs, int64_t count, void *out, int64_t begin,
           int64_t end) const {
    function(*this, inputs, count, out, begin, end);
  }

  using Function = void (*)(const Reduction &, const void *const *inputs,
                            int64_t count, void *out, int64_t begin,
                            int64_t end);
  /// As a kernel says: see CollectiveSpec::reduceKernel.
  static Reduction withKernel(ElementType type, const Kernel &kernel);

  ElementType type;
  ReduceKind kind;
  Function function = nullptr;
  KernelFn kernel = nullptr;
  int64_t iterations = 0;
};

/// `add`, `max`: for messages.
llvm::StringRef str(ReduceKind kind);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_COLLECTIVES_REDUCE_H
