//===- warnings.h - warnings about replicated values ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_EXPLAIN_WARNINGS_H
#define SHARDWRIGHT_REPORT_EXPLAIN_WARNINGS_H

#include "shardwright/propagate/reasons/reasons.h"
#include "shardwright/report/explain/user_values.h"

#include "mlir/IR/BuiltinOps.h"

namespace shardwright {

/// Warns, after propagation, about replicated values of at least `bytes`, and
/// about conflicts in which axes of an annotation lost at a value of that size.
class ReplicationWarner : public Reasons {
public:
  /// `user` has numbered the values of `module`.
  ReplicationWarner(mlir::ModuleOp module, const UserValues &user,
                    int64_t bytes)
      : module(module), user(user), bytes(bytes) {}
  void onWritten() override;

private:
  /// The value's name for users, and the `explain` option that selects it.
  std::pair<std::string, std::string> nameOf(mlir::Value value) const;
  void warnOfWholeValues(const Mesh &mesh);
  void warnOfConflicts(const Mesh &mesh);

  mlir::ModuleOp module;
  const UserValues &user;
  int64_t bytes;
};

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_EXPLAIN_WARNINGS_H
