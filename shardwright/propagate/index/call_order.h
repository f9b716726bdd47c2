//===- call_order.h - functions in the order of calls -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_INDEX_CALL_ORDER_H
#define SHARDWRIGHT_PROPAGATE_INDEX_CALL_ORDER_H

#include "shardwright/propagate/index/op_index.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"

namespace shardwright {

/// The functions of a module and the calls in each, in program order. Functions
/// have numbers, so that names are looked up once. The analysis is valid as
/// long as the OpIndex.
class CallsByFunction {
public:
  struct Call {
    mlir::func::CallOp op;
    /// The number of the callee; -1: it is not in the module.
    int32_t callee;
  };
  struct Function {
    mlir::func::FuncOp op;
    /// Its range in calls().
    int32_t begin, end;
    bool isExternal;
  };

  explicit CallsByFunction(mlir::ModuleOp module);
  CallsByFunction(mlir::Operation *module, mlir::AnalysisManager &analyses);
  bool
  isInvalidated(const mlir::AnalysisManager::PreservedAnalyses &preserved) {
    return !preserved.isPreserved<OpIndex>();
  }

  llvm::ArrayRef<Function> functions() const { return funcs; }
  llvm::ArrayRef<Call> calls() const { return allCalls; }
  llvm::ArrayRef<Call> in(const Function &func) const {
    return calls().slice(func.begin, func.end - func.begin);
  }
  /// Null if it is not in the module.
  mlir::func::FuncOp calleeOf(const Call &call) const {
    return call.callee < 0 ? nullptr : funcs[call.callee].op;
  }
  mlir::func::FuncOp calleeOf(mlir::func::CallOp call) const;
  /// Calls fn(call, callee or null) for each call.
  template <typename Fn> void forEachCall(Fn fn) const {
    for (const Call &call : allCalls)
      fn(mlir::func::CallOp(call.op), calleeOf(call));
  }
  /// The functions of the module, callers before callees (reverse post-order of
  /// MLIR's call graph). Fails with a diagnostic at a call that closes a cycle:
  /// propagation needs every call copied into its caller.
  llvm::FailureOr<llvm::SmallVector<int32_t>> callersFirst() const;

private:
  void build(const OpIndex &index);

  llvm::SmallVector<Function, 0> funcs;
  llvm::SmallVector<Call, 0> allCalls;
  llvm::DenseMap<mlir::StringAttr, int32_t> numberOf;
};

/// CallsByFunction::callersFirst.
llvm::FailureOr<llvm::SmallVector<mlir::func::FuncOp>>
callersFirst(mlir::ModuleOp module);

/// Likewise with callees before callers.
llvm::FailureOr<llvm::SmallVector<mlir::func::FuncOp>>
calleesFirst(mlir::ModuleOp module);

/// Copies a function and, before it, the functions that it calls. The copies
/// are appended to the module and name their original in
/// `sdy.original_func_name`. The call graph must have no cycle.
mlir::func::FuncOp cloneFuncRecursively(mlir::func::FuncOp func,
                                        mlir::SymbolTable &symbols);

/// `sdy.original_func_name`, or the function's own name.
mlir::StringAttr originalName(mlir::func::FuncOp func);

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_INDEX_CALL_ORDER_H
