//===- call_order.h - functions in the order of calls -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_CALL_ORDER_H
#define SHARDWRIGHT_PROPAGATE_CALL_ORDER_H

#include "shardwright/propagate/op_index.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"

namespace shardwright {

/// The calls in each function, in program order.
class CallsByFunction {
public:
  /// `index`: of the module, if there is one.
  explicit CallsByFunction(mlir::ModuleOp module,
                           const OpIndex *index = nullptr);

  llvm::ArrayRef<mlir::func::CallOp> in(mlir::func::FuncOp func) const;
  /// Null if it is not in the module.
  mlir::func::FuncOp calleeOf(mlir::func::CallOp call) const;
  /// The functions of the module, callers before callees (reverse post-order of
  /// MLIR's call graph). Fails with a diagnostic at a call that closes a cycle:
  /// propagation needs every call copied into its caller.
  llvm::FailureOr<llvm::SmallVector<mlir::func::FuncOp>> callersFirst() const;

private:
  llvm::SmallVector<mlir::func::FuncOp> funcs;
  llvm::DenseMap<mlir::StringAttr, mlir::func::FuncOp> funcOf;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::func::CallOp>>
      callsIn;
};

/// CallsByFunction::callersFirst.
llvm::FailureOr<llvm::SmallVector<mlir::func::FuncOp>>
callersFirst(mlir::ModuleOp module);

/// The same, callees before callers.
llvm::FailureOr<llvm::SmallVector<mlir::func::FuncOp>>
calleesFirst(mlir::ModuleOp module);

/// Copies a function and, before it, those that it calls. Copies are put at the
/// end of the module and name what they are a copy of in
/// `sdy.original_func_name`. The call graph must have no cycle.
mlir::func::FuncOp cloneFuncRecursively(mlir::func::FuncOp func,
                                        mlir::SymbolTable &symbols);

/// `sdy.original_func_name`, or the function's own name.
mlir::StringAttr originalName(mlir::func::FuncOp func);

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_CALL_ORDER_H
