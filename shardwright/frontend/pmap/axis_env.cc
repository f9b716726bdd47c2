//===- axis_env.cc - groups of replicas -----------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/pmap/axis_env.h"

#include "shardwright/frontend/shard_map/manual_axes.h"

#include <algorithm>

namespace shardwright::frontend {

Expected<std::vector<Ints>> axisGroups(const AxisEnv &env,
                                       const AxisNames &names) {
  int64_t product = Shape(env.sizes).elements();
  if (product < 1 || env.numReplicas < 1 || env.numReplicas % product)
    return valueError("The number of replicas ", env.numReplicas,
                      " must be a multiple of the product of the axis sizes ",
                      tupleText(env.sizes));
  if (env.names.size() != env.sizes.size())
    return valueError("An axis environment has one size for each name. Got ",
                      namesText(env.names), " and ", tupleText(env.sizes));
  // Names may repeat: the innermost is meant.
  AxisNames all, chosen;
  Ints sizes = env.sizes;
  for (size_t i = 0; i <= env.names.size(); ++i)
    all.push_back(std::to_string(i));
  // Replicas that no axis tells apart are a last axis.
  sizes.push_back(env.numReplicas / product);
  for (const std::string &name : names) {
    auto found = std::find(env.names.rbegin(), env.names.rend(), name);
    if (found == env.names.rend())
      return makeError(ErrorKind::Name, "unbound axis name: ", name);
    chosen.push_back(all[env.names.rend() - found - 1]);
  }
  Expected<AbstractMesh> mesh = AbstractMesh::get(sizes, all);
  if (!mesh)
    return mesh.error();
  return deviceGroups(*mesh, chosen);
}

} // namespace shardwright::frontend
