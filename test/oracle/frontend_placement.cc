//===- frontend_placement.cc - shardings and moves of arrays --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers of frontend_mesh_server for frontend_arrays.py: what a sharding says,
// and where the elements of an array are after it was placed and moved.
//
//===----------------------------------------------------------------------===//

#include "frontend_mesh_ops.h"

using namespace shardwright::frontend;

std::string placement(const Keys &keys);

namespace {

std::string boxText(const IndexBox &box) {
  std::string out;
  for (const IndexRange &r : box)
    out += cat(out.empty() ? "" : ",", r.begin, ":", r.end);
  return out;
}

std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (char c : text)
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (c == '\n')
      out += "\\n";
    else
      out += c;
  return out + "\"";
}

/// `which`: empty, or "2" for the second sharding.
Expected<Sharding> shardingOf(const Keys &keys, const std::string &which) {
  auto key = [&](const char *name) {
    return word(keys, (name + which).c_str());
  };
  if (std::string device = key("device"); !device.empty())
    return Sharding::single(Device{static_cast<int32_t>(std::stoi(device))},
                            key("kind"));
  std::vector<Device> list;
  for (int64_t id : intsOf(key("order")))
    list.push_back(Device{static_cast<int32_t>(id)});
  std::vector<AxisType> types;
  for (const std::string &name : split(key("types"), ','))
    types.push_back(name == "Explicit" ? AxisType::Explicit : AxisType::Auto);
  Expected<Mesh> mesh =
      Mesh::get(list, intsOf(key("sizes")), split(key("names"), ','), types);
  if (!mesh)
    return mesh.error();
  return Sharding::named(*mesh, specOf(key("spec")), key("kind"));
}

/// What a sharding says of a shape; the boxes also by way of its HLO text.
std::string describe(const Sharding &s, const Shape &shape) {
  std::string text = cat(s.str(), s.isFullyReplicated() ? " replicated" : "");
  if (Status fits = s.checkCompatible(shape); !fits)
    return cat(text, " ", fits.error().str());
  text = cat(s.hloText(shape.rank()), " ", text);
  Expected<Shape> local = s.shardShape(shape);
  if (!local)
    return cat(text, " ", local.error().str());
  text += cat(" ", tupleText(*local));
  auto boxes = s.devicesIndicesMap(shape);
  if (!boxes)
    return cat(text, " ", boxes.error().str());
  for (size_t k = 0; k < boxes->size(); ++k)
    text += cat(" ", s.devices()[k].id, "=", boxText((*boxes)[k]));
  Expected<Sharding> again =
      s.kind() == Sharding::Kind::SingleDevice
          ? Expected<Sharding>(s)
          : Sharding::fromHlo(s.hloText(shape.rank()), s.devices(),
                              s.memoryKind());
  if (!again)
    return cat(text, " from HLO: ", again.error().str());
  if (!again->isEquivalentTo(s, shape.rank()) ||
      *again->devicesIndicesMap(shape) != *boxes)
    return cat(text, " from HLO: ", again->str());
  return text;
}

/// Every shard with its elements; then the elements on the host.
std::string contents(const Tensor &x) {
  if (!x.ok())
    return x.error().str();
  auto shards = addressableShards(x);
  if (!shards)
    return shards.error().str();
  auto numbers = [](const Tensor &part) {
    std::string out;
    auto values = astype(part, DType::F32).toVector<float>();
    if (!values)
      return values.error().str();
    for (float v : *values)
      out += cat(out.empty() ? "" : ",", static_cast<int64_t>(v));
    return out;
  };
  auto bytes = x.onDeviceSizeInBytes();
  std::string text = cat(x.sharding().str(), x.committed() ? " committed" : "",
                         " ", x.nbytes(), " ", bytes ? *bytes : -1);
  for (const Shard &s : *shards)
    text += cat(" ", s.device.id, "=", boxText(s.index), "#", s.replicaId, "(",
                numbers(s.data), ")@", s.data.sharding().memoryKind());
  return cat(text, " [", numbers(devicePut(x, Device{0})), "]");
}

/// The sharding, the type, and the elements on each device.
std::string pieces(const Tensor &x) {
  if (!x.ok())
    return x.error().str();
  auto shards = addressableShards(x);
  if (!shards)
    return shards.error().str();
  std::string text = cat(x.sharding().str(), " ", x.aval().str());
  for (const Shard &s : *shards) {
    text += cat(" ", s.device.id, "=");
    auto values = s.data.toVector<float>();
    for (float v : values ? *values : std::vector<float>{-1})
      text += cat(static_cast<int64_t>(v), ",");
  }
  return text;
}

/// An array that is resharded outside of jit, and back.
std::string resharded(const Keys &keys) {
  Shape shape(intsOf(word(keys, "shape")));
  Expected<Sharding> first = shardingOf(keys, ""),
                     second = shardingOf(keys, "2");
  if (!first || !second)
    return quoted((first ? second : first).error().str());
  Tensor x = reshape(arange(shape.elements(), DType::F32), shape);
  Tensor there = reshard(devicePut(x, *first), *second);
  return cat("{\"there\": ", quoted(pieces(there)),
             ", \"back\": ", quoted(pieces(reshard(there, *first))), "}");
}

} // namespace

std::string placement(const Keys &keys) {
  if (!word(keys, "reshard").empty())
    return resharded(keys);
  Shape shape(intsOf(word(keys, "shape")));
  Expected<Sharding> first = shardingOf(keys, "");
  Expected<Sharding> second = shardingOf(keys, "2");
  auto said = [&](const Expected<Sharding> &s) {
    return quoted(s ? describe(*s, shape) : s.error().str());
  };
  std::string out =
      cat("{\"first\": ", said(first), ", \"second\": ", said(second));
  if (first && second) {
    Tensor x = astype(reshape(arange(shape.elements(), DType::I32), shape),
                      word(keys, "type") == "int8"       ? DType::I8
                      : word(keys, "type") == "bfloat16" ? DType::BF16
                                                         : DType::F32);
    Tensor placed = devicePut(x, *first);
    Tensor moved = devicePut(placed, *second);
    out += cat(", \"equivalent\": \"",
               first->isEquivalentTo(*second, shape.rank()) ? "yes" : "no",
               "\", \"placed\": ", quoted(contents(placed)),
               ", \"moved\": ", quoted(contents(moved)));
  }
  return out + "}";
}
