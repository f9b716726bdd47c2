//===- mesh.h - meshes of devices with named axes ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_MESH_MESH_H
#define SHARDWRIGHT_FRONTEND_MESH_MESH_H

#include "shardwright/frontend/base/error.h"
#include "shardwright/frontend/base/shape.h"
#include "shardwright/frontend/mesh/device.h"

#include <memory>
#include <optional>

namespace shardwright::frontend {

/// How the sharding of values along an axis is decided.
enum class AxisType : uint8_t {
  Auto,     ///< by propagation
  Explicit, ///< by the program: the axis is part of a value's type
  Manual,   ///< by the program, which runs per device along the axis
  // Names of the first release of axis types.
  User = Explicit,
  Collective = Manual,
};
/// `Auto`, `Explicit`, `Manual`.
std::string_view str(AxisType type);

using AxisNames = std::vector<std::string>;
/// `('x', 'y')`, as Python prints a tuple.
std::string namesText(const AxisNames &names);

/// The kind of the devices of an abstract mesh. Semantics:
/// jax.sharding.AbstractDevice.
struct AbstractDevice {
  std::string deviceKind;
  std::optional<int64_t> numCores = {};
  std::string platform = "cpu";
  friend auto operator<=>(const AbstractDevice &,
                          const AbstractDevice &) = default;
};

/// What `AbstractMesh::update` changes; the rest stays.
struct AbstractMeshChanges {
  std::optional<Ints> sizes = {};
  std::optional<AxisNames> names = {};
  std::optional<std::vector<AxisType>> types = {};
  std::optional<AbstractDevice> device = {};
};

/// Names, sizes and types of axes. Equal ones share one immutable object: a
/// handle compares as a pointer. Default: the empty mesh. Semantics:
/// jax.sharding.AbstractMesh.
class AbstractMesh {
public:
  AbstractMesh();
  // A mesh that has been moved from is the same mesh.
  AbstractMesh(const AbstractMesh &) = default;
  AbstractMesh &operator=(const AbstractMesh &) = default;
  /// `types`: one per axis, or none: all Auto. Meshes with and without a device
  /// differ.
  static Expected<AbstractMesh>
  get(const Ints &sizes, const AxisNames &names,
      std::vector<AxisType> types = {},
      const std::optional<AbstractDevice> &device = {});

  const AxisNames &names() const { return data->names; }
  const Ints &sizes() const { return data->sizes; }
  const std::vector<AxisType> &types() const { return data->types; }
  /// That of the devices, of the abstract mesh of a Mesh.
  const std::optional<AbstractDevice> &device() const { return data->device; }
  int64_t numAxes() const { return static_cast<int64_t>(names().size()); }
  /// No axes.
  bool empty() const { return names().empty(); }
  /// Product of the sizes; 0 for the empty mesh.
  int64_t size() const { return data->size; }
  /// Position of the axis, or -1.
  int64_t find(std::string_view name) const;
  /// 1 for an unknown axis.
  int64_t sizeOf(std::string_view name) const;
  AxisType typeOf(std::string_view name) const;
  /// False for the empty mesh.
  bool allAre(AxisType type) const;
  bool anyIs(AxisType type) const;
  AxisNames axesOf(AxisType type) const;
  /// The mesh with another type for these axes, which must exist.
  AbstractMesh withTypes(const AxisNames &names, AxisType type) const;
  /// The mesh with other sizes, names or types. Errors: as `get`.
  Expected<AbstractMesh> update(const AbstractMeshChanges &changes) const;
  /// `AbstractMesh('x': 4, 'y': 2, axis_types=(Auto, Auto))`, with a device
  /// before the last parenthesis: `, device_kind=cpu, num_cores=None,
  /// platform=cpu`.
  std::string str() const;
  friend bool operator==(const AbstractMesh &a, const AbstractMesh &b) {
    return a.data == b.data;
  }
  const void *identity() const { return data.get(); }

private:
  friend class Mesh;
  struct Data {
    Ints sizes;
    AxisNames names;
    std::vector<AxisType> types;
    int64_t size = 0;
    std::optional<AbstractDevice> device = {};
  };
  explicit AbstractMesh(std::shared_ptr<const Data> d) : data(std::move(d)) {}
  std::shared_ptr<const Data> data;
};

/// What `Mesh::update` changes; the rest stays. Sizes: of the devices' array.
struct MeshChanges {
  std::optional<std::vector<Device>> devices = {};
  std::optional<Ints> sizes = {};
  std::optional<AxisNames> names = {};
  std::optional<std::vector<AxisType>> types = {};
};

/// Devices in the order of a box of named axes. Interned as AbstractMesh.
/// Semantics: jax.sharding.Mesh.
class Mesh {
public:
  /// The empty mesh.
  Mesh();
  // As AbstractMesh.
  Mesh(const Mesh &) = default;
  Mesh &operator=(const Mesh &) = default;
  /// `list` is row-major over `sizes`. `types`: one per axis, or none: Auto.
  static Expected<Mesh> get(const std::vector<Device> &list, const Ints &sizes,
                            const AxisNames &names,
                            std::vector<AxisType> types = {});

  const AbstractMesh &abstractMesh() const { return data->abstract; }
  const std::vector<Device> &devices() const { return data->devices; }
  const AxisNames &names() const { return abstractMesh().names(); }
  const Ints &sizes() const { return abstractMesh().sizes(); }
  bool empty() const { return devices().empty(); }
  int64_t size() const { return static_cast<int64_t>(devices().size()); }
  /// The mesh with other devices, sizes, names or types. Errors: as `get`.
  Expected<Mesh> update(const MeshChanges &changes) const;
  /// `Mesh('x': 4, 'y': 2, axis_types=(Auto, Auto))`.
  std::string str() const;
  /// `Mesh(axis_sizes=(4, 2), axis_names=('x', 'y'), axis_types=(Auto, Auto))`.
  std::string repr() const;
  friend bool operator==(const Mesh &a, const Mesh &b) {
    return a.data == b.data;
  }
  const void *identity() const { return data.get(); }

private:
  struct Data {
    std::vector<Device> devices;
    AbstractMesh abstract;
  };
  explicit Mesh(std::shared_ptr<const Data> d) : data(std::move(d)) {}
  std::shared_ptr<const Data> data;
};

/// The first product(sizes) devices, row-major. Types default to Explicit.
Expected<Mesh> makeMesh(const Ints &sizes, const AxisNames &names,
                        std::vector<AxisType> types = {},
                        std::vector<Device> from = {});

/// The meshes in context of this thread; empty where not set.
const AbstractMesh &contextAbstractMesh();
const Mesh &contextMesh();

/// Sets both meshes in context. An error inside a trace, or if the mesh has
/// Manual axes. The empty mesh clears them.
Status setMesh(const Mesh &mesh);

/// Sets a mesh for a scope (JAX: `with jax.set_mesh(mesh)`).
class ScopedMesh {
public:
  explicit ScopedMesh(const Mesh &mesh);
  ~ScopedMesh();
  ScopedMesh(const ScopedMesh &) = delete;
  ScopedMesh &operator=(const ScopedMesh &) = delete;
  const Status &status() const { return result; }

private:
  AbstractMesh oldAbstract;
  Mesh oldMesh;
  Status result;
};

/// Sets the abstract mesh for a scope (JAX: use_abstract_mesh). It may not
/// change the number of devices.
class ScopedAbstractMesh {
public:
  explicit ScopedAbstractMesh(const AbstractMesh &mesh);
  ~ScopedAbstractMesh();
  ScopedAbstractMesh(const ScopedAbstractMesh &) = delete;
  ScopedAbstractMesh &operator=(const ScopedAbstractMesh &) = delete;
  const Status &status() const { return result; }

private:
  AbstractMesh old;
  Status result;
};

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_MESH_MESH_H
