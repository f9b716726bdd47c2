//===- shard_index.cc - which shard this device has -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every index is arithmetic on the device's linear index, so its cost does not
// grow with the mesh; a mesh with its own device order needs one table. Where
// Shardy's form is asked for, each is a table.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/shard_index.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"

using namespace mlir;

namespace shardwright {

OpBuilder ShardIndices::builder() {
  OpBuilder b(func.getContext());
  if (last)
    b.setInsertionPointAfter(last);
  else
    b.setInsertionPointToStart(&func.getBody().front());
  return b;
}

Value ShardIndices::hoisted(Operation *op) {
  last = op;
  return op->getResult(0);
}

static RankedTensorType scalarType(MLIRContext *context) {
  return RankedTensorType::get({}, IntegerType::get(context, 64));
}

Value ShardIndices::constant(int64_t value) {
  Value &slot = constants[value];
  if (!slot) {
    OpBuilder b = builder();
    auto type = scalarType(b.getContext());
    slot = hoisted(stablehlo::ConstantOp::create(
        b, func.getLoc(), type,
        DenseElementsAttr::get(type, ArrayRef<int64_t>(value))));
  }
  return slot;
}

Value ShardIndices::device() {
  if (deviceId)
    return deviceId;
  Location loc = func.getLoc();
  OpBuilder b = builder();
  auto type = scalarType(b.getContext());
  auto idType = RankedTensorType::get(
      {}, IntegerType::get(b.getContext(), 32, IntegerType::Unsigned));
  Value id = style.replicas
                 ? hoisted(stablehlo::ReplicaIdOp::create(b, loc, idType))
                 : hoisted(stablehlo::PartitionIdOp::create(b, loc, idType));
  return deviceId = hoisted(stablehlo::ConvertOp::create(b, loc, type, id));
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
  return slot = entry(table);
}

Value ShardIndices::entry(ArrayRef<int64_t> table) {
  Value device = this->device();
  Location loc = func.getLoc();
  OpBuilder b = builder();
  auto type = scalarType(b.getContext());
  auto tableType =
      RankedTensorType::get({int64_t(table.size())}, type.getElementType());
  Value all = hoisted(stablehlo::ConstantOp::create(
      b, loc, tableType, DenseElementsAttr::get(tableType, table)));
  Value one = hoisted(stablehlo::DynamicSliceOp::create(
      b, loc, tableType.clone(ArrayRef<int64_t>{1}), all, ValueRange{device},
      ArrayRef<int64_t>{1}));
  return hoisted(stablehlo::ReshapeOp::create(b, loc, type, one));
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

  // Neighbours in the list that are neighbours in the mesh are one digit.
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
  Location loc = func.getLoc();
  Value result;
  for (Digit part : parts) {
    Value &digit = digits[{mesh, part.stride, part.size}];
    if (!digit) {
      digit = linear(mesh);
      Type type = digit.getType();
      if (part.stride > 1) {
        Value divisor = constant(part.stride);
        OpBuilder b = builder();
        digit = hoisted(stablehlo::DivOp::create(b, loc, type, digit, divisor));
      }
      if (part.stride * part.size < m.numDevices()) {
        Value modulus = constant(part.size);
        OpBuilder b = builder();
        digit = hoisted(stablehlo::RemOp::create(b, loc, type, digit, modulus));
      }
    }
    if (!result) {
      result = digit;
      continue;
    }
    Value size = constant(part.size);
    OpBuilder b = builder();
    Value scaled = hoisted(
        stablehlo::MulOp::create(b, loc, result.getType(), result, size));
    result = hoisted(
        stablehlo::AddOp::create(b, loc, result.getType(), scaled, digit));
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
    return slot = entry(table);
  }
  if (style.tables)
    return slot = constant(0);
  Value at = index(mesh, axes);
  if (axes.empty() || size == 1)
    return slot = at;
  Value factor = constant(size);
  OpBuilder b = builder();
  return slot = hoisted(stablehlo::MulOp::create(b, func.getLoc(), at.getType(),
                                                 at, factor));
}

} // namespace shardwright
