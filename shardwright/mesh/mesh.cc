//===- mesh.cc - a logical mesh of devices with named axes ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/mesh.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <limits>

using namespace shardwright;

/// Saturates, so that a mesh can be built before the caller rejects its size.
static int64_t saturatingMul(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? std::numeric_limits<int64_t>::max()
                                          : product;
}

static bool isIota(llvm::ArrayRef<int64_t> ids) {
  for (auto [i, id] : llvm::enumerate(ids))
    if (id != int64_t(i))
      return false;
  return true;
}

Mesh::Mesh(llvm::SmallVector<MeshAxis, 4> axes,
           llvm::SmallVector<int64_t, 0> deviceIds)
    : meshAxes(std::move(axes)), ids(std::move(deviceIds)) {
  strides.assign(meshAxes.size(), 1);
  for (int64_t i = int64_t(meshAxes.size()) - 1; i >= 0; --i) {
    strides[i] = devices;
    devices = saturatingMul(devices, meshAxes[i].size);
  }
  // Without axes, the ids distinguish a maximal mesh from the empty one.
  if (!meshAxes.empty() && isIota(ids))
    ids.clear();
  linearOf.assign(ids.size(), -1);
  for (auto [linear, id] : llvm::enumerate(ids))
    if (id >= 0 && id < int64_t(ids.size()))
      linearOf[id] = linear;
}

bool Mesh::numDevicesOverflows(llvm::ArrayRef<MeshAxis> axes) {
  int64_t product = 1;
  return llvm::any_of(axes, [&](const MeshAxis &a) {
    return llvm::MulOverflow(product, a.size, product) != 0;
  });
}

std::optional<int32_t> Mesh::find(llvm::StringRef axisName) const {
  // Meshes have a handful of axes, so a scan is faster than a map.
  for (auto [i, axis] : llvm::enumerate(meshAxes))
    if (axisName == axis.name)
      return int32_t(i);
  return std::nullopt;
}

std::string Mesh::str(AxisRef a) const {
  std::string text = "\"" + axisName(a.axis).str() + "\"";
  if (!isFull(a))
    text += ":(" + std::to_string(a.preSize) + ")" + std::to_string(a.size);
  return text;
}

int64_t Mesh::stride(AxisRef a) const {
  return stride(a.axis) * (axisSize(a.axis) / a.nextPreSize());
}

int64_t Mesh::coordinate(int64_t linear, AxisRef a) const {
  return linear / stride(a) % a.size;
}

int64_t Mesh::shardIndex(int64_t linear, AxisRefs axes) const {
  int64_t index = 0;
  for (AxisRef a : axes)
    index = index * a.size + coordinate(linear, a);
  return index;
}

int64_t Mesh::linearIndex(int64_t deviceId) const {
  if (ids.empty())
    return deviceId >= 0 && deviceId < devices ? deviceId : -1;
  if (deviceId >= 0 && deviceId < int64_t(linearOf.size()))
    return linearOf[deviceId];
  return isMaximal() && deviceId == ids.front() ? 0 : -1;
}

int64_t Mesh::deviceId(int64_t linear) const {
  return ids.empty() ? linear : ids[linear];
}

AxisList shardwright::complement(const Mesh &mesh, AxisRefs axes) {
  AxisList sorted(axes);
  llvm::sort(sorted);
  AxisList rest;
  AxisRefs left = sorted;
  for (int32_t axis = 0, e = mesh.numAxes(); axis < e; ++axis) {
    int64_t pre = 1;
    for (; !left.empty() && left.front().axis == axis;
         left = left.drop_front()) {
      if (left.front().preSize > pre)
        rest.push_back({axis, pre, left.front().preSize / pre});
      pre = std::max(pre, left.front().nextPreSize());
    }
    if (pre < mesh.axisSize(axis))
      rest.push_back({axis, pre, mesh.axisSize(axis) / pre});
  }
  return rest;
}

DeviceGroups shardwright::deviceGroups(const Mesh &mesh, AxisRefs axes) {
  AxisList order = complement(mesh, axes);
  DeviceGroups groups;
  groups.numGroups = totalSize(order);
  groups.groupSize = totalSize(axes);
  order.append(axes.begin(), axes.end());

  // Build the row-major list of linear indices from the most minor axis: each
  // axis repeats the list so far, shifted by its stride.
  llvm::SmallVector<int64_t, 0> linear(totalSize(order), 0);
  size_t block = 1;
  for (AxisRef a : llvm::reverse(order)) {
    int64_t stride = mesh.stride(a);
    for (int64_t c = 1; c < a.size; ++c) {
      int64_t *next = linear.data() + c * block;
      for (size_t i = 0; i < block; ++i)
        next[i] = linear[i] + c * stride;
    }
    block *= a.size;
  }
  if (!mesh.deviceIds().empty())
    for (int64_t &index : linear)
      index = mesh.deviceId(index);
  groups.ids = std::move(linear);
  return groups;
}
