//===- reduce.h - reduction of several devices' buffers ---------*- C++ -*-===//
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
/// bf16 are summed in float and rounded once. Max and Min propagate NaN, and
/// order -0 before +0. For Pred, Add, Max and Or are `or`; Mul, Min and And are
/// `and`.
class Reduction {
public:
  /// Fails if `type` does not support the reduction (bitwise on floats,
  /// ordering on complex numbers).
  static llvm::Expected<Reduction> create(ElementType type, ReduceKind kind);

  /// Reduces elements [begin, end); the inputs must not overlap the output.
  void run(const void *const *inputs, int64_t count, void *out, int64_t begin,
           int64_t end) const {
    function(*this, inputs, count, out, begin, end);
  }

  using Function = void (*)(const Reduction &, const void *const *inputs,
                            int64_t count, void *out, int64_t begin,
                            int64_t end);
  /// A reduction by a kernel: see CollectiveSpec::reduceKernel.
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
