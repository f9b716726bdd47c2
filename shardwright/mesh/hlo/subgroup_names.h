//===- subgroup_names.h - keywords of subgroups -----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_MESH_HLO_SUBGROUP_NAMES_H
#define SHARDWRIGHT_MESH_HLO_SUBGROUP_NAMES_H

#include "shardwright/mesh/hlo/hlo_sharding.h"

#include "llvm/ADT/StringSwitch.h"

namespace shardwright {

inline llvm::StringRef subgroupName(Subgroup subgroup) {
  switch (subgroup) {
  case Subgroup::Maximal:
    return "maximal";
  case Subgroup::Manual:
    return "manual";
  case Subgroup::Unreduced:
    return "unreduced";
  case Subgroup::Replicated:
    return "replicated";
  }
  return "";
}

inline std::optional<Subgroup> subgroupNamed(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Subgroup>>(name)
      .Case("maximal", Subgroup::Maximal)
      .Case("manual", Subgroup::Manual)
      .Case("unreduced", Subgroup::Unreduced)
      .Case("replicated", Subgroup::Replicated)
      .Default(std::nullopt);
}

} // namespace shardwright

#endif // SHARDWRIGHT_MESH_HLO_SUBGROUP_NAMES_H
