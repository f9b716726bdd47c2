//===- named_sharding.h - a spec on a mesh of devices -----------*- C++ -*-===//
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

/// The placement of arrays of any fitting shape: a spec on a mesh of devices,
/// and the kind of memory. Immutable. Semantics: jax.sharding.NamedSharding.
class NamedSharding {
public:
  /// One type an axis, or none: all Auto. An error when an axis is unknown or
  /// named twice, when an unconstrained dimension has no Auto axis to be
  /// decided on, or when an unreduced axis is not Explicit.
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
  /// Sizes of a shard. An error when a dimension is not divisible, or the spec
  /// has more entries than the shape.
  llvm::Expected<llvm::SmallVector<int64_t, 4>>
  shardShape(llvm::ArrayRef<int64_t> shape) const;
  /// What the device at a position of the mesh (row-major) holds; errors of
  /// `shardShape`. Costs the same for any number of devices.
  llvm::Expected<llvm::SmallVector<IndexRange, 4>>
  shardBox(llvm::ArrayRef<int64_t> shape, int64_t position) const;
  /// Of values of this rank, each device holds the same part in the same kind
  /// of memory. False where either spec does not fit the rank.
  bool isEquivalentTo(const NamedSharding &other, int64_t rank) const;

  /// `NamedSharding(mesh=Mesh('x': 4, axis_types=(Auto,)), spec=P('x',))`, and
  /// the memory kind if there is one, much as JAX prints it.
  std::string str() const;

  /// The same mesh, types, spec and memory kind: `P('x')` is not `P('x',
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

  /// The sharding, which divides every dimension of this shape.
  llvm::Expected<TensorSharding> divided(llvm::ArrayRef<int64_t> shape) const;

  Mesh devices;
  AbstractMesh abstract;
  PartitionSpec partition;
  std::string memory;
};

} // namespace shardwright

#endif // SHARDWRIGHT_MESH_HLO_NAMED_SHARDING_H
