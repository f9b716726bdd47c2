//===- nesting.h - the mesh of a pmap and those inside of it ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_PMAP_NESTING_H
#define SHARDWRIGHT_FRONTEND_PMAP_NESTING_H

#include "shardwright/frontend/mesh/mesh.h"

#include <set>

namespace shardwright::frontend {

/// The axis of one pmap in a nest of them. `begin`: the number of devices along
/// the axes around it; `end`: that with its own axis.
struct PmapAxis {
  std::string name;
  int64_t begin = 1, end = 1;
  /// Of an axis of one element, the number of axes around it.
  size_t depth = 0;
  friend bool operator==(const PmapAxis &, const PmapAxis &) = default;
};

/// The mesh of an outermost pmap and of all pmaps that its function calls.
/// Which ones these are is known only after the function was traced: a pmap
/// that finds that its axis is missing adds it to `missing` and fails, and the
/// outermost one traces again on a larger mesh.
class PmapNest {
public:
  /// `axes`: the outermost first. `available`: the devices to choose from.
  /// Errors: more devices than there are; axes that no mesh can have, because
  /// the sizes of pmaps side by side do not divide each other.
  static Expected<PmapNest> get(std::vector<PmapAxis> axes,
                                const std::vector<Device> &available);

  const Mesh &mesh() const { return ownMesh; }
  /// The mesh axes that make up one of the axes, major to minor. An axis of one
  /// element is a mesh axis of its own.
  AxisNames meshAxes(const PmapAxis &axis) const;
  bool has(const PmapAxis &axis) const;
  const std::vector<PmapAxis> &axes() const { return allAxes; }

  /// The axes of the pmaps around the current code.
  std::vector<PmapAxis> open;
  std::vector<PmapAxis> missing;
  /// The outermost pmap says which devices it runs on.
  bool hasDevices = false;
  std::vector<Device> available;

private:
  /// Boundaries of mesh axes: products of the sizes before them.
  std::vector<int64_t> cuts;
  /// Of the mesh axes between boundaries, and of those of one element.
  AxisNames names;
  std::vector<std::pair<PmapAxis, std::string>> ones;
  std::vector<PmapAxis> allAxes;
  Mesh ownMesh;
};

/// The nest whose function this thread traces, or null.
PmapNest *currentNest();
/// Sets the nest for a scope; in it, one more axis is open.
class ScopedNest {
public:
  ScopedNest(PmapNest &nest, PmapAxis axis);
  ~ScopedNest();
  ScopedNest(const ScopedNest &) = delete;
  ScopedNest &operator=(const ScopedNest &) = delete;

private:
  PmapNest *old;
};

/// While it lives, the code around is a function of tiles (tiling/), in which
/// there is no pmap.
class ScopedTiles {
public:
  ScopedTiles();
  ~ScopedTiles();
  ScopedTiles(const ScopedTiles &) = delete;
  ScopedTiles &operator=(const ScopedTiles &) = delete;
};
bool isInTiles();

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_PMAP_NESTING_H
