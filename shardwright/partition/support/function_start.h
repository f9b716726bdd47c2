//===- function_start.h - scalars at a function's start ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_SUPPORT_FUNCTION_START_H
#define SHARDWRIGHT_PARTITION_SUPPORT_FUNCTION_START_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>

namespace shardwright {

/// Creates ops at the start of a function, one after another, so that every
/// other op of the function can use them. Values are 0-d tensors of i64.
class FunctionStart {
public:
  explicit FunctionStart(mlir::func::FuncOp func) : func(func) {}

  /// Creates each constant once.
  mlir::Value constant(int64_t value);
  /// The partition id or replica id of this device. Creates new ops each time.
  mlir::Value deviceId(bool isReplica);
  /// The entry at `index` of a table.
  mlir::Value entry(llvm::ArrayRef<int64_t> table, mlir::Value index);
  /// A binary op on two of these values.
  template <typename Op> mlir::Value make(mlir::Value lhs, mlir::Value rhs) {
    return make<Op>(lhs.getType(), lhs, rhs);
  }

private:
  template <typename Op, typename... Args>
  mlir::Value make(mlir::Type type, Args &&...args) {
    mlir::OpBuilder builder(func.getContext());
    if (last)
      builder.setInsertionPointAfter(last);
    else
      builder.setInsertionPointToStart(&func.getBody().front());
    auto op =
        Op::create(builder, func.getLoc(), type, std::forward<Args>(args)...);
    last = op;
    return op->getResult(0);
  }

  mlir::func::FuncOp func;
  /// The op created last.
  mlir::Operation *last = nullptr;
  std::map<int64_t, mlir::Value> constants;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_SUPPORT_FUNCTION_START_H
