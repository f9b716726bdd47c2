//===- sharding_table.h - intern shardings ----------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program has many values but few distinct shardings. The table gives each
// (mesh, sharding) pair an id, so that values store ids, comparisons compare
// ids, and each distinct attribute is converted once.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_GRAPH_SHARDING_TABLE_H
#define SHARDWRIGHT_PROPAGATE_GRAPH_SHARDING_TABLE_H

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/mesh/sharding.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"

#include <deque>
#include <vector>

namespace shardwright {

using ShardingId = int32_t;
/// No sharding: every dimension open, on any mesh.
inline constexpr ShardingId kNoSharding = -1;

/// Index of a mesh as it is written (a symbol, or an inlined mesh).
using MeshId = int32_t;
inline constexpr MeshId kNoMesh = -1;

class ShardingTable {
public:
  explicit ShardingTable(mlir::ModuleOp module);

  /// Goes on with another module of the context whose named meshes are equal.
  /// Ids stay valid.
  void beginModule(mlir::ModuleOp next);

  /// Null gives kNoSharding; so does a sharding on an unknown mesh or with an
  /// unknown axis, which the verifier rejects.
  ShardingId read(sdy::TensorShardingAttr attr);
  ShardingId add(MeshId mesh, const TensorSharding &sharding);
  /// Fully open, no axes.
  ShardingId addOpen(MeshId mesh, int64_t rank);

  const TensorSharding &get(ShardingId id) const { return entries[id].value; }
  MeshId meshOf(ShardingId id) const { return entries[id].mesh; }
  bool hasAxes(ShardingId id) const { return withAxes[id]; }
  const Mesh &mesh(MeshId id) const { return meshes[id].value; }
  mlir::MLIRContext *context() { return module.getContext(); }

  sdy::TensorShardingAttr attr(ShardingId id);
  /// A list of one.
  sdy::TensorShardingPerValueAttr perValueAttr(ShardingId id);

  /// The common mesh of these shardings: the first that is not empty, if the
  /// others are equal to it (under any name) or empty. kNoMesh if they disagree
  /// or there is no sharding.
  MeshId commonMesh(llvm::ArrayRef<ShardingId> ids) const;

private:
  struct MeshEntry {
    mlir::Attribute meshOrRef;
    sdy::MeshAttr attr;
    Mesh value;
  };
  struct Entry {
    TensorSharding value;
    MeshId mesh;
    sdy::TensorShardingAttr attr;
    sdy::TensorShardingPerValueAttr perValue;
  };
  MeshId findMesh(mlir::Attribute meshOrRef);

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  std::deque<MeshEntry> meshes;
  llvm::DenseMap<mlir::Attribute, MeshId> meshIds;
  std::deque<Entry> entries;
  std::vector<char> withAxes;
  llvm::DenseMap<mlir::Attribute, ShardingId> idOfAttr;
  /// Ids by hash of the sharding.
  llvm::DenseMap<uint64_t, llvm::SmallVector<ShardingId, 1>> idsOfHash;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_GRAPH_SHARDING_TABLE_H
