//===- inlined_values.h - values of a program without calls -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The values of @main as if its calls were inlined, and a signature for each:
// equal signatures mean that the ops around the values are equal up to a
// radius, also beyond the borders of functions. What only says where a layer
// lies in a stack is ignored: the offsets of slices and pads, the numbers of
// operands of concatenations, values of constants. So the layers of a model
// have equal signatures, whether JAX unrolled them, calls a function for each,
// or slices their parameters from one array.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_ASSIGN_INLINED_VALUES_H
#define SHARDWRIGHT_AUTO_ASSIGN_INLINED_VALUES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <vector>

namespace shardwright {

class InlinedValues {
public:
  /// A run of a function: @main, or one call.
  struct Run {
    /// Numbers of its values. An argument has the number of the operand of the
    /// call, a result of a call that of what the function returns.
    llvm::DenseMap<mlir::Value, int32_t> numbers;
    /// By call. Calls that cannot be inlined have no run.
    llvm::DenseMap<mlir::Operation *, std::unique_ptr<Run>> calls;
    mlir::Block *body = nullptr;
    /// Calls around it.
    int32_t depth = 0;
  };

  /// Reads a module after stage Import. Linear in the ops of all runs.
  explicit InlinedValues(mlir::ModuleOp module);

  const Run &getMain() const { return main; }
  size_t size() const { return values.size(); }
  /// The value that got the number first.
  mlir::Value valueOf(int32_t number) const { return values[number]; }
  /// Valid only in this run of the process.
  uint64_t signatureOf(int32_t number) const { return signatures[number]; }

private:
  struct Op;
  class Reader;

  Run main;
  std::vector<mlir::Value> values;
  std::vector<uint64_t> signatures;
};

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_ASSIGN_INLINED_VALUES_H
