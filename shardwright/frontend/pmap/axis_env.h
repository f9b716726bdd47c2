//===- axis_env.h - groups of replicas --------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_PMAP_AXIS_ENV_H
#define SHARDWRIGHT_FRONTEND_PMAP_AXIS_ENV_H

#include "shardwright/frontend/mesh/mesh.h"

namespace shardwright::frontend {

/// The axes of nested pmaps, outermost first, and the number of replicas, which
/// is a multiple of the product of their sizes: replicas that differ in no axis
/// are those of pmaps side by side. JAX: sharding_impls.AxisEnv.
struct AxisEnv {
  AxisNames names;
  Ints sizes;
  int64_t numReplicas = 1;
};

/// The groups of replicas that communicate along these axes, of which the first
/// is major. Errors: a name that is not bound; another number of replicas.
Expected<std::vector<Ints>> axisGroups(const AxisEnv &env,
                                       const AxisNames &names);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_PMAP_AXIS_ENV_H
