//===- reshard_cache.h - cache of reshards of values ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every value of the program has the layout in which it was computed, and users
// may need others. Each other layout is made once, from the cheapest existing
// version, just before its first user: in the block of the value, so that later
// users find it, or in a branch if all users are in that branch, so that
// branches that are not taken send nothing.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_LAYOUT_VALUE_VERSIONS_H
#define SHARDWRIGHT_PARTITION_LAYOUT_VALUE_VERSIONS_H

#include "shardwright/partition/layout/collective_builder.h"
#include "shardwright/partition/layout/plan_observer.h"
#include "shardwright/partition/layout/planned_cost.h"

namespace shardwright {

class ReshardCache {
public:
  /// The observer, if there is one, is notified of every move.
  /// `costs`, if not null, receives the cost of every move.
  explicit ReshardCache(MeshTable &meshes, PlanObserver *observer = nullptr,
                        PlannedCosts *costs = nullptr)
      : meshes(meshes), observer(observer), costs(costs) {}

  /// Reserves space for this many values.
  void reserve(size_t values) {
    index.reserve(values);
    versions.reserve(values);
  }

  struct Version {
    LayoutRef layout;
    mlir::Value value;
  };

  /// Records the layout in which `value` is computed. The caller sets the
  /// sharding attribute of results.
  void define(mlir::Value value, LayoutRef layout);
  void define(mlir::Value value, const Layout &layout) {
    define(value, meshes.intern(layout));
  }
  /// The versions, the defined one first. A value that was never defined is
  /// replicated.
  llvm::ArrayRef<Version> get(mlir::Value value);
  /// The value in the given layout for use by `user`; may insert ops before it.
  mlir::Value get(mlir::Value value, LayoutRef layout, mlir::Operation *user);
  mlir::Value get(mlir::Value value, const Layout &layout,
                  mlir::Operation *user) {
    return get(value, meshes.intern(layout), user);
  }
  /// Drops the versions made in a branch, after the walk has visited it.
  void leaveBranch(mlir::Region &branch);
  /// True if the value can be rematerialized in any layout without
  /// communication.
  static bool isRematerializable(mlir::Value value);

private:
  int32_t indexOf(mlir::Value value);
  /// The op before which versions of the value for `user` are inserted.
  static mlir::Operation *placeFor(mlir::Value value, mlir::Operation *user);

  /// The only version of most values.
  struct Versions {
    Version own;
    /// Null, or all versions.
    std::unique_ptr<llvm::SmallVector<Version, 0>> all;

    llvm::ArrayRef<Version> get() const {
      return all ? llvm::ArrayRef(*all) : llvm::ArrayRef(own);
    }
    void add(Version version) {
      if (!all)
        all.reset(new llvm::SmallVector<Version, 0>(1, own));
      all->push_back(version);
    }
  };

  MeshTable &meshes;
  PlanObserver *observer;
  PlannedCosts *costs;
  llvm::DenseMap<mlir::Value, int32_t> index;
  std::vector<Versions> versions;
  /// Versions made in branches: index of the value, and the region.
  llvm::SmallVector<std::pair<int32_t, mlir::Region *>, 4> inBranches;
};

/// Sets the layouts of the op's results as its `sdy.sharding`; removes the
/// attribute if all are replicated.
void setResultLayouts(mlir::Operation *op, llvm::ArrayRef<Layout> layouts,
                      const MeshTable &meshes);
void setResultLayouts(mlir::Operation *op, llvm::ArrayRef<LayoutRef> layouts,
                      const MeshTable &meshes);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_LAYOUT_VALUE_VERSIONS_H
