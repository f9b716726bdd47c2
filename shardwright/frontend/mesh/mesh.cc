//===- mesh.cc - meshes of devices with named axes ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/mesh/mesh.h"

#include "shardwright/frontend/mesh/device_check.h"
#include "shardwright/frontend/mesh/open_traces.h"
#include "shardwright/frontend/mesh/topology.h"

#include <map>
#include <mutex>
#include <set>
#include <tuple>

namespace shardwright::frontend {
namespace {

/// One object for equal keys, for the life of the process: caches identify
/// meshes by their addresses.
template <typename Key, typename Data> class Interned {
public:
  template <typename Make>
  std::shared_ptr<const Data> get(const Key &key, Make make) {
    std::lock_guard lock(mutex);
    std::shared_ptr<const Data> &entry = table[key];
    if (!entry)
      entry = std::make_shared<const Data>(make());
    return entry;
  }

private:
  std::mutex mutex;
  std::map<Key, std::shared_ptr<const Data>> table;
};

std::string typesText(const std::vector<AxisType> &types) {
  std::string out = "(";
  for (size_t i = 0; i < types.size(); ++i)
    out += cat(i ? ", " : "", str(types[i]));
  return out + (types.size() == 1 ? ",)" : ")");
}

std::string axesText(const AbstractMesh &mesh) {
  std::string out;
  for (int64_t i = 0; i < mesh.numAxes(); ++i)
    out += cat("'", mesh.names()[i], "': ", mesh.sizes()[i], ", ");
  return out;
}

thread_local AbstractMesh currentAbstract;
thread_local Mesh currentMesh;

} // namespace

std::string_view str(AxisType type) {
  return type == AxisType::Auto       ? "Auto"
         : type == AxisType::Explicit ? "Explicit"
                                      : "Manual";
}

std::string namesText(const AxisNames &names) {
  std::string out = "(";
  for (size_t i = 0; i < names.size(); ++i)
    out += cat(i ? ", " : "", "'", names[i], "'");
  return out + (names.size() == 1 ? ",)" : ")");
}

AbstractMesh::AbstractMesh() {
  static const auto &none =
      *new std::shared_ptr<const Data>(std::make_shared<const Data>());
  data = none;
}

Expected<AbstractMesh>
AbstractMesh::get(const Ints &sizes, const AxisNames &names,
                  std::vector<AxisType> types,
                  const std::optional<AbstractDevice> &device) {
  if (types.empty())
    types.assign(names.size(), AxisType::Auto);
  if (sizes.size() != names.size())
    return valueError("Mesh requires one size for each axis name, but got "
                      "sizes ",
                      tupleText(sizes), " and axis_names=", namesText(names));
  if (types.size() != names.size())
    return valueError("Number of axis names should match the number of "
                      "axis_types. Got axis_names=",
                      namesText(names), " and axis_types=", typesText(types));
  if (std::set<std::string>(names.begin(), names.end()).size() != names.size())
    return valueError("Mesh axis names must be unique. Got: ",
                      namesText(names));
  int64_t size = names.empty() ? 0 : 1;
  for (int64_t s : sizes)
    if (s < 1 || __builtin_mul_overflow(size, s, &size))
      return valueError("Mesh axis sizes must be positive, and their product "
                        "below 2^63. Got: ",
                        tupleText(sizes));
  if (names.empty())
    return AbstractMesh();
  using Key = std::tuple<Ints, AxisNames, std::vector<AxisType>,
                         std::optional<AbstractDevice>>;
  static auto *table = new Interned<Key, Data>;
  return AbstractMesh(table->get(Key{sizes, names, types, device}, [&] {
    return Data{sizes, names, types, size, device};
  }));
}

int64_t AbstractMesh::find(std::string_view name) const {
  for (int64_t i = 0; i < numAxes(); ++i)
    if (names()[i] == name)
      return i;
  return -1;
}
int64_t AbstractMesh::sizeOf(std::string_view name) const {
  int64_t i = find(name);
  return i < 0 ? 1 : sizes()[i];
}
AxisType AbstractMesh::typeOf(std::string_view name) const {
  int64_t i = find(name);
  return i < 0 ? AxisType::Auto : types()[i];
}
bool AbstractMesh::allAre(AxisType type) const {
  return !empty() && axesOf(type).size() == names().size();
}
bool AbstractMesh::anyIs(AxisType type) const { return !axesOf(type).empty(); }
AxisNames AbstractMesh::axesOf(AxisType type) const {
  AxisNames out;
  for (int64_t i = 0; i < numAxes(); ++i)
    if (types()[i] == type)
      out.push_back(names()[i]);
  return out;
}
AbstractMesh AbstractMesh::withTypes(const AxisNames &changed,
                                     AxisType type) const {
  std::vector<AxisType> newTypes = types();
  for (const std::string &name : changed)
    if (int64_t i = find(name); i >= 0)
      newTypes[i] = type;
  return *get(sizes(), names(), std::move(newTypes), device());
}
Expected<AbstractMesh>
AbstractMesh::update(const AbstractMeshChanges &changes) const {
  return get(changes.sizes.value_or(sizes()), changes.names.value_or(names()),
             changes.types.value_or(types()),
             changes.device ? changes.device : device());
}
std::string AbstractMesh::str() const {
  if (empty())
    return "AbstractMesh((), axis_types=())";
  std::string text =
      cat("AbstractMesh(", axesText(*this), "axis_types=", typesText(types()));
  if (const auto &d = device())
    text +=
        cat(", device_kind=", d->deviceKind,
            ", num_cores=", d->numCores ? std::to_string(*d->numCores) : "None",
            ", platform=", d->platform);
  return text + ")";
}

Mesh::Mesh() {
  static const auto &none =
      *new std::shared_ptr<const Data>(std::make_shared<const Data>());
  data = none;
}

Expected<Mesh> Mesh::get(const std::vector<Device> &list, const Ints &sizes,
                         const AxisNames &names, std::vector<AxisType> types) {
  if (sizes.size() != names.size())
    return valueError(
        "Mesh requires the ndim of its first argument (`devices`) to equal "
        "the length of its second argument (`axis_names`), but got "
        "devices.ndim == ",
        sizes.size(), " and len(axis_names) == ", names.size(), ".");
  static const auto &cpu = *new AbstractDevice{"cpu", {}, "cpu"};
  Expected<AbstractMesh> abstract = AbstractMesh::get(sizes, names, types, cpu);
  if (!abstract)
    return abstract.error();
  if (static_cast<int64_t>(list.size()) != Shape(sizes).elements())
    return valueError("Number of devices ", list.size(),
                      " must equal the product of mesh_shape ",
                      tupleText(sizes));
  SW_TRY(checkDevices(list));
  Ints ids;
  for (Device d : list)
    ids.push_back(d.id);
  if (std::set<int64_t>(ids.begin(), ids.end()).size() != ids.size())
    return valueError("Mesh devices must be unique. Got device ids ",
                      idsText(list));
  using Key = std::tuple<Ints, AbstractMesh const *, std::string>;
  static auto *table = new Interned<Key, Data>;
  // The abstract mesh is interned, and its address never used again.
  Key key{ids, static_cast<const AbstractMesh *>(abstract->identity()),
          abstract->str()};
  return Mesh(table->get(key, [&] { return Data{list, *abstract}; }));
}

Expected<Mesh> Mesh::update(const MeshChanges &changes) const {
  return get(changes.devices.value_or(devices()),
             changes.sizes.value_or(sizes()), changes.names.value_or(names()),
             changes.types.value_or(abstractMesh().types()));
}

std::string Mesh::repr() const {
  if (empty())
    return "Mesh()";
  return cat("Mesh(axis_sizes=", tupleText(sizes()),
             ", axis_names=", namesText(names()),
             ", axis_types=", typesText(abstractMesh().types()), ")");
}

std::string Mesh::str() const {
  if (empty())
    return "Mesh()";
  std::string axes = axesText(abstractMesh());
  return cat("Mesh(", axes, "axis_types=", typesText(abstractMesh().types()),
             ")");
}

Expected<Mesh> makeMesh(const Ints &sizes, const AxisNames &names,
                        std::vector<AxisType> types, std::vector<Device> from) {
  return makeMesh(sizes, names, std::move(types),
                  Topology::of(from.empty() ? devices() : from));
}

const AbstractMesh &contextAbstractMesh() { return currentAbstract; }
const Mesh &contextMesh() { return currentMesh; }

int &detail::openTraces() {
  static thread_local int count = 0;
  return count;
}

Status setMesh(const Mesh &mesh) {
  if (detail::openTraces() > 0)
    return valueError("`set_mesh` can only be used outside of `jax.jit`.");
  if (mesh.abstractMesh().anyIs(AxisType::Manual))
    return valueError(
        "mesh ", mesh.str(),
        " contains manual axes which is not allowed when using "
        "`jax.set_mesh`. Please use `jax.shard_map` to enter into `Manual` "
        "mode instead.");
  currentAbstract = mesh.abstractMesh();
  currentMesh = mesh;
  return {};
}

ScopedMesh::ScopedMesh(const Mesh &mesh)
    : oldAbstract(currentAbstract), oldMesh(currentMesh),
      result(setMesh(mesh)) {}
ScopedMesh::~ScopedMesh() {
  currentAbstract = oldAbstract;
  currentMesh = oldMesh;
}

ScopedAbstractMesh::ScopedAbstractMesh(const AbstractMesh &mesh)
    : old(currentAbstract) {
  if (!old.empty() && !mesh.empty() && old.size() != mesh.size()) {
    result =
        valueError("use_abstract_mesh cannot change the size of the "
                   "mesh. Got new mesh: ",
                   mesh.str(), " with size=", mesh.size(),
                   " and prev mesh: ", old.str(), " with size=", old.size());
    return;
  }
  currentAbstract = mesh;
}
ScopedAbstractMesh::~ScopedAbstractMesh() { currentAbstract = old; }

} // namespace shardwright::frontend
