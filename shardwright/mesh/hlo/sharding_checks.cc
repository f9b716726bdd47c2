//===- sharding_checks.cc - validate external shardings -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/hlo/sharding_checks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <algorithm>
#include <array>

namespace shardwright {

static std::string neighbours(const Mesh &mesh, AxisRefs axes) {
  for (size_t i = 1; i < axes.size(); ++i)
    if (canMerge(axes[i - 1], axes[i]))
      return mesh.str(axes[i - 1]) + " and " + mesh.str(axes[i]) +
             " are adjacent parts of one axis and should be written as one";
  return "";
}

std::string checkNamedAxes(const NamedHloSharding &sharding) {
  const Mesh &mesh = sharding.mesh;
  const TensorSharding &t = sharding.sharding;
  AxisList all = t.allAxes();
  const std::array<AxisRefs, 3> lists{t.replicated, t.unreduced,
                                      sharding.manual};
  for (AxisRefs list : lists) {
    if (!llvm::is_sorted(list))
      return "replicated, unreduced and manual axes must be in the order of "
             "the mesh, sub-axes by pre-size";
    llvm::append_range(all, list);
  }
  for (AxisRef a : all) {
    int64_t size = mesh.axisSize(a.axis);
    if (mesh.isFull(a) && a.preSize == 1)
      continue;
    if (a.preSize < 1 || a.size < 2 || a.preSize > size / a.size ||
        size % (a.preSize * a.size))
      return ("sub-axis " + mesh.str(a) + " does not divide its axis of size " +
              llvm::Twine(size))
          .str();
  }
  for (auto [i, a] : llvm::enumerate(all))
    for (AxisRef b : llvm::ArrayRef(all).drop_front(i + 1))
      if (a.axis == b.axis && (overlaps(a, b) || !canCoexist(a, b)))
        return mesh.str(a) + " and " + mesh.str(b) + " share devices";
  for (const DimSharding &dim : t.dims)
    if (std::string why = neighbours(mesh, dim.axes); !why.empty())
      return why;
  for (AxisRefs list : lists)
    if (std::string why = neighbours(mesh, list); !why.empty())
      return why;
  return "";
}

std::string checkDeviceIds(llvm::ArrayRef<MeshAxis> axes,
                           llvm::ArrayRef<int64_t> ids) {
  if (ids.empty())
    return "";
  int64_t devices = 1;
  for (const MeshAxis &axis : axes)
    devices *= axis.size;
  if (axes.empty())
    return ids.size() == 1 ? "" : "a mesh without axes has at most one device";
  if (int64_t(ids.size()) != devices)
    return (llvm::Twine(ids.size()) + " device ids for a mesh of " +
            llvm::Twine(devices))
        .str();
  if (!isPermutation(ids, devices))
    return ("device ids must be a permutation of 0 to " +
            llvm::Twine(devices - 1))
        .str();
  return "";
}

std::string checkDeviceList(int64_t tiles, llvm::ArrayRef<int64_t> devices) {
  if (int64_t(devices.size()) != tiles)
    return (llvm::Twine(tiles) + " tiles but " + llvm::Twine(devices.size()) +
            " devices")
        .str();
  llvm::SmallVector<int64_t, 0> sorted(devices);
  llvm::sort(sorted);
  if (!sorted.empty() && sorted.front() < 0)
    return ("device " + llvm::Twine(sorted.front()) + " is negative").str();
  auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    return ("device " + llvm::Twine(*twice) + " occurs twice").str();
  return "";
}

bool isPermutation(llvm::ArrayRef<int64_t> values, int64_t size) {
  if (int64_t(values.size()) != size)
    return false;
  llvm::SmallVector<bool, 8> seen(size);
  for (int64_t value : values) {
    if (value < 0 || value >= size || seen[value])
      return false;
    seen[value] = true;
  }
  return true;
}

} // namespace shardwright
