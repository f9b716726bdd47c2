//===- axis_aliases.h - other names of manual axes --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_SHARD_MAP_AXIS_ALIASES_H
#define SHARDWRIGHT_FRONTEND_SHARD_MAP_AXIS_ALIASES_H

#include "shardwright/frontend/mesh/mesh.h"

namespace shardwright::frontend {

/// In a scope, collectives on this thread take a name for several mesh axes, of
/// which the first is major. An axis that vmap or shardMap binds inside of the
/// scope under that name comes first.
class ScopedAxisAlias {
public:
  ScopedAxisAlias(std::string name, AxisNames axes);
  ~ScopedAxisAlias();
  ScopedAxisAlias(const ScopedAxisAlias &) = delete;
  ScopedAxisAlias &operator=(const ScopedAxisAlias &) = delete;
};

/// The mesh axes for these names, in order; other names stay.
AxisNames resolveAliases(const AxisNames &names);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_SHARD_MAP_AXIS_ALIASES_H
