//===- sharding.h - placements of arrays ------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_MESH_SHARDING_H
#define SHARDWRIGHT_FRONTEND_MESH_SHARDING_H

#include "shardwright/frontend/mesh/partition_spec.h"

namespace shardwright::frontend {

/// A range of indices of one dimension.
struct IndexRange {
  int64_t begin = 0, end = 0;
  friend auto operator<=>(const IndexRange &, const IndexRange &) = default;
};
using IndexBox = std::vector<IndexRange>;

/// A placement of arrays of any compatible shape. A handle to an immutable
/// object. Default: not specified, the compiler chooses (JAX: UNSPECIFIED).
/// Semantics: jax.sharding.NamedSharding and SingleDeviceSharding.
class Sharding {
public:
  enum class Kind { Unspecified, Named, SingleDevice };

  Sharding() = default;
  static Expected<Sharding> named(const Mesh &mesh, const PartitionSpec &spec,
                                  std::string memoryKind = "");
  static Expected<Sharding> named(const AbstractMesh &mesh,
                                  const PartitionSpec &spec,
                                  std::string memoryKind = "");
  static Sharding single(Device device);
  static Expected<Sharding> single(Device device, std::string memoryKind);
  /// The sharding that an HLO sharding such as `{devices=[4,2]<=[8]}` says,
  /// over a mesh of these devices with axes `_axis_0`, .. An explicit list of
  /// device numbers orders the devices of that mesh. Errors: text that does not
  /// parse, another number of devices, manual and unreduced parts.
  static Expected<Sharding> fromHlo(const std::string &text,
                                    const std::vector<Device> &devices,
                                    std::string memoryKind = "");

  Kind kind() const { return data ? data->kind : Kind::Unspecified; }
  bool isSpecified() const { return data != nullptr; }
  bool isNamed() const { return kind() == Kind::Named; }
  /// A NamedSharding on an abstract mesh has no devices.
  bool isConcrete() const { return data && !data->devices.empty(); }
  const Mesh &mesh() const;
  const AbstractMesh &abstractMesh() const;
  const PartitionSpec &spec() const;
  /// In the order of the mesh; empty if abstract or not specified.
  const std::vector<Device> &devices() const;
  /// Empty: the device's default.
  const std::string &memoryKind() const;
  bool isFullyReplicated() const;
  /// 0 if not specified.
  int64_t numDevices() const;
  /// The devices. Errors: an abstract mesh.
  Expected<std::vector<Device>> deviceSet() const;
  /// The devices of this process among them. Errors: an abstract mesh.
  Expected<std::vector<Device>> addressableDevices() const;
  /// The same placement in another memory, spec or mesh. Errors: as `named`.
  Expected<Sharding> withMemoryKind(std::string memoryKind) const;
  Expected<Sharding> withSpec(const PartitionSpec &spec) const;
  Expected<Sharding> withMesh(const Mesh &mesh) const;

  /// The sizes of a shard. Errors: rank below that of the spec; a dimension
  /// that does not divide.
  Expected<Shape> shardShape(const Shape &shape) const;
  Status checkCompatible(const Shape &shape) const;
  /// What the device at a position holds; the shape must be compatible.
  IndexBox boxOf(const Shape &shape, int64_t position) const;
  /// For each device, in order.
  Expected<std::vector<IndexBox>> devicesIndicesMap(const Shape &shape) const;
  /// True if the devices hold the same for values of this rank.
  bool isEquivalentTo(const Sharding &other, int64_t rank) const;
  /// A text that is equal for shardings with the same tiles, ignoring devices
  /// and names of axes: the HLO sharding and the memory kind.
  std::string semanticKey(int64_t rank) const;
  /// The same without the memory kind.
  std::string tileKey(int64_t rank) const;
  /// `{devices=[8]<=[4,2]T(1,0)}`.
  std::string hloText(int64_t rank) const;
  /// `NamedSharding(mesh=Mesh(...), spec=P('x',), memory_kind=device)`.
  std::string str() const;

  friend bool operator==(const Sharding &a, const Sharding &b);
  const void *identity() const { return data.get(); }

private:
  struct Data {
    Kind kind = Kind::Named;
    Mesh mesh;
    AbstractMesh abstract;
    PartitionSpec spec;
    std::vector<Device> devices;
    std::string memoryKind;
  };
  static Status check(const AbstractMesh &mesh, const std::string &meshText,
                      const PartitionSpec &spec);
  std::shared_ptr<const Data> data;
};

/// JAX's constructor.
inline Expected<Sharding> NamedSharding(const Mesh &mesh,
                                        const PartitionSpec &spec) {
  return Sharding::named(mesh, spec);
}
inline Expected<Sharding> NamedSharding(const AbstractMesh &mesh,
                                        const PartitionSpec &spec) {
  return Sharding::named(mesh, spec);
}

/// The spec over the axes of `mesh` that says what an HLO sharding says.
/// Errors: text that does not parse; a sharding that full axes of the mesh
/// cannot say.
Expected<PartitionSpec> specOfHlo(const std::string &text,
                                  const AbstractMesh &mesh);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_MESH_SHARDING_H
