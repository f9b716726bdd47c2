//===- manual_axes.h - manual axes of meshes in programs --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_SHARD_MAP_MANUAL_AXES_H
#define SHARDWRIGHT_FRONTEND_SHARD_MAP_MANUAL_AXES_H

#include "shardwright/frontend/trace/primitive.h"
#include "shardwright/frontend/trace/sharding_param.h"

namespace shardwright::frontend {

/// The mesh of a shard_map. A sharding, so that the mesh's devices take part in
/// the choice of devices of a program.
struct MeshParam final : ShardingParam {
  explicit MeshParam(const Mesh &mesh)
      : ShardingParam(*Sharding::named(mesh, P())) {}
  explicit MeshParam(const AbstractMesh &mesh)
      : ShardingParam(*Sharding::named(mesh, P())) {}
  std::string str() const override;
  std::string key() const override;
  const AbstractMesh &abstractMesh() const { return sharding.abstractMesh(); }
};

/// The mesh whose axes a collective names; not printed.
struct AxisMesh final : ParamObject {
  explicit AxisMesh(AbstractMesh m) : mesh(std::move(m)) {}
  std::string str() const override { return mesh.str(); }
  AbstractMesh mesh;
};

/// Names of axes that print as a Python set.
struct AxisSet final : ParamObject {
  explicit AxisSet(AxisNames n) : names(std::move(n)) {}
  std::string str() const override;
  /// As Python prints it: the empty set is `frozenset()`.
  std::string repr() const;
  AxisNames names;
};

/// Specs that print as a Python tuple.
struct SpecList final : ParamObject {
  explicit SpecList(std::vector<PartitionSpec> s) : specs(std::move(s)) {}
  std::string str() const override;
  std::vector<PartitionSpec> specs;
};

/// Binds the axes of a mesh as manual ones while the body of a shard_map is
/// traced or transformed.
class ManualScope {
public:
  /// `inner`: the mesh as the body sees it. `names`: newly manual axes.
  ManualScope(const AbstractMesh &inner, const AxisNames &names, bool check);

private:
  ScopedAbstractMesh mesh;
  ScopedAxis axes;
};

/// True if types say along which axes values vary (check_vma).
bool tracksVarying();
/// `a` without the names in `b`.
AxisNames without(const AxisNames &a, const AxisNames &b);
bool contains(const AxisNames &names, const std::string &name);
/// Axes of a spec, dimension by dimension.
AxisNames axesOf(const PartitionSpec &spec);
/// The names that are in `axes`, in this order.
AxisNames keptOf(const AxisNames &names, const std::set<std::string> &axes);
/// The spec of the cotangents of values with this spec.
PartitionSpec swapped(const PartitionSpec &spec);
std::vector<PartitionSpec> swapped(const std::vector<PartitionSpec> &specs);
/// The spec with another entry in front.
PartitionSpec withEntry(const PartitionSpec &spec, SpecEntry entry);
/// Product of the sizes of axes.
int64_t sizeOf(const AbstractMesh &mesh, const AxisNames &axes);

/// Groups of devices that differ only along `axes`, of which the first is
/// major. `subgroups`: positions in such a group, or none for all of it.
std::vector<Ints> deviceGroups(const AbstractMesh &mesh, const AxisNames &axes,
                               const IntsList &subgroups = {});
/// `dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>`.
std::string denseGroups(const std::vector<Ints> &groups);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_SHARD_MAP_MANUAL_AXES_H
