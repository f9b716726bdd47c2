//===- device_ring.cc - rings of devices ----------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/overlap/device_ring.h"

using namespace mlir;

namespace shardwright {

std::optional<DeviceRing> DeviceRing::of(Operation *collective,
                                         int64_t numReplicas) {
  auto groups = dyn_cast_or_null<DenseIntElementsAttr>(
      collective->getAttr("replica_groups"));
  auto channel =
      collective->getAttrOfType<stablehlo::ChannelHandleAttr>("channel_handle");
  if (!groups || groups.getType().getRank() != 2 || numReplicas != 1 ||
      !channel || channel.getHandle() <= 0)
    return std::nullopt;
  DeviceRing ring;
  ring.groups = groups;
  ring.size = groups.getType().getDimSize(1);
  llvm::SmallVector<bool> seen(groups.getNumElements(), false);
  for (int64_t id : groups.getValues<int64_t>()) {
    if (id < 0 || id >= int64_t(seen.size()) || seen[id])
      return std::nullopt;
    seen[id] = true;
  }
  return ring.size < 2 ? std::nullopt : std::optional(ring);
}

Value RingBuilder::position(const DeviceRing &ring) {
  auto known = positions.find(ring.groups);
  if (known != positions.end())
    return known->second;
  Value id = start.deviceId(/*isReplica=*/false);
  SmallVector<int64_t> ids(ring.groups.getValues<int64_t>());
  SmallVector<int64_t> table(ids.size());
  for (auto [i, device] : llvm::enumerate(ids))
    table[device] = int64_t(i) % ring.size;
  int64_t stride = ids[1] - ids[0];
  bool isDigit = stride > 0;
  for (int64_t i = 0; i < int64_t(table.size()) && isDigit; ++i)
    isDigit = table[i] == i / stride % ring.size;
  Value result = id;
  if (isDigit) {
    if (stride > 1)
      result = start.make<stablehlo::DivOp>(result, constant(stride));
    if (stride * ring.size < int64_t(ids.size()))
      result = start.make<stablehlo::RemOp>(result, constant(ring.size));
  } else {
    result = start.entry(table, id);
  }
  return positions[ring.groups] = result;
}

Value RingBuilder::place(const DeviceRing &ring, int64_t shift, int64_t scale) {
  shift = ((shift % ring.size) + ring.size) % ring.size;
  Value &slot = places[{ring.groups.getAsOpaquePointer(), shift, scale}];
  if (slot)
    return slot;
  Value result = position(ring);
  if (shift != 0) {
    Value by = constant(shift), size = constant(ring.size);
    result = start.make<stablehlo::AddOp>(result, by);
    result = start.make<stablehlo::RemOp>(result, size);
  }
  if (scale != 1)
    result = start.make<stablehlo::MulOp>(result, constant(scale));
  return slot = result;
}

Value RingBuilder::pass(OpBuilder &builder, Location loc, Value value,
                        const DeviceRing &ring, int64_t step) {
  SmallVector<int64_t> ids(ring.groups.getValues<int64_t>()), pairs;
  for (size_t first = 0; first < ids.size(); first += ring.size)
    for (int64_t i = 0; i < ring.size; ++i) {
      int64_t to = ((i + step) % ring.size + ring.size) % ring.size;
      pairs.append({ids[first + i], ids[first + to]});
    }
  auto type = RankedTensorType::get({int64_t(pairs.size()) / 2, 2},
                                    builder.getI64Type());
  auto channel =
      stablehlo::ChannelHandleAttr::get(builder.getContext(), nextChannel++, 1);
  return stablehlo::CollectivePermuteOp::create(
      builder, loc, value.getType(), value,
      DenseIntElementsAttr::get(type, ArrayRef<int64_t>(pairs)), channel);
}

Value RingBuilder::piece(OpBuilder &builder, Location loc, Value value,
                         int64_t dim, Value start, int64_t size) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> sizes(type.getShape());
  SmallVector<Value> starts(sizes.size(), constant(0));
  sizes[dim] = size;
  starts[dim] = start;
  return stablehlo::DynamicSliceOp::create(
      builder, loc, type.clone(ArrayRef<int64_t>(sizes)), value, starts, sizes);
}

} // namespace shardwright
