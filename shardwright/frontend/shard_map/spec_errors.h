//===- spec_errors.h - what is wrong with specs of shardMap -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_SHARD_MAP_SPEC_ERRORS_H
#define SHARDWRIGHT_FRONTEND_SHARD_MAP_SPEC_ERRORS_H

#include "shardwright/frontend/shard_map/shard_map.h"
#include "shardwright/frontend/shard_map/shard_map_primitive.h"

namespace shardwright::frontend {

/// A leaf of the arguments or results, and its spec.
struct SpecLeaf {
  PartitionSpec spec;
  bool isNone = false;   ///< the body gets the value as it is
  std::string specPath;  ///< `[0]`, or empty if one spec is for all
  std::string valuePath; ///< `[0]['w']`
  std::string parameter; ///< the function's parameter, or empty
  Aval type;
};

/// One leaf for each value, or JAX's error that the trees do not match.
/// `sizes`: number of leaves of each argument, for the names of parameters.
Expected<std::vector<SpecLeaf>>
specLeaves(const ShardingTree &specs, bool isInput,
           const std::vector<Aval> &types, const TreeNode &values,
           const std::vector<std::string> &paths,
           const std::vector<size_t> &sizes,
           const std::vector<std::string> &parameters);

/// The leaves of the tree are PartitionSpecs that only name manual axes, or
/// None in `in_specs`. `what`: `in_specs` or `out_specs`.
Status checkSpecAxes(const ShardingTree &specs, const std::string &what,
                     const AxisNames &manual);
/// Specs are not longer than the ranks of values.
Status checkSpecRanks(const std::vector<SpecLeaf> &leaves, bool isInput,
                      const std::string &function);
/// Specs divide the dimensions of arguments.
Status checkSpecSizes(const std::vector<SpecLeaf> &leaves,
                      const AbstractMesh &mesh, const std::string &function);
/// Results vary only along axes that their specs mention.
Status checkReplication(const std::vector<SpecLeaf> &leaves,
                        const ShardMapEqn &eqn, const std::string &function);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_SHARD_MAP_SPEC_ERRORS_H
