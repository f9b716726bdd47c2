//===- op_sharding_types.h - numbers of xla.OpSharding.Type -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_MESH_HLO_OP_SHARDING_TYPES_H
#define SHARDWRIGHT_MESH_HLO_OP_SHARDING_TYPES_H

#include "shardwright/mesh/hlo/hlo_sharding.h"

namespace shardwright {

/// OpSharding.Type
enum ProtoType : int64_t {
  REPLICATED,
  MAXIMAL,
  TUPLE,
  OTHER,
  MANUAL,
  UNKNOWN,
  UNREDUCED
};

} // namespace shardwright

#endif // SHARDWRIGHT_MESH_HLO_OP_SHARDING_TYPES_H
