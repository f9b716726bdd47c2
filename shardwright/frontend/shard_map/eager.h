//===- eager.h - shardMap outside of jit, by operations ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_SHARD_MAP_EAGER_H
#define SHARDWRIGHT_FRONTEND_SHARD_MAP_EAGER_H

#include "shardwright/frontend/shard_map/shard_map_primitive.h"

namespace shardwright::frontend {

/// The body of a shard_map as it runs outside of jit: each operation is a
/// program of its own over all devices. A value of the body that is the same on
/// all devices is an array that can be looked at; one that varies is opaque,
/// and prints the block of each device.
class EagerBody {
public:
  /// `eqn`: mesh, manual axes and check; no jaxpr.
  explicit EagerBody(const ShardMapEqn &eqn);
  ~EagerBody();
  /// The value in the body of an argument with this spec.
  Tensor enter(const Tensor &global, const PartitionSpec &spec);
  /// Runs the function on values of the body.
  Tensors run(const TensorsFunction &function, const Tensors &args);
  /// The result with this spec of a value of the body.
  Tensor leave(const Tensor &local, const PartitionSpec &spec);

private:
  class Impl;
  std::shared_ptr<Impl> impl;
};

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_SHARD_MAP_EAGER_H
