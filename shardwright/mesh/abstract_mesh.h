//===- abstract_mesh.h - a mesh without devices -----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_MESH_ABSTRACT_MESH_H
#define SHARDWRIGHT_MESH_ABSTRACT_MESH_H

#include "shardwright/mesh/mesh.h"

#include "llvm/Support/Error.h"

#include <memory>

namespace shardwright {

/// How the sharding of values along a mesh axis is decided.
enum class AxisType : uint8_t {
  Auto,     ///< by propagation
  Explicit, ///< by the program: the axis is part of a value's type
  Manual,   ///< by the program, which runs per device along the axis
};
llvm::StringRef stringify(AxisType type);

/// Names, sizes and types of axes, without devices. A handle to an interned,
/// immutable object: equal meshes share one object, so that comparing them
/// compares pointers. The object lives as long as its last handle. Copies are
/// cheap; all functions may be called from any thread. Semantics:
/// jax.sharding.AbstractMesh.
class AbstractMesh {
public:
  /// No axes.
  AbstractMesh();
  /// One type an axis, or none: all Auto. An error names an axis that occurs
  /// twice, a size below 1, a product above 2^63 - 1, or another number of
  /// types than of axes.
  static llvm::Expected<AbstractMesh> get(llvm::ArrayRef<MeshAxis> axes,
                                          llvm::ArrayRef<AxisType> types = {});
  /// The axes of a mesh with devices.
  static llvm::Expected<AbstractMesh> of(const Mesh &mesh,
                                         llvm::ArrayRef<AxisType> types = {}) {
    return get(mesh.axes(), types);
  }

  llvm::ArrayRef<MeshAxis> axes() const { return data->axes; }
  llvm::ArrayRef<AxisType> types() const { return data->types; }
  int64_t numAxes() const { return data->axes.size(); }
  bool isEmpty() const { return data->axes.empty(); }
  /// Product of the sizes; 0 for the empty mesh.
  int64_t size() const;
  std::optional<int32_t> find(llvm::StringRef axisName) const;
  /// False for the empty mesh.
  bool allAre(AxisType type) const;
  bool anyIs(AxisType type) const;
  /// Names of the axes of this type, in mesh order.
  llvm::SmallVector<std::string, 4> axesOf(AxisType type) const;

  /// The mesh with other types for some axes, by name.
  llvm::Expected<AbstractMesh>
  withTypes(llvm::ArrayRef<std::pair<std::string, AxisType>> changes) const;

  /// `AbstractMesh('x': 4, 'y': 2, axis_types=(Auto, Auto))`, as JAX prints it.
  std::string str() const;

  friend bool operator==(const AbstractMesh &a, const AbstractMesh &b) {
    return a.data == b.data;
  }

private:
  struct Data {
    llvm::SmallVector<MeshAxis, 4> axes;
    llvm::SmallVector<AxisType, 4> types;
  };
  explicit AbstractMesh(std::shared_ptr<const Data> data)
      : data(std::move(data)) {}
  static std::string textOf(const Data &data);
  static AbstractMesh intern(Data data);

  std::shared_ptr<const Data> data;
};

} // namespace shardwright

#endif // SHARDWRIGHT_MESH_ABSTRACT_MESH_H
