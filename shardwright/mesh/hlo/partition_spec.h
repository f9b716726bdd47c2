//===- partition_spec.h - JAX's PartitionSpec on a mesh ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_MESH_HLO_PARTITION_SPEC_H
#define SHARDWRIGHT_MESH_HLO_PARTITION_SPEC_H

#include "shardwright/mesh/hlo/hlo_sharding.h"

namespace shardwright {

/// One entry per leading dimension of the value: axis names, major to minor.
/// Dimensions without an entry are not sharded. Semantics:
/// jax.sharding.PartitionSpec.
struct PartitionSpec {
  struct Entry {
    llvm::SmallVector<std::string, 2> axes;
    /// P.UNCONSTRAINED: propagation decides.
    bool unconstrained = false;
    friend bool operator==(const Entry &, const Entry &) = default;
  };
  llvm::SmallVector<Entry, 4> entries;
  /// Mesh axes along which the value is partial, and their kind.
  llvm::SmallVector<std::string, 1> unreduced;
  ReductionKind unreducedKind = ReductionKind::Sum;

  /// Parses ``P('x', ('y', 'z'), None)``, as JAX prints it, or
  /// `PartitionSpec(...)`. The kind of unreduced axes may follow them:
  /// ``P(unreduced={'x'}, unreduced_kind=max)``.
  static llvm::Expected<PartitionSpec> parse(llvm::StringRef text);
  std::string str() const;
  friend bool operator==(const PartitionSpec &,
                         const PartitionSpec &) = default;
};

/// The sharding of a value of this rank; all dimensions except the
/// unconstrained ones are closed. An error names an axis that is unknown,
/// occurs twice or is both sharded and unreduced, or a spec longer than the
/// rank.
llvm::Expected<TensorSharding> resolve(const PartitionSpec &spec,
                                       const Mesh &mesh, int64_t rank);

/// The canonical HLO sharding of a NamedSharding, as JAX passes it to XLA. An
/// error for unreduced axes of another kind than sum, which it cannot express.
/// `manual`: names of the manual axes of the mesh.
llvm::Expected<HloSharding> toTiled(const PartitionSpec &spec, const Mesh &mesh,
                                    int64_t rank,
                                    llvm::ArrayRef<std::string> manual = {});

/// The spec of full axes of `mesh` with the same placement as `sharding`. An
/// error if there is none: if it would need a sub-axis, or is on one device.
llvm::Expected<PartitionSpec> toPartitionSpec(const HloSharding &sharding,
                                              const Mesh &mesh);

} // namespace shardwright

#endif // SHARDWRIGHT_MESH_HLO_PARTITION_SPEC_H
