//===- aval.cc - types of values ------------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/array/aval.h"

namespace shardwright::frontend {

PartitionSpec Aval::spec() const {
  return sharding ? sharding->spec : PartitionSpec().normalized(rank());
}

static std::string groupText(const AxisNames &axes) {
  if (axes.size() == 1)
    return axes[0];
  std::string out = "(";
  for (size_t i = 0; i < axes.size(); ++i)
    out += (i ? "," : "") + axes[i];
  return out + ")";
}

static std::string typeText(const Aval &aval, std::string_view name) {
  if (aval.isRef()) {
    Aval inner = aval;
    inner.ref = nullptr;
    const RefType &ref = *aval.ref;
    return cat("Ref", ref.space.empty() ? "" : cat("<", ref.space, ">"), "{",
               typeText(inner, ref.counter.empty() ? name : ref.counter), "}");
  }
  if (aval.dtype == DType::Token)
    return "Tok";
  std::string out = cat(name, aval.onHost ? "<host>[" : "[");
  for (int64_t d = 0; d < aval.rank(); ++d) {
    out += cat(d ? "," : "", aval.shape[d]);
    if (aval.sharding && !aval.sharding->spec[d].axes.empty())
      out += cat("@", groupText(aval.sharding->spec[d].axes));
  }
  out += "]";
  auto names = [&](AxisNames out, const std::set<std::string> &set) {
    for (const std::string &axis : aval.sharding->mesh.names())
      if (set.count(axis))
        out.push_back(axis);
    return out;
  };
  std::string suffix;
  auto add = [&](const char *letter, const AxisNames &axes) {
    if (!axes.empty())
      suffix += cat(suffix.empty() ? "" : ", ", letter, ":", groupText(axes));
  };
  add("V", aval.varying);
  if (aval.sharding) {
    add("U", names(aval.unreduced, aval.sharding->spec.unreduced()));
    add("R", names(aval.reduced, aval.sharding->spec.reduced()));
  } else {
    add("U", aval.unreduced);
    add("R", aval.reduced);
  }
  return suffix.empty() ? out : cat(out, "{", suffix, "}");
}

std::string Aval::str() const { return typeText(*this, shortName(dtype)); }
std::string Aval::longStr() const { return typeText(*this, name(dtype)); }

Aval Aval::withShape(Shape newShape) const {
  Aval out = *this;
  out.shape = std::move(newShape);
  out.sharding = nullptr;
  return out;
}

Aval Aval::withType(DType type) const {
  Aval out = *this;
  out.dtype = type;
  out.weak = false;
  return out;
}

Aval Aval::withDim(int64_t at, int64_t size) const {
  Aval out = *this;
  out.shape.insert(out.shape.begin() + at, size);
  if (!sharding)
    return out;
  std::vector<SpecEntry> entries = sharding->spec.entries();
  entries.insert(entries.begin() + at, SpecEntry());
  out.sharding = std::make_shared<const TypeSharding>(TypeSharding{
      sharding->mesh, *PartitionSpec::get(entries, sharding->spec.unreduced(),
                                          sharding->spec.reduced())});
  return out;
}

Aval Aval::withoutDim(int64_t at) const {
  Aval out = *this;
  out.shape.erase(out.shape.begin() + at);
  if (!sharding)
    return out;
  std::vector<SpecEntry> entries = sharding->spec.entries();
  entries.erase(entries.begin() + at);
  out.sharding = std::make_shared<const TypeSharding>(TypeSharding{
      sharding->mesh, *PartitionSpec::get(entries, sharding->spec.unreduced(),
                                          sharding->spec.reduced())});
  return out;
}

bool Aval::sameType(const Aval &other) const {
  if (dtype != other.dtype || shape != other.shape ||
      varying != other.varying || unreduced != other.unreduced ||
      reduced != other.reduced || onHost != other.onHost ||
      isRef() != other.isRef() || (ref && !(*ref == *other.ref)))
    return false;
  if (sharding == other.sharding)
    return true;
  if (sharding && other.sharding)
    return *sharding == *other.sharding;
  // A value without a mesh is as one that no axis shards.
  const PartitionSpec &spec = (sharding ? sharding : other.sharding)->spec;
  return spec == P().normalized(rank());
}

Aval tangentAval(const Aval &aval) {
  Aval out = aval;
  out.weak = false;
  if (!isInexact(aval.dtype))
    out.dtype = DType::Float0;
  return out;
}

Status checkShape(const Shape &shape) {
  for (int64_t size : shape)
    if (size < 0)
      return valueError("negative dimensions are not allowed, got shape ",
                        tupleText(shape));
  return {};
}

Status checkSizes(const Aval &aval, const TypeSharding &sharding) {
  for (int64_t d = 0; d < aval.rank(); ++d) {
    int64_t ways = 1;
    for (const std::string &axis : sharding.spec[d].axes)
      ways *= sharding.mesh.sizeOf(axis);
    if (aval.shape[d] % ways)
      return valueError(
          "Sharding spec ", namesText(sharding.spec[d].axes),
          " implies that array axis ", d, " is partitioned ", ways,
          " times, but does not evenly divide the dimension size ",
          aval.shape[d], ". Got shape: ", tupleText(aval.shape),
          " and sharding NamedSharding(mesh=", sharding.mesh.str(),
          ", spec=", sharding.spec.str(), ")");
  }
  return {};
}

} // namespace shardwright::frontend
