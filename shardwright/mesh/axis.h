//===- axis.h - axis references and their algebra ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An axis reference names a full mesh axis or a sub-axis of it. An axis of size
// n splits as [pre, size, n/(pre*size)]; the reference is the middle part. A
// full axis is stored as pre = 1, size = n, so the algebra needs no special
// case for it. Semantics: Shardy's AxisRef / SubAxisInfo.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_MESH_AXIS_H
#define SHARDWRIGHT_MESH_AXIS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <tuple>

namespace shardwright {

/// A (sub-)axis of a mesh. `axis` is the position of the axis in that mesh; the
/// reference is only valid together with it.
struct AxisRef {
  int32_t axis = 0;
  /// Product of the sizes of the parts of the axis major to this one.
  int64_t preSize = 1;
  /// Number of shards this reference makes; >= 1.
  int64_t size = 1;

  /// preSize * size: the pre-size of a sub-axis that continues this one.
  int64_t nextPreSize() const { return preSize * size; }

  /// Mesh order: by axis position, then (preSize, size).
  friend auto operator<=>(const AxisRef &, const AxisRef &) = default;
  friend bool operator==(const AxisRef &, const AxisRef &) = default;
};

inline llvm::hash_code hash_value(const AxisRef &a) {
  return llvm::hash_combine(a.axis, a.preSize, a.size);
}

/// Axes major to minor.
using AxisList = llvm::SmallVector<AxisRef, 2>;
using AxisRefs = llvm::ArrayRef<AxisRef>;

/// True if y lies within x.
bool contains(AxisRef x, AxisRef y);
/// True if y contains x and both start at the same place.
bool isPrefixOf(AxisRef x, AxisRef y);
/// True if y contains x and both end at the same place.
bool isSuffixOf(AxisRef x, AxisRef y);
bool overlaps(AxisRef x, AxisRef y);
bool overlaps(AxisRef x, AxisRefs list);
/// True if one splitting of the axis has both as parts.
bool canCoexist(AxisRef x, AxisRef y);
/// The common part of two references that overlap and can coexist.
std::optional<AxisRef> overlap(AxisRef x, AxisRef y);
/// The longest leading part of x that does not overlap y; none if empty.
std::optional<AxisRef> prefixWithoutOverlap(AxisRef x, AxisRef y);
std::optional<AxisRef> suffixWithoutOverlap(AxisRef x, AxisRef y);
/// Applied to each of `list` in order, stopping at none.
std::optional<AxisRef> prefixWithoutOverlap(AxisRef x, AxisRefs list);
std::optional<AxisRef> commonPrefix(AxisRef x, AxisRef y);
/// True if y continues x, such as (pre 4, size 2) after (pre 1, size 4).
bool canMerge(AxisRef x, AxisRef y);
AxisRef merge(AxisRef x, AxisRef y);

/// Product of the sizes; 1 for the empty list.
int64_t totalSize(AxisRefs axes);
/// Appends, merging with the last element where x continues it.
void appendMerged(AxisList &axes, AxisRef x);
void appendMerged(AxisList &axes, AxisRefs more);
/// Sorts in mesh order and merges neighbours.
void sortAndMerge(AxisList &axes);

/// The parts that two sets of axes share, sorted and merged. Two references
/// that overlap and cannot coexist share nothing.
AxisList commonAxes(AxisRefs a, AxisRefs b);
/// The parts of `axes` that overlap none of `other`, sorted and merged. An axis
/// that overlaps one with which it cannot coexist is dropped.
AxisList withoutAxes(AxisRefs axes, AxisRefs other);

/// How one list of axes relates to another as a prefix; the last element of the
/// shorter one may be a leading part of its counterpart.
enum class ListPrefix { None, Equal, Strict };
ListPrefix listPrefix(AxisRefs prefix, AxisRefs of);

} // namespace shardwright

#endif // SHARDWRIGHT_MESH_AXIS_H
