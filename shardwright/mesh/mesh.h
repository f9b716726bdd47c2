//===- mesh.h - a logical mesh of devices with named axes -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_MESH_MESH_H
#define SHARDWRIGHT_MESH_MESH_H

#include "shardwright/mesh/axis.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace shardwright {

struct MeshAxis {
  std::string name;
  int64_t size = 1;
  friend bool operator==(const MeshAxis &, const MeshAxis &) = default;
};

/// Ordered named axes, major to minor. The device at a coordinate is
/// deviceIds[row-major linear index], or the linear index itself when no ids
/// are given. No axes and no ids: the empty mesh (compatible with any mesh). No
/// axes and one id: a maximal mesh, whose values are on that device only.
class Mesh {
public:
  Mesh() = default;
  explicit Mesh(llvm::SmallVector<MeshAxis, 4> axes,
                llvm::SmallVector<int64_t, 0> deviceIds = {});

  llvm::ArrayRef<MeshAxis> axes() const { return meshAxes; }
  int64_t numAxes() const { return meshAxes.size(); }
  /// Empty when the order is 0, 1, 2, ...
  llvm::ArrayRef<int64_t> deviceIds() const { return ids; }
  bool isMaximal() const { return meshAxes.empty() && ids.size() == 1; }
  bool isEmpty() const { return meshAxes.empty() && ids.empty(); }
  /// Product of the axis sizes; 1 without axes. Callers that read untrusted
  /// meshes check `numDevicesOverflows` first.
  int64_t numDevices() const { return devices; }
  static bool numDevicesOverflows(llvm::ArrayRef<MeshAxis> axes);

  /// Position of the axis or none.
  std::optional<int32_t> find(llvm::StringRef axisName) const;
  int64_t axisSize(int32_t axis) const { return meshAxes[axis].size; }
  llvm::StringRef axisName(int32_t axis) const { return meshAxes[axis].name; }
  AxisRef fullAxis(int32_t axis) const { return {axis, 1, axisSize(axis)}; }
  bool isFull(AxisRef a) const { return a.size == axisSize(a.axis); }
  /// `"x"` or `"x":(1)2`, as the sdy dialect prints it.
  std::string str(AxisRef a) const;

  /// Product of the sizes of the axes minor to `axis`.
  int64_t stride(int32_t axis) const { return strides[axis]; }
  /// Distance in linear index between neighbours along `a`.
  int64_t stride(AxisRef a) const;
  /// Coordinate of the device with this row-major linear index along `a`.
  int64_t coordinate(int64_t linear, AxisRef a) const;
  /// Row-major index over `axes` (major to minor) of that device.
  int64_t shardIndex(int64_t linear, AxisRefs axes) const;
  /// Physical device id -> row-major linear index; -1 for a device not in the
  /// mesh.
  int64_t linearIndex(int64_t deviceId) const;
  int64_t deviceId(int64_t linear) const;

  friend bool operator==(const Mesh &a, const Mesh &b) {
    return a.meshAxes == b.meshAxes && a.ids == b.ids;
  }

private:
  llvm::SmallVector<MeshAxis, 4> meshAxes;
  llvm::SmallVector<int64_t, 0> ids;
  llvm::SmallVector<int64_t, 4> strides;
  /// inverse of `ids`, built once when ids are given
  llvm::SmallVector<int64_t, 0> linearOf;
  int64_t devices = 1;
};

/// The parts of the mesh that `axes` do not cover, in mesh order. `axes` must
/// be disjoint and able to coexist.
AxisList complement(const Mesh &mesh, AxisRefs axes);

/// Groups of device ids that differ only along `axes`: groups in row-major
/// order of the other axes (mesh order), members in the order of `axes` major
/// to minor. Row-major [numGroups][totalSize(axes)]. `axes` must be disjoint
/// and able to coexist. Linear in the number of devices.
struct DeviceGroups {
  int64_t numGroups = 0;
  int64_t groupSize = 0;
  llvm::SmallVector<int64_t, 0> ids;
};
DeviceGroups deviceGroups(const Mesh &mesh, AxisRefs axes);

} // namespace shardwright

#endif // SHARDWRIGHT_MESH_MESH_H
