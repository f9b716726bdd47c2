//===- named_sharding.h - a partition spec on a mesh ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_MESH_HLO_NAMED_SHARDING_H
#define SHARDWRIGHT_MESH_HLO_NAMED_SHARDING_H

#include "shardwright/mesh/abstract_mesh.h"
#include "shardwright/mesh/hlo/partition_spec.h"

namespace shardwright {

/// The placement of arrays of any compatible shape: a spec on a mesh of
/// devices, and a memory kind. Immutable. Semantics:
/// jax.sharding.NamedSharding.
class NamedSharding {
public:
  /// `types`: one per axis, or empty for all Auto. Errors: an axis that is
  /// unknown or named twice, an unconstrained dimension without an Auto axis,
  /// an unreduced axis that is not Explicit.
  static llvm::Expected<NamedSharding> get(Mesh mesh, PartitionSpec spec,
                                           llvm::ArrayRef<AxisType> types = {},
                                           std::string memoryKind = "");

  const Mesh &mesh() const { return devices; }
  /// The mesh's axes and their types.
  const AbstractMesh &abstractMesh() const { return abstract; }
  const PartitionSpec &spec() const { return partition; }
  /// Empty: the device's default.
  llvm::StringRef memoryKind() const { return memory; }

  /// True if each device holds the full-size value: no axis of the spec has
  /// more than one shard.
  bool isFullyReplicated() const;
  /// The canonical HLO sharding of a value of this rank.
  llvm::Expected<HloSharding> hlo(int64_t rank) const;
  /// Sizes of a shard. An error if a dimension is not divisible, or if the spec
  /// has more entries than the shape.
  llvm::Expected<llvm::SmallVector<int64_t, 4>>
  shardShape(llvm::ArrayRef<int64_t> shape) const;
  /// The box that the device at a row-major position of the mesh holds; errors
  /// as for `shardShape`. Constant time in the number of devices.
  llvm::Expected<llvm::SmallVector<IndexRange, 4>>
  shardBox(llvm::ArrayRef<int64_t> shape, int64_t position) const;
  /// True if for values of this rank each device holds the same part in the
  /// same memory kind. False if either spec does not fit the rank.
  bool isEquivalentTo(const NamedSharding &other, int64_t rank) const;

  /// `NamedSharding(mesh=Mesh('x': 4, axis_types=(Auto,)), spec=P('x',))`, and
  /// the memory kind if there is one, similar to JAX.
  std::string str() const;

  /// Compares mesh, types, spec and memory kind: `P('x')` differs from `P('x',
  /// None)`.
  friend bool operator==(const NamedSharding &a, const NamedSharding &b) {
    return a.devices == b.devices && a.abstract == b.abstract &&
           a.partition == b.partition && a.memory == b.memory;
  }

private:
  NamedSharding(Mesh mesh, AbstractMesh abstract, PartitionSpec spec,
                std::string memoryKind)
      : devices(std::move(mesh)), abstract(std::move(abstract)),
        partition(std::move(spec)), memory(std::move(memoryKind)) {}

  /// The sharding; an error unless it divides every dimension of this shape.
  llvm::Expected<TensorSharding> divided(llvm::ArrayRef<int64_t> shape) const;

  Mesh devices;
  AbstractMesh abstract;
  PartitionSpec partition;
  std::string memory;
};

} // namespace shardwright

#endif // SHARDWRIGHT_MESH_HLO_NAMED_SHARDING_H
