//===- sharding_inspector.h - inspection of shardings -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CALLBACKS_SHARDING_INSPECTOR_H
#define SHARDWRIGHT_FRONTEND_CALLBACKS_SHARDING_INSPECTOR_H

#include "shardwright/frontend/trace/primitive.h"

namespace shardwright::frontend {

/// A function of the user that gets the sharding of a value while a program is
/// compiled.
struct ShardingInspector final : ParamObject {
  explicit ShardingInspector(std::function<void(const Sharding &)> f);
  std::string str() const override { return "<function callback>"; }
  std::string key() const override { return cat("inspector#", number); }
  /// Calls the function; an exception is an error.
  Status tell(const Sharding &sharding) const;

private:
  std::function<void(const Sharding &)> function;
  int64_t number;
};

/// The target of such calls, which return their operand.
constexpr const char *kInspectTarget = "InspectSharding";

/// Applies inspect_sharding, or calls the function at once for an array.
Status bindInspectSharding(std::shared_ptr<const ShardingInspector> inspector,
                           const Tensor &x);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_CALLBACKS_SHARDING_INSPECTOR_H
