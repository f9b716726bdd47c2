//===- user_ops.h - the ops of a module as it was read ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_DOCUMENT_USER_OPS_H
#define SHARDWRIGHT_REPORT_DOCUMENT_USER_OPS_H

#include "shardwright/report/explain/user_values.h"

namespace shardwright {

struct UserOp {
  std::string op; ///< `stablehlo.add`
  /// The location in the module as it was read.
  mlir::Location location;
  std::string function;
  /// The op whose region holds it; -1 for an op of a function.
  int32_t parent = -1;
  /// Numbers of UserValues; operands without number are left out.
  llvm::SmallVector<int32_t, 3> operands;
  llvm::SmallVector<int32_t, 1> results;
  /// Executions in one step; none if a trip count is unknown.
  std::optional<int64_t> times;
};

/// The ops of a module, in program order: all but modules, functions, meshes
/// and terminators.
class UserOps {
public:
  /// `asRead`: the module whose values `user` has numbered, before any stage.
  UserOps(mlir::ModuleOp asRead, const UserValues &user);

  const std::vector<UserOp> &all() const { return ops; }
  /// The op that defines a value of UserValues; -1 for an argument.
  int32_t opOfValue(int32_t id) const {
    return id < 0 ? -1 : definingOp[size_t(id)];
  }

  /// By result of the program: the value that is returned; -1 if unknown.
  const std::vector<int32_t> &returned() const { return returnedValues; }

private:
  std::vector<int32_t> returnedValues;
  std::vector<UserOp> ops;
  std::vector<int32_t> definingOp;
};

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_DOCUMENT_USER_OPS_H
