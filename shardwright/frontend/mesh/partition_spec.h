//===- partition_spec.h - the mesh axes of each dimension -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_MESH_PARTITION_SPEC_H
#define SHARDWRIGHT_FRONTEND_MESH_PARTITION_SPEC_H

#include "shardwright/frontend/mesh/mesh.h"

#include <set>

namespace shardwright::frontend {

/// One dimension of a PartitionSpec: axis names, major to minor; none: not
/// sharded.
struct SpecEntry {
  AxisNames axes;
  /// Propagation decides (P.UNCONSTRAINED).
  bool unconstrained = false;

  SpecEntry() = default;
  SpecEntry(std::nullptr_t) {}
  SpecEntry(std::nullopt_t) {}
  SpecEntry(const char *axis) : axes(axis ? AxisNames{axis} : AxisNames()) {}
  SpecEntry(std::string axis) : axes{std::move(axis)} {}
  SpecEntry(AxisNames names) : axes(std::move(names)) {}
  bool empty() const { return axes.empty() && !unconstrained; }
  friend bool operator==(const SpecEntry &, const SpecEntry &) = default;
};
/// A dimension that is not sharded.
inline constexpr std::nullopt_t None = std::nullopt;
/// A dimension that propagation may shard.
extern const SpecEntry Unconstrained;
/// A dimension sharded along several axes, major to minor.
template <typename... Names> SpecEntry axes(Names... names) {
  return SpecEntry(AxisNames{names...});
}

/// The axes of each leading dimension of a value; further dimensions are not
/// sharded. Immutable. Semantics: jax.sharding.PartitionSpec.
class PartitionSpec {
public:
  PartitionSpec() = default;
  template <typename... Entries>
    requires(sizeof...(Entries) > 0 &&
             (std::is_convertible_v<Entries, SpecEntry> && ...))
  PartitionSpec(Entries... list) : dims{SpecEntry(list)...} {}
  /// With axes along which the value is a partial sum, or along which its
  /// cotangent will be one.
  static Expected<PartitionSpec> get(std::vector<SpecEntry> entries,
                                     std::set<std::string> unreduced = {},
                                     std::set<std::string> reduced = {});

  const std::vector<SpecEntry> &entries() const { return dims; }
  const std::set<std::string> &unreduced() const { return sums; }
  const std::set<std::string> &reduced() const { return copies; }
  /// The entry of a dimension; an empty one beyond the end.
  const SpecEntry &operator[](int64_t dim) const;
  /// Propagation chooses axes of some dimension.
  bool hasUnconstrained() const;
  /// `P('x', None)`.
  std::string str() const;
  /// The spec with exactly `rank` entries.
  PartitionSpec normalized(int64_t rank) const;
  friend bool operator==(const PartitionSpec &,
                         const PartitionSpec &) = default;

private:
  std::vector<SpecEntry> dims;
  std::set<std::string> sums, copies;
};
using P = PartitionSpec;

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_MESH_PARTITION_SPEC_H
