//===- nesting.cc - the mesh of a pmap and those inside of it -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/pmap/nesting.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

thread_local PmapNest *nestInScope = nullptr;
thread_local int tilesDepth = 0;

/// True if all axes of that name are this one.
bool isOnlyOne(const PmapAxis &axis, const std::vector<PmapAxis> &axes) {
  return std::all_of(axes.begin(), axes.end(), [&](const PmapAxis &other) {
    return other.name != axis.name || other == axis;
  });
}

/// A name that no pmap and no mesh axis has.
std::string freshName(const std::string &base,
                      const std::vector<PmapAxis> &axes,
                      const AxisNames &taken) {
  auto isTaken = [&](const std::string &name) {
    return std::find(taken.begin(), taken.end(), name) != taken.end() ||
           std::any_of(axes.begin(), axes.end(),
                       [&](const PmapAxis &axis) { return axis.name == name; });
  };
  for (size_t k = 0;; ++k)
    if (std::string name = cat(base, "_", k); !isTaken(name))
      return name;
}

/// A name for the mesh axis between two boundaries: that of a pmap whose axis
/// it is, if the name means nothing else.
std::string nameOf(int64_t begin, int64_t end,
                   const std::vector<PmapAxis> &axes, const AxisNames &taken) {
  std::string base;
  for (const PmapAxis &axis : axes) {
    if (axis.begin == begin && axis.end == end && isOnlyOne(axis, axes))
      return axis.name;
    if (base.empty() && axis.begin <= begin && end <= axis.end)
      base = axis.name;
  }
  return freshName(base, axes, taken);
}

} // namespace

Expected<PmapNest> PmapNest::get(std::vector<PmapAxis> axes,
                                 const std::vector<Device> &available) {
  PmapNest out;
  out.available = available;
  std::set<int64_t> all{1};
  for (const PmapAxis &axis : axes)
    all.insert(axis.end);
  out.cuts.assign(all.begin(), all.end());
  Ints sizes;
  AxisNames taken;
  for (const PmapAxis &axis : axes) {
    if (axis.begin != axis.end)
      continue;
    taken.push_back(isOnlyOne(axis, axes) ? axis.name
                                          : freshName(axis.name, axes, taken));
    sizes.push_back(1);
    out.ones.emplace_back(axis, taken.back());
  }
  for (size_t i = 0; i + 1 < out.cuts.size(); ++i) {
    if (out.cuts[i + 1] % out.cuts[i])
      return valueError("Nested pmaps side by side must divide each other: "
                        "they would run on ",
                        out.cuts[i], " and on ", out.cuts[i + 1],
                        " devices, which have no common mesh.");
    sizes.push_back(out.cuts[i + 1] / out.cuts[i]);
    taken.push_back(nameOf(out.cuts[i], out.cuts[i + 1], axes, taken));
    out.names.push_back(taken.back());
  }
  int64_t total = out.cuts.back();
  if (total > static_cast<int64_t>(available.size()))
    return valueError("a pmap needs ", total, " devices, but only ",
                      available.size(), " are available");
  std::vector<Device> used(available.begin(), available.begin() + total);
  Expected<Mesh> mesh = Mesh::get(used, sizes, taken);
  if (!mesh)
    return mesh.error();
  out.ownMesh = *mesh;
  out.allAxes = std::move(axes);
  return out;
}

AxisNames PmapNest::meshAxes(const PmapAxis &axis) const {
  for (const auto &[one, name] : ones)
    if (one == axis)
      return {name};
  AxisNames out;
  for (size_t i = 0; i + 1 < cuts.size(); ++i)
    if (axis.begin <= cuts[i] && cuts[i + 1] <= axis.end)
      out.push_back(names[i]);
  return out;
}

bool PmapNest::has(const PmapAxis &axis) const {
  return std::find(allAxes.begin(), allAxes.end(), axis) != allAxes.end();
}

PmapNest *currentNest() { return nestInScope; }

ScopedNest::ScopedNest(PmapNest &nest, PmapAxis axis) : old(nestInScope) {
  nest.open.push_back(std::move(axis));
  nestInScope = &nest;
}
ScopedNest::~ScopedNest() {
  nestInScope->open.pop_back();
  nestInScope = old;
}

ScopedTiles::ScopedTiles() { ++tilesDepth; }
ScopedTiles::~ScopedTiles() { --tilesDepth; }
bool isInTiles() { return tilesDepth > 0; }

} // namespace shardwright::frontend
