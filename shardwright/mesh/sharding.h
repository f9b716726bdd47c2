//===- sharding.h - the layout of a tensor on a mesh ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_MESH_SHARDING_H
#define SHARDWRIGHT_MESH_SHARDING_H

#include "shardwright/mesh/mesh.h"

namespace shardwright {

/// Axes of one tensor dimension, major to minor.
struct DimSharding {
  AxisList axes;
  /// Closed: propagation may not append axes.
  bool isClosed = false;
  /// Lower values propagate earlier; absent means 0.
  std::optional<int64_t> priority;

  int64_t shards() const { return totalSize(axes); }
  friend bool operator==(const DimSharding &, const DimSharding &) = default;
};

/// How devices' partial values combine into the full value.
enum class ReductionKind : uint8_t { Sum, Max, Min };

/// `sum`, `max` or `min`, as in the sdy dialect.
llvm::StringRef stringify(ReductionKind kind);

/// Axes along which each device holds a partial value. The kind belongs to the
/// axes: copying them copies it, clearing them resets it, and lists without
/// axes are equal whatever their kinds. Assigning a plain list keeps the kind.
struct UnreducedAxes : AxisList {
  ReductionKind kind = ReductionKind::Sum;

  static UnreducedAxes of(AxisList axes, ReductionKind kind) {
    UnreducedAxes out;
    out = std::move(axes);
    out.kind = kind;
    return out;
  }
  UnreducedAxes &operator=(AxisList axes) {
    AxisList::operator=(std::move(axes));
    return *this;
  }
  void clear() {
    AxisList::clear();
    kind = ReductionKind::Sum;
  }
  friend bool operator==(const UnreducedAxes &a, const UnreducedAxes &b) {
    return static_cast<const AxisList &>(a) ==
               static_cast<const AxisList &>(b) &&
           (a.empty() || a.kind == b.kind);
  }
};

/// The axes along which both are partial values of one kind.
UnreducedAxes commonUnreduced(const UnreducedAxes &a, const UnreducedAxes &b);

/// Layout of one tensor over one mesh. Axes not mentioned are implicitly
/// replicated. Semantics: Shardy's TensorShardingAttr.
struct TensorSharding {
  llvm::SmallVector<DimSharding, 4> dims;
  /// Explicitly replicated axes: propagation may not use them. Mesh order.
  AxisList replicated;
  /// The value is partial along these axes. Mesh order.
  UnreducedAxes unreduced;

  static TensorSharding open(int64_t rank);
  static TensorSharding closed(int64_t rank);
  int64_t rank() const { return dims.size(); }
  /// True if no dimension has axes and nothing is unreduced.
  bool isReplicated() const;
  bool isFullyClosed() const;
  /// All dimensions closed, replicated axes dropped, priorities kept.
  TensorSharding closedLike() const;
  /// True if every device holds the same data under both; open/closed,
  /// priorities and replicated axes are ignored.
  bool isEquivalent(const TensorSharding &other) const;
  /// Every axis of every dimension, dimension by dimension.
  AxisList allAxes() const;
  friend bool operator==(const TensorSharding &,
                         const TensorSharding &) = default;
};

/// ceil(dim / shards) in every dimension.
llvm::SmallVector<int64_t, 4> localShape(llvm::ArrayRef<int64_t> shape,
                                         const TensorSharding &sharding);
bool dividesEvenly(llvm::ArrayRef<int64_t> shape,
                   const TensorSharding &sharding);
/// The longest leading axes of `axes` (possibly ending in a leading sub-axis)
/// whose product divides `dim`; an axis of size 1 ends it unless all of `axes`
/// divide.
AxisList divisiblePrefix(int64_t dim, AxisRefs axes);

/// The index range in each dimension that the device with this row-major linear
/// index holds, clipped to the shape.
struct IndexRange {
  int64_t begin = 0, end = 0;
  int64_t size() const { return end - begin; }
  friend bool operator==(const IndexRange &, const IndexRange &) = default;
};
llvm::SmallVector<IndexRange, 4> shardBox(llvm::ArrayRef<int64_t> shape,
                                          const TensorSharding &sharding,
                                          const Mesh &mesh, int64_t linear);

/// The index of the partial value (such as a summand) that the device holds:
/// its row-major index along the unreduced axes, 0 if there are none. Two
/// devices hold the same data if and only if both their summands and their
/// boxes are the same.
int64_t summandOf(const TensorSharding &sharding, const Mesh &mesh,
                  int64_t linear);

/// `[{"x", ?}, {}]` and tails, as the sdy dialect prints it without the mesh.
std::string str(const TensorSharding &sharding, const Mesh &mesh);

} // namespace shardwright

#endif // SHARDWRIGHT_MESH_SHARDING_H
