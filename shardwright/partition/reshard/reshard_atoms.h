//===- reshard_atoms.h - what a reshard moves -------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both shardings of a reshard are reduced to placements of atoms: what they
// share at the front of each dimension is set aside, the rest is cut so that
// equal parts are equal atoms.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_RESHARD_RESHARD_ATOMS_H
#define SHARDWRIGHT_PARTITION_RESHARD_RESHARD_ATOMS_H

#include "shardwright/mesh/sharding.h"
#include "shardwright/partition/reshard/reshard_search.h"

namespace shardwright::reshard {

/// The axes of each dimension, major to minor.
using DimAxes = llvm::SmallVector<AxisList, 4>;

/// Without those of size 1.
DimAxes axesOf(const TensorSharding &sharding);
TensorSharding closedOf(const DimAxes &dims);

/// Drops from `from` the tails that cannot be expressed together with `to`.
/// Returns whether anything was dropped.
bool dropIncompatible(const Mesh &mesh, DimAxes &from, const DimAxes &to);

/// The atoms of a pair of cut shardings and both placements of them.
struct Atoms {
  llvm::SmallVector<AxisRef, 8> refs;
  /// What both sides share at the front of each dimension.
  DimAxes base;
  Placement from, to;
  llvm::SmallVector<int64_t, 8> sizes;
};

Atoms makeAtoms(const Mesh &mesh, DimAxes from, DimAxes to,
                llvm::ArrayRef<int64_t> shape);
DimAxes toAxes(const Atoms &atoms, const Placement &place);
AxisList refsOf(const Atoms &atoms, llvm::ArrayRef<uint8_t> ids);

/// Splits every ref that is in both lists' way into prime parts, so that parts
/// of unequal axes can take each other's place.
void cutToPrimes(const Atoms &atoms, DimAxes &from, DimAxes &to);

/// Cuts refs where a ref of the other side ends in the middle of them, as far
/// as sizes divide.
void cutToEachOther(const Mesh &mesh, DimAxes &from, DimAxes &to);

/// Both sides over the segments of the dimensions: a dimension ends a segment
/// where the shards of both sides do.
struct Segments {
  llvm::SmallVector<int64_t, 8> sizes;
  DimAxes from, to;
};

Segments makeSegments(const DimAxes &from, const DimAxes &to,
                      llvm::ArrayRef<int64_t> shape);

} // namespace shardwright::reshard

#endif // SHARDWRIGHT_PARTITION_RESHARD_RESHARD_ATOMS_H
