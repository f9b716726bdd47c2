//===- named_conversion.h - axes of a mesh <-> tiles of devices -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions between shardings by axis names (Shardy, V3) and by tiles (GSPMD,
// V1 and V2). In both directions every device holds the same data as before.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_MESH_HLO_NAMED_CONVERSION_H
#define SHARDWRIGHT_MESH_HLO_NAMED_CONVERSION_H

#include "shardwright/mesh/hlo/hlo_sharding.h"

namespace shardwright {

/// The canonical V2 sharding; V1 on a mesh with device ids. Drops what has no
/// counterpart: open dimensions, priorities and explicitly replicated axes. The
/// order of subgroups is manual, unreduced, replicated.
HloSharding toTiled(const NamedHloSharding &named);
/// Converts named shardings, also in tuples; others are unchanged.
HloSharding toTiled(const HloSharding &sharding);

/// Expresses the sharding of a value of this rank in axes of `mesh`. Data
/// dimensions are closed, those of `unknown` open. Maximal: the mesh of that
/// device and rank 0. An error if a tile is not a product of (sub-)axes of the
/// mesh.
llvm::Expected<NamedHloSharding> toNamed(const HloSharding &sharding,
                                         const Mesh &mesh, int64_t rank);

/// The coarsest mesh on which every sharding of a module is a list of axes,
/// named `_axis_0`, `_axis_1`, ... as importers of GSPMD programs expect.
class MeshInference {
public:
  /// Adds the device order of a sharding; tuples element by element, named
  /// shardings by their tiles.
  void add(const HloSharding &sharding);
  /// `numDevices` is used if no sharding is tiled; 0: unknown. An error names
  /// two shardings that no mesh fits.
  llvm::Expected<Mesh> infer(int64_t numDevices = 0) const;
  /// Ascending.
  llvm::ArrayRef<int64_t> maximalDevices() const { return maximal; }
  bool empty() const { return tiled.empty() && maximal.empty() && !others; }

private:
  /// Without duplicates, in insertion order.
  std::vector<HloSharding> tiled;
  llvm::SmallVector<int64_t, 2> maximal;
  bool others = false;
};

} // namespace shardwright

#endif // SHARDWRIGHT_MESH_HLO_NAMED_CONVERSION_H
