//===- shard_index.cc - shard index of a device ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes each index by arithmetic on the device's linear index, so its cost
// does not grow with the mesh; a mesh with its own device order needs one
// table. In Shardy's form, each index is a table lookup.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/localize/shard_index.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"

using namespace mlir;

namespace shardwright {

Value ShardIndices::device() {
  if (!deviceId)
    deviceId = start.deviceId(style.replicas);
  return deviceId;
}

Value ShardIndices::linear(int32_t mesh) {
  Value &slot = linears[mesh];
  if (slot)
    return slot;
  const Mesh &m = meshes.mesh(mesh);
  if (m.deviceIds().empty())
    return slot = device();
  SmallVector<int64_t> table;
  for (int64_t i = 0; i < m.numDevices(); ++i)
    table.push_back(m.linearIndex(i));
  return slot = start.entry(table, device());
}

Value ShardIndices::index(int32_t mesh, AxisRefs axes) {
  if (style.tables)
    return offset(mesh, axes, 1);
  Key key{mesh, {}};
  for (AxisRef a : axes)
    key.second.append({a.axis, a.preSize, a.size});
  auto it = indices.find(key);
  if (it != indices.end())
    return it->second;

  // Axes that are adjacent in the list and in the mesh form one digit.
  const Mesh &m = meshes.mesh(mesh);
  struct Digit {
    int64_t stride, size;
  };
  SmallVector<Digit> parts;
  for (AxisRef a : axes) {
    int64_t stride = m.stride(a.axis) * (m.axisSize(a.axis) / a.nextPreSize());
    if (!parts.empty() && parts.back().stride == stride * a.size)
      parts.back() = {stride, parts.back().size * a.size};
    else
      parts.push_back({stride, a.size});
  }
  Value result;
  for (Digit part : parts) {
    Value &digit = digits[{mesh, part.stride, part.size}];
    if (!digit) {
      digit = linear(mesh);
      if (part.stride > 1)
        digit = start.make<stablehlo::DivOp>(digit, constant(part.stride));
      if (part.stride * part.size < m.numDevices())
        digit = start.make<stablehlo::RemOp>(digit, constant(part.size));
    }
    if (!result) {
      result = digit;
      continue;
    }
    Value scaled = start.make<stablehlo::MulOp>(result, constant(part.size));
    result = start.make<stablehlo::AddOp>(scaled, digit);
  }
  if (!result)
    result = constant(0);
  return indices[key] = result;
}

Value ShardIndices::offset(int32_t mesh, AxisRefs axes, int64_t size) {
  Key key{mesh, {}};
  for (AxisRef a : axes)
    key.second.append({a.axis, a.preSize, a.size});
  Value &slot = offsets[{key, size}];
  if (slot)
    return slot;
  if (style.tables && !axes.empty()) {
    const Mesh &m = meshes.mesh(mesh);
    SmallVector<int64_t> table;
    for (int64_t device = 0; device < m.numDevices(); ++device)
      table.push_back(m.shardIndex(m.linearIndex(device), axes) * size);
    return slot = start.entry(table, device());
  }
  if (style.tables)
    return slot = constant(0);
  Value at = index(mesh, axes);
  if (axes.empty() || size == 1)
    return slot = at;
  return slot = start.make<stablehlo::MulOp>(at, constant(size));
}

} // namespace shardwright
