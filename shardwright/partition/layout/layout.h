//===- layout.h - meshes of a module and layouts of its values --*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts between attributes of the IR and the value types that the
// partitioner works with. A layout is a closed sharding on a numbered mesh,
// whose dimensions may be uneven (uneven.h) inside the program. Replicated
// layouts have no mesh (-1). Values of rank 0 have layouts too: they may be
// partial sums (unreduced).
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_LAYOUT_LAYOUT_H
#define SHARDWRIGHT_PARTITION_LAYOUT_LAYOUT_H

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/partition/reshard/planner_pool.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace shardwright {

struct Layout {
  int32_t mesh = -1;
  TensorSharding sharding;

  static Layout replicated(int64_t rank) {
    return {-1, TensorSharding::closed(rank)};
  }
  bool isReplicated() const { return sharding.isReplicated(); }
  /// The layout without unreduced axes.
  Layout completed() const;
  /// Puts the layout on mesh `onMesh` and adds `axes` to its unreduced axes,
  /// which must be of the same kind.
  void addUnreduced(int32_t onMesh, AxisRefs axes,
                    ReductionKind kind = ReductionKind::Sum);
  /// True if axes of this kind can be added.
  bool mayAddUnreduced(ReductionKind kind) const {
    return sharding.unreduced.empty() || sharding.unreduced.kind == kind;
  }
  /// True if all devices hold the same data under both. Replicated layouts are
  /// equal on any meshes.
  bool isEquivalent(const Layout &other) const {
    return sharding.isEquivalent(other.sharding) &&
           (mesh == other.mesh || isReplicated());
  }
};

using Layouts = llvm::SmallVector<Layout, 1>;

/// A layout that a MeshTable has interned: equal layouts are one object, which
/// lives as long as the table.
struct InternedLayout : Layout {
  /// Null for a replicated layout on no mesh.
  sdy::TensorShardingAttr attr;
};
using LayoutRef = const InternedLayout *;

class MeshTable {
public:
  /// Reads every `sdy.mesh`. Fails with a diagnostic if values of one function,
  /// or of functions that call each other, are on meshes with different numbers
  /// of devices. `pool` may be null; otherwise it must outlive the table.
  static mlir::FailureOr<MeshTable> create(mlir::ModuleOp module,
                                           const CostModel &costs = {},
                                           Effort effort = Effort::Normal,
                                           PlannerPool *pool = nullptr);
  /// For passes that may access only this function of a module.
  static mlir::FailureOr<MeshTable> createFor(mlir::func::FuncOp func);

  /// The id of a mesh attribute or reference; -1 for a mesh without axes (empty
  /// or of one device) and for an unknown reference.
  int32_t idOf(mlir::Attribute meshOrRef);
  const Mesh &mesh(int32_t id) const { return entries[id]->mesh; }
  ReshardPlanner &planner(int32_t id) { return *entries[id]->planner; }
  /// True if the axes are equal, whatever the device order.
  bool sameAxes(int32_t a, int32_t b) const {
    return entries[a]->mesh.axes() == entries[b]->mesh.axes();
  }
  int32_t size() const { return entries.size(); }
  const CostModel &getCosts() const { return costs; }
  /// True if functions of the module are on meshes of different numbers of
  /// devices.
  bool hasSizes() const { return !devicesOf.empty(); }
  /// Of the meshes with axes; 1 if there are none, the maximum if functions
  /// differ.
  int64_t numDevices() const;
  /// Number of devices of the meshes that the function uses.
  int64_t numDevices(mlir::func::FuncOp func) const;

  /// The layout that the attribute (null: none) requires for a value of this
  /// type.
  const InternedLayout &toLayout(sdy::TensorShardingAttr attr, mlir::Type type);
  LayoutRef intern(const Layout &layout);
  /// The replicated layout.
  LayoutRef replicated(int64_t rank);
  /// Like toLayout, for borders of the program, where all shards are even.
  Layout toEvenLayout(sdy::TensorShardingAttr attr, mlir::Type type);
  /// Null for a replicated layout on no mesh.
  sdy::TensorShardingAttr toAttr(const Layout &layout) const;
  /// `attributes` of an op of one result, with its sharding replaced by the
  /// layout.
  mlir::DictionaryAttr withLayout(mlir::DictionaryAttr attributes,
                                  LayoutRef layout) const;
  sdy::AxisRefListAttr axesAttr(int32_t mesh, AxisRefs axes) const;
  sdy::ListOfAxisRefListsAttr listsAttr(int32_t mesh,
                                        llvm::ArrayRef<AxisList> lists) const;
  /// The axes of a collective's parameter.
  AxisList toAxes(int32_t mesh, llvm::ArrayRef<sdy::AxisRefAttr> attrs) const;

private:
  struct Entry {
    mlir::Attribute ref;
    Mesh mesh;
    std::shared_ptr<ReshardPlanner> planner;
  };
  int32_t add(mlir::Attribute ref, sdy::MeshAttr attr);
  static MeshTable read(mlir::ModuleOp module, const CostModel &costs,
                        Effort effort, PlannerPool *pool);
  bool haveOneSize() const;
  mlir::LogicalResult checkSizes(llvm::ArrayRef<mlir::func::FuncOp> funcs);
  const InternedLayout &lookUp(sdy::TensorShardingAttr attr, mlir::Type type);

  mlir::MLIRContext *context = nullptr;
  CostModel costs;
  Effort effort = Effort::Normal;
  PlannerPool *pool = nullptr;
  std::vector<std::unique_ptr<Entry>> entries;
  llvm::DenseMap<mlir::Attribute, int32_t> ids;
  /// Set only if meshes have different numbers of devices.
  llvm::DenseMap<mlir::Operation *, int64_t> devicesOf;
  std::vector<std::unique_ptr<InternedLayout>> layouts;
  std::unordered_multimap<size_t, LayoutRef> byHash;
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Type>, LayoutRef> asked;
  /// Most recent lookups, by hash.
  struct Recent {
    mlir::Attribute attr;
    mlir::Type type;
    LayoutRef layout = nullptr;
  };
  std::vector<Recent> recent{256};
  mutable llvm::DenseMap<std::pair<mlir::DictionaryAttr, LayoutRef>,
                         mlir::DictionaryAttr>
      laidOut;
  llvm::SmallVector<LayoutRef> replicatedByRank;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_LAYOUT_LAYOUT_H
