//===- axis_roles.h - what the axes of a mesh are used for ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_AXIS_ROLES_H
#define SHARDWRIGHT_AUTO_AXIS_ROLES_H

#include "shardwright/auto/problem/problem.h"

namespace shardwright {

/// The uses of one axis in the shardings of arguments.
struct AxisRoles {
  bool data = false;   ///< the colour that most contractions keep
  bool expert = false; ///< another batching factor of a contraction
  bool model = false;  ///< another colour of a contraction

  friend bool operator==(const AxisRoles &, const AxisRoles &) = default;
};

/// By axis of the mesh. `shardingOf` returns the sharding of a class.
std::vector<AxisRoles>
axisRoles(const AutoProblem &problem, mlir::ModuleOp imported,
          llvm::function_ref<TensorSharding(int32_t)> shardingOf);

/// A name for each axis by its use: `data`, `expert`, `model`, else `a`, `b`.
/// No name occurs twice.
std::vector<std::string> namesByRole(llvm::ArrayRef<AxisRoles> roles);

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_AXIS_ROLES_H
