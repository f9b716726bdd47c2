//===- sharding.cc - placements of arrays ---------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/mesh/sharding.h"

#include "shardwright/mesh/hlo/partition_spec.h"

namespace shardwright::frontend {

const Mesh &Sharding::mesh() const {
  static const auto &none = *new Mesh;
  return data ? data->mesh : none;
}
const AbstractMesh &Sharding::abstractMesh() const {
  static const auto &none = *new AbstractMesh;
  return data ? data->abstract : none;
}
const PartitionSpec &Sharding::spec() const {
  static const auto &none = *new PartitionSpec;
  return data ? data->spec : none;
}
const std::vector<Device> &Sharding::devices() const {
  static const auto &none = *new std::vector<Device>;
  return data ? data->devices : none;
}
const std::string &Sharding::memoryKind() const {
  static const auto &none = *new std::string;
  return data ? data->memoryKind : none;
}

bool operator==(const Sharding &a, const Sharding &b) {
  if (a.data == b.data)
    return true;
  if (!a.data || !b.data)
    return false;
  return a.data->kind == b.data->kind && a.data->mesh == b.data->mesh &&
         a.data->abstract == b.data->abstract && a.data->spec == b.data->spec &&
         a.data->devices == b.data->devices &&
         a.data->memoryKind == b.data->memoryKind;
}

static Status checkSetAxes(const AbstractMesh &mesh,
                           const std::string &meshText,
                           const PartitionSpec &spec, bool isReduced) {
  const auto &names = isReduced ? spec.reduced() : spec.unreduced();
  std::string title = isReduced ? "Reduced" : "Unreduced";
  for (const std::string &axis : names) {
    if (mesh.find(axis) < 0)
      return valueError(title, " axes ", axis,
                        " is not found in mesh.axis_names=",
                        namesText(mesh.names()), ". Got pspec=", spec.str());
    if (mesh.typeOf(axis) != AxisType::Explicit)
      return valueError(title,
                        " axes can only refer to mesh axes that is of type "
                        "`Explicit`. Got ",
                        isReduced ? "reduced" : "unreduced",
                        " axes: frozenset({'", axis,
                        "'}) and mesh: ", meshText);
  }
  return {};
}

Status Sharding::check(const AbstractMesh &mesh, const std::string &meshText,
                       const PartitionSpec &spec) {
  std::set<std::string> seen;
  bool unconstrained = false;
  for (const SpecEntry &entry : spec.entries()) {
    unconstrained |= entry.unconstrained;
    for (const std::string &axis : entry.axes)
      if (!seen.insert(axis).second)
        return makeError(ErrorKind::DuplicateSpec,
                         "A single NamedSharding spec specification can map "
                         "every mesh axis to at most one positional dimension, "
                         "but ",
                         spec.str(), " has duplicate entries for `", axis, "`");
  }
  for (const SpecEntry &entry : spec.entries())
    for (const std::string &axis : entry.axes)
      if (mesh.find(axis) < 0)
        return valueError("Resource axis: ", axis, " of ", spec.str(),
                          " is not found in mesh: ", namesText(mesh.names()),
                          ".");
  if (unconstrained && !mesh.empty() && !mesh.anyIs(AxisType::Auto)) {
    std::string types = "(";
    for (size_t i = 0; i < mesh.types().size(); ++i)
      types += cat(i ? ", " : "", frontend::str(mesh.types()[i]));
    types += mesh.types().size() == 1 ? ",)" : ")";
    return valueError(spec.str(),
                      " cannot contain `P.UNCONSTRAINED` when no mesh "
                      "axis_types are `Auto`. Got mesh axis_types: ",
                      types);
  }
  SW_TRY(checkSetAxes(mesh, meshText, spec, false));
  SW_TRY(checkSetAxes(mesh, meshText, spec, true));
  return {};
}

static constexpr std::string_view memoryKinds =
    "device, pinned_host, unpinned_host";

static bool isMemoryKind(const std::string &kind) {
  return kind.empty() || kind == "device" || kind == "pinned_host" ||
         kind == "unpinned_host";
}

static Status checkMemoryKind(const std::string &kind) {
  if (isMemoryKind(kind))
    return {};
  return valueError("Could not find memory addressable by device cpu. Device "
                    "cpu can address the following memory kinds: ",
                    memoryKinds, ". Got memory kind: ", kind);
}

Expected<Sharding> Sharding::named(const Mesh &mesh, const PartitionSpec &spec,
                                   std::string memoryKind) {
  SW_TRY(checkMemoryKind(memoryKind));
  SW_TRY(check(mesh.abstractMesh(), mesh.str(), spec));
  Sharding out;
  out.data = std::make_shared<const Data>(
      Data{Kind::Named, mesh, mesh.abstractMesh(), spec, mesh.devices(),
           memoryKind.empty() ? "device" : memoryKind});
  return out;
}

Expected<Sharding> Sharding::named(const AbstractMesh &mesh,
                                   const PartitionSpec &spec,
                                   std::string memoryKind) {
  SW_TRY(check(mesh, mesh.str(), spec));
  if (!isMemoryKind(memoryKind))
    return valueError("Got invalid memory kind: ", memoryKind,
                      ". Valid memory kinds are: ", memoryKinds);
  Sharding out;
  out.data = std::make_shared<const Data>(
      Data{Kind::Named, Mesh(), mesh, spec, {}, std::move(memoryKind)});
  return out;
}

Sharding Sharding::single(Device device) { return *single(device, "device"); }

Expected<Sharding> Sharding::single(Device device, std::string memoryKind) {
  SW_TRY(checkMemoryKind(memoryKind));
  Sharding out;
  out.data = std::make_shared<const Data>(
      Data{Kind::SingleDevice,
           Mesh(),
           AbstractMesh(),
           P(),
           {device},
           memoryKind.empty() ? "device" : std::move(memoryKind)});
  return out;
}

int64_t Sharding::numDevices() const {
  return isNamed() ? abstractMesh().size()
                   : static_cast<int64_t>(devices().size());
}

/// The error that an abstract mesh has no devices.
static Error needsDevices(std::string_view what) {
  return valueError(what,
                    " is not implemented for `jax.sharding.AbstractMesh`.");
}

Expected<std::vector<Device>> Sharding::deviceSet() const {
  if (isNamed() && !isConcrete())
    return needsDevices("device_set");
  return devices();
}

Expected<std::vector<Device>> Sharding::addressableDevices() const {
  if (isNamed() && !isConcrete())
    return needsDevices("addressable_devices");
  return devices();
}

Expected<Sharding> Sharding::withMemoryKind(std::string memoryKind) const {
  if (kind() == Kind::SingleDevice)
    return single(devices()[0], std::move(memoryKind));
  if (!isNamed())
    return valueError("UNSPECIFIED has no memory kind");
  return isConcrete() ? named(mesh(), spec(), std::move(memoryKind))
                      : named(abstractMesh(), spec(), std::move(memoryKind));
}

Expected<Sharding> Sharding::withSpec(const PartitionSpec &spec) const {
  if (!isNamed())
    return valueError(str(), " has no spec to change");
  return isConcrete() ? named(mesh(), spec, memoryKind())
                      : named(abstractMesh(), spec, memoryKind());
}

Expected<Sharding> Sharding::withMesh(const Mesh &mesh) const {
  if (!isNamed())
    return valueError(str(), " has no mesh to change");
  return named(mesh, spec(), memoryKind());
}

bool Sharding::isFullyReplicated() const {
  if (kind() != Kind::Named)
    return kind() == Kind::SingleDevice;
  if (abstractMesh().size() == 1)
    return true;
  int64_t ways = 1;
  for (const SpecEntry &entry : spec().entries())
    for (const std::string &axis : entry.axes)
      ways *= abstractMesh().sizeOf(axis);
  return ways == 1 && spec().unreduced().empty();
}

Status Sharding::checkCompatible(const Shape &shape) const {
  int64_t needed = static_cast<int64_t>(spec().entries().size());
  if (kind() != Kind::Named || needed <= shape.rank())
    return {};
  return valueError(
      "Sharding ", str(),
      " is only valid for values of rank at "
      "least ",
      needed, ", but was applied to a value of rank ", shape.rank(), ".",
      shape.rank() == 0 ? " For scalars the PartitionSpec should be P()" : "");
}

static int64_t waysOf(const AbstractMesh &mesh, const SpecEntry &entry) {
  int64_t ways = 1;
  for (const std::string &axis : entry.axes)
    ways *= mesh.sizeOf(axis);
  return ways;
}

Expected<Shape> Sharding::shardShape(const Shape &shape) const {
  if (kind() != Kind::Named)
    return shape;
  SW_TRY(checkCompatible(shape));
  Shape out = shape;
  Ints ways(shape.size(), 1);
  for (int64_t d = 0; d < shape.rank(); ++d)
    ways[d] = waysOf(abstractMesh(), spec()[d]);
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape[d] % ways[d]) {
      std::string factors = "[";
      for (size_t i = 0; i < ways.size(); ++i)
        factors += cat(i ? ", " : "", ways[i]);
      return makeError(ErrorKind::Indivisible, "Sharding ", str(),
                       " implies that array axis ", d, " is partitioned ",
                       ways[d], " times, but the dimension size is ", shape[d],
                       " (full shape: ", tupleText(shape),
                       ", per-dimension tiling factors: ", factors,
                       "] should evenly divide the shape)");
    }
    out.at(d) = shape[d] / ways[d];
  }
  return out;
}

IndexBox Sharding::boxOf(const Shape &shape, int64_t position) const {
  const AbstractMesh &mesh = abstractMesh();
  Ints coordinate(mesh.numAxes());
  for (int64_t a = mesh.numAxes() - 1; a >= 0; --a) {
    coordinate[a] = position % mesh.sizes()[a];
    position /= mesh.sizes()[a];
  }
  IndexBox box(shape.size());
  for (int64_t d = 0; d < shape.rank(); ++d) {
    int64_t ways = 1, chunk = 0;
    for (const std::string &axis : spec()[d].axes) {
      int64_t a = mesh.find(axis);
      ways *= mesh.sizes()[a];
      chunk = chunk * mesh.sizes()[a] + coordinate[a];
    }
    int64_t size = shape[d] / ways;
    box[d] = {chunk * size, (chunk + 1) * size};
  }
  return box;
}

Expected<std::vector<IndexBox>>
Sharding::devicesIndicesMap(const Shape &shape) const {
  if (isNamed() && !isConcrete())
    return needsDevices("_device_assignment");
  SW_TRY(shardShape(shape));
  std::vector<IndexBox> out;
  for (size_t k = 0; k < devices().size(); ++k)
    out.push_back(boxOf(shape, static_cast<int64_t>(k)));
  return out;
}

std::string Sharding::hloText(int64_t rank) const {
  if (kind() != Kind::Named)
    return "{replicated}";
  llvm::SmallVector<MeshAxis, 4> meshAxes;
  for (int64_t i = 0; i < abstractMesh().numAxes(); ++i)
    meshAxes.push_back({abstractMesh().names()[i], abstractMesh().sizes()[i]});
  shardwright::PartitionSpec converted;
  for (const SpecEntry &entry : spec().entries()) {
    shardwright::PartitionSpec::Entry e;
    e.axes.append(entry.axes.begin(), entry.axes.end());
    converted.entries.push_back(std::move(e));
  }
  converted.unreduced.append(spec().unreduced().begin(),
                             spec().unreduced().end());
  AxisNames manualAxes = abstractMesh().axesOf(AxisType::Manual);
  auto hlo = toTiled(converted, shardwright::Mesh(meshAxes), rank, manualAxes);
  if (!hlo)
    return cat("{invalid: ", llvm::toString(hlo.takeError()), "}");
  return hlo->str();
}

std::string Sharding::tileKey(int64_t rank) const {
  if (!data)
    return "unspecified";
  std::string key = hloText(rank);
  for (int64_t d = 0; d < rank; ++d)
    if (spec()[d].unconstrained)
      key += cat(" ?", d);
  return key;
}

std::string Sharding::semanticKey(int64_t rank) const {
  std::string key = tileKey(rank);
  if (!memoryKind().empty() && memoryKind() != "device")
    key += memoryKind();
  return key;
}

bool Sharding::isEquivalentTo(const Sharding &other, int64_t rank) const {
  if (*this == other)
    return true;
  if (!data || !other.data)
    return false;
  bool bothAbstract = devices().empty() && other.devices().empty();
  if (!bothAbstract && devices() != other.devices())
    return false;
  return semanticKey(rank) == other.semanticKey(rank);
}

std::string Sharding::str() const {
  switch (kind()) {
  case Kind::Unspecified:
    return "UNSPECIFIED";
  case Kind::SingleDevice:
    return cat("SingleDeviceSharding(device=", devices()[0].repr(),
               ", memory_kind=", memoryKind(), ")");
  case Kind::Named:
    break;
  }
  std::string text = cat(
      "NamedSharding(mesh=", isConcrete() ? mesh().str() : abstractMesh().str(),
      ", spec=", spec().str());
  if (!memoryKind().empty())
    text += cat(", memory_kind=", memoryKind());
  return text + ")";
}

} // namespace shardwright::frontend
