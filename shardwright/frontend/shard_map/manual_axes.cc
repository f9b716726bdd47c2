//===- manual_axes.cc - manual axes of meshes in programs -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/shard_map/manual_axes.h"

#include "shardwright/frontend/base/lists.h"

#include <algorithm>

namespace shardwright::frontend {

std::string MeshParam::str() const {
  return sharding.isConcrete() ? sharding.mesh().str() : abstractMesh().str();
}
std::string MeshParam::key() const {
  return cat(reinterpret_cast<uintptr_t>(sharding.mesh().identity()), ":",
             reinterpret_cast<uintptr_t>(abstractMesh().identity()));
}

std::string AxisSet::str() const {
  return cat("frozenset({", quotedNames(names), "})");
}
std::string AxisSet::repr() const {
  return names.empty() ? "frozenset()" : str();
}

std::string SpecList::str() const {
  std::string out = "(";
  for (size_t i = 0; i < specs.size(); ++i)
    out += cat(i ? ", " : "", specs[i].str());
  return out + (specs.size() == 1 ? ",)" : ")");
}

static std::vector<NamedAxis> manualAxes(const AbstractMesh &mesh,
                                         const AxisNames &names, bool check) {
  std::vector<NamedAxis> out;
  for (const std::string &name : mesh.names())
    if (contains(names, name))
      out.push_back({name, mesh.sizeOf(name), true, check});
  return out;
}

ManualScope::ManualScope(const AbstractMesh &inner, const AxisNames &names,
                         bool check)
    : mesh(inner), axes(manualAxes(inner, names, check)) {}

bool tracksVarying() {
  const std::vector<NamedAxis> &axes = axisEnvironment();
  for (size_t i = axes.size(); i-- > 0;)
    if (axes[i].isManual)
      return axes[i].isChecked;
  return false;
}

bool contains(const AxisNames &names, const std::string &name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

AxisNames without(const AxisNames &a, const AxisNames &b) {
  AxisNames out;
  for (const std::string &name : a)
    if (!contains(b, name))
      out.push_back(name);
  return out;
}

AxisNames axesOf(const PartitionSpec &spec) {
  AxisNames out;
  for (const SpecEntry &entry : spec.entries())
    out.insert(out.end(), entry.axes.begin(), entry.axes.end());
  return out;
}

AxisNames keptOf(const AxisNames &names, const std::set<std::string> &axes) {
  AxisNames out;
  for (const std::string &name : names)
    if (axes.count(name))
      out.push_back(name);
  return out;
}

PartitionSpec swapped(const PartitionSpec &spec) {
  return *PartitionSpec::get(spec.entries(), spec.reduced(), spec.unreduced());
}
std::vector<PartitionSpec> swapped(const std::vector<PartitionSpec> &specs) {
  std::vector<PartitionSpec> out;
  for (const PartitionSpec &spec : specs)
    out.push_back(swapped(spec));
  return out;
}

PartitionSpec withEntry(const PartitionSpec &spec, SpecEntry entry) {
  std::vector<SpecEntry> entries = spec.entries();
  entries.insert(entries.begin(), std::move(entry));
  return *PartitionSpec::get(std::move(entries), spec.unreduced(),
                             spec.reduced());
}

int64_t sizeOf(const AbstractMesh &mesh, const AxisNames &axes) {
  int64_t size = 1;
  for (const std::string &axis : axes)
    size *= mesh.sizeOf(axis);
  return size;
}

/// Positions of devices, in row-major order over `axes`, the others at 0.
static Ints positionsAlong(const AbstractMesh &mesh, const AxisNames &axes) {
  Ints out{0};
  for (const std::string &axis : axes) {
    int64_t at = mesh.find(axis), stride = 1;
    for (int64_t i = at + 1; i < mesh.numAxes(); ++i)
      stride *= mesh.sizes()[i];
    Ints next;
    for (int64_t base : out)
      for (int64_t i = 0; i < mesh.sizes()[at]; ++i)
        next.push_back(base + i * stride);
    out = std::move(next);
  }
  return out;
}

std::vector<Ints> deviceGroups(const AbstractMesh &mesh, const AxisNames &axes,
                               const IntsList &subgroups) {
  Ints inside = positionsAlong(mesh, axes);
  std::vector<Ints> out;
  for (int64_t base : positionsAlong(mesh, without(mesh.names(), axes))) {
    Ints group;
    for (int64_t offset : inside)
      group.push_back(base + offset);
    if (subgroups.empty()) {
      out.push_back(std::move(group));
      continue;
    }
    for (const Ints &members : subgroups) {
      Ints part;
      for (int64_t i : members)
        part.push_back(group[i]);
      out.push_back(std::move(part));
    }
  }
  return out;
}

std::string denseGroups(const std::vector<Ints> &groups) {
  std::string out = "dense<[";
  for (size_t i = 0; i < groups.size(); ++i) {
    out += i ? ", [" : "[";
    for (size_t k = 0; k < groups[i].size(); ++k)
      out += cat(k ? ", " : "", groups[i][k]);
    out += "]";
  }
  return cat(out, "]> : tensor<", groups.size(), "x",
             groups.empty() ? 0 : groups[0].size(), "xi64>");
}

} // namespace shardwright::frontend
