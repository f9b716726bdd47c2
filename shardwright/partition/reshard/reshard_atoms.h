//===- reshard_atoms.h - axis atoms of two shardings ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reduces both shardings of a reshard to placements of atoms: the common prefix
// of each dimension is set aside, and the rest is cut so that equal sub-axes
// are equal atoms.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_RESHARD_RESHARD_ATOMS_H
#define SHARDWRIGHT_PARTITION_RESHARD_RESHARD_ATOMS_H

#include "shardwright/mesh/sharding.h"
#include "shardwright/partition/reshard/reshard_search.h"

namespace shardwright::reshard {

/// The axes of each dimension, major to minor.
using DimAxes = llvm::SmallVector<AxisList, 4>;

/// The axes of each dimension, without axes of size 1.
DimAxes axesOf(const TensorSharding &sharding);
TensorSharding closedOf(const DimAxes &dims);

/// Drops from `from` the tails that have no common cut with `to`. Returns true
/// if it dropped any.
bool dropIncompatible(const Mesh &mesh, DimAxes &from, const DimAxes &to);

/// The atoms of a pair of cut shardings and both placements of them.
struct Atoms {
  llvm::SmallVector<AxisRef, 8> refs;
  /// Common prefix of both sides in each dimension.
  DimAxes base;
  Placement from, to;
  llvm::SmallVector<int64_t, 8> sizes;
};

Atoms makeAtoms(const Mesh &mesh, DimAxes from, DimAxes to,
                llvm::ArrayRef<int64_t> shape);
DimAxes toAxes(const Atoms &atoms, const Placement &place);
AxisList refsOf(const Atoms &atoms, llvm::ArrayRef<uint8_t> ids);

/// Splits into prime factors every ref that only one side has, so that sub-axes
/// of unequal axes can trade places.
void cutToPrimes(const Atoms &atoms, DimAxes &from, DimAxes &to);

/// Cuts refs where a ref of the other side ends inside of them, as far as sizes
/// divide.
void cutToEachOther(const Mesh &mesh, DimAxes &from, DimAxes &to);

/// Both sides over segments of the dimensions: a segment ends where shards of
/// both sides end.
struct Segments {
  llvm::SmallVector<int64_t, 8> sizes;
  DimAxes from, to;
};

Segments makeSegments(const DimAxes &from, const DimAxes &to,
                      llvm::ArrayRef<int64_t> shape);

} // namespace shardwright::reshard

#endif // SHARDWRIGHT_PARTITION_RESHARD_RESHARD_ATOMS_H
