//===- proto_write.cc - write shardings as xla.OpSharding -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/hlo/op_sharding_types.h"
#include "shardwright/mesh/hlo/proto_wire.h"

namespace shardwright {
namespace {

ProtoType typeOf(Subgroup subgroup) {
  switch (subgroup) {
  case Subgroup::Maximal:
    return MAXIMAL;
  case Subgroup::Manual:
    return MANUAL;
  case Subgroup::Unreduced:
    return UNREDUCED;
  case Subgroup::Replicated:
    return REPLICATED;
  }
  return REPLICATED;
}

std::string metadataBytes(const OpMetadata &metadata) {
  ProtoWriter out;
  for (auto [number, key] : {std::pair(1, "op_type"), std::pair(2, "op_name"),
                             std::pair(3, "source_file")})
    for (const MetadataField &field : metadata)
      if (field.key == key)
        out.string(number, field.value);
  int64_t line;
  for (const MetadataField &field : metadata)
    if (field.key == "source_line" &&
        !llvm::StringRef(field.value).getAsInteger(10, line))
      out.varint(4, line);
  return out.take();
}

std::string axisBytes(const Mesh &mesh, AxisRef axis) {
  ProtoWriter out;
  out.varint(1, axis.axis);
  if (!mesh.isFull(axis)) {
    ProtoWriter sub;
    sub.varint(1, axis.preSize);
    sub.varint(2, axis.size);
    out.message(2, sub.take());
  }
  return out.take();
}

void writeAxes(ProtoWriter &out, int field, const Mesh &mesh, AxisRefs axes) {
  for (AxisRef axis : axes)
    out.message(field, axisBytes(mesh, axis));
}

std::string iotaBytes(const IotaOrder &iota) {
  ProtoWriter out;
  out.packed(1, iota.reshape());
  out.packed(2, llvm::SmallVector<int64_t, 4>(iota.perm()));
  return out.take();
}

std::string namedBytes(const HloSharding &s) {
  const NamedHloSharding &named = s.named();
  ProtoWriter mesh, out;
  for (const MeshAxis &axis : named.mesh.axes()) {
    ProtoWriter bytes;
    bytes.string(1, axis.name);
    bytes.varint(2, axis.size);
    mesh.message(1, bytes.take());
  }
  auto iota = IotaOrder::fromList(named.mesh.deviceIds());
  if (named.printIdsAsIota && iota)
    mesh.message(3, iotaBytes(*iota));
  else
    mesh.packed(2, named.mesh.deviceIds());
  out.message(2, mesh.take());
  for (const DimSharding &dim : named.sharding.dims) {
    ProtoWriter bytes;
    writeAxes(bytes, 1, named.mesh, dim.axes);
    bytes.varint(2, dim.isClosed);
    out.message(3, bytes.take());
  }
  writeAxes(out, 4, named.mesh, named.sharding.replicated);
  writeAxes(out, 5, named.mesh, named.sharding.unreduced);
  for (const OpMetadata &metadata : s.metadata)
    out.message(6, metadataBytes(metadata));
  writeAxes(out, 7, named.mesh, named.manual);
  return out.take();
}

ProtoType typeOf(HloSharding::Kind kind) {
  switch (kind) {
  case HloSharding::Kind::Maximal:
    return MAXIMAL;
  case HloSharding::Kind::Tuple:
    return TUPLE;
  case HloSharding::Kind::Tiled:
    return OTHER;
  case HloSharding::Kind::Manual:
    return MANUAL;
  case HloSharding::Kind::Unknown:
    return UNKNOWN;
  case HloSharding::Kind::Unreduced:
    return UNREDUCED;
  case HloSharding::Kind::Replicated:
  case HloSharding::Kind::Named:
    break;
  }
  return REPLICATED;
}

} // namespace

std::string HloSharding::toProto() const {
  ProtoWriter out;
  if (which == Kind::Named) {
    out.message(14, namedBytes(*this));
    return out.take();
  }
  out.varint(1, typeOf(which));
  if (isTiled()) {
    out.packed(3, dims);
    if (!order.iota())
      out.packed(4, order.list());
  } else if (which == Kind::Maximal) {
    out.packed(4, maximalDevice);
  }
  for (const HloSharding &leaf : leaves)
    out.message(5, leaf.toProto());
  if (isTiled() && replicatesOnLastTileDim())
    out.varint(6, 1);
  for (const OpMetadata &fields : metadata)
    out.message(7, metadataBytes(fields));
  if (isTiled()) {
    if (!replicatesOnLastTileDim()) {
      llvm::SmallVector<int64_t, 4> types;
      for (Subgroup subgroup : groups)
        types.push_back(typeOf(subgroup));
      out.packed(8, types);
    }
    if (const IotaOrder *iota = order.iota()) {
      out.packed(9, iota->reshape());
      out.packed(10, llvm::SmallVector<int64_t, 4>(iota->perm()));
    }
  }
  if (shardGroup) {
    out.varint(11, 1);
    out.varint(12, shardGroup->id);
    out.varint(13, shardGroup->isAs ? 0 : 1);
  }
  return out.take();
}

} // namespace shardwright
