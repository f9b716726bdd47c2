//===- axes_of_groups.cc - axes of device groups --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/axes_of_groups.h"

#include <algorithm>

namespace shardwright {

std::optional<AxisList> axesOfGroups(const Mesh &mesh,
                                     llvm::ArrayRef<int64_t> groups,
                                     int64_t groupSize) {
  if (groupSize <= 0 || groups.empty() ||
      int64_t(groups.size()) != mesh.numDevices())
    return std::nullopt;
  // Members of the first group as offsets of row-major positions: a (sub-)axis
  // of size s with stride t contributes the digits 0..s-1 times t.
  llvm::SmallVector<int64_t> offsets;
  for (int64_t id : groups.take_front(groupSize)) {
    if (id < 0 || id >= mesh.numDevices())
      return std::nullopt;
    offsets.push_back(mesh.linearIndex(id));
  }
  AxisList axes; // found minor to major
  for (int64_t block = 1; block < groupSize;) {
    int64_t step = offsets[block] - offsets[0];
    // The longest run 0, step, 2 step, ... at this level is one reference.
    int64_t run = 1;
    while ((run + 1) * block <= groupSize &&
           offsets[run * block] - offsets[0] == run * step)
      ++run;
    if (step <= 0)
      return std::nullopt;
    bool found = false;
    for (int32_t axis = 0; axis < mesh.numAxes() && !found; ++axis) {
      int64_t stride = mesh.stride(axis), n = mesh.axisSize(axis);
      if (step % stride != 0 || step / stride >= n)
        continue;
      int64_t minor = step / stride; // product of the parts minor to this one
      // The run may continue into the next axis; cut it at the end of this one.
      int64_t part = std::min(run, n / minor);
      while (part > 1 &&
             (n % (minor * part) != 0 || groupSize % (block * part) != 0))
        --part;
      if (part < 2)
        continue;
      axes.insert(axes.begin(), AxisRef{axis, n / (minor * part), part});
      block *= part;
      found = true;
    }
    if (!found)
      return std::nullopt;
  }
  DeviceGroups expected = deviceGroups(mesh, axes);
  if (llvm::ArrayRef<int64_t>(expected.ids) != groups)
    return std::nullopt;
  return axes;
}

} // namespace shardwright
