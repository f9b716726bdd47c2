//===- value_versions.h - one value in the layouts it was asked for -------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every value of the program has the layout that it was computed in, and may be
// needed in others. Each other layout is made once, from the cheapest version
// at hand, just before its first user: in the block of the value, so that later
// users find it, or in a branch if nothing else uses the value, so that
// branches that are not taken send nothing.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_LAYOUT_VALUE_VERSIONS_H
#define SHARDWRIGHT_PARTITION_LAYOUT_VALUE_VERSIONS_H

#include "shardwright/partition/layout/collective_builder.h"
#include "shardwright/partition/layout/plan_observer.h"

namespace shardwright {

class ValueVersions {
public:
  /// The observer, if there is one, hears of every move.
  explicit ValueVersions(MeshTable &meshes, PlanObserver *observer = nullptr)
      : meshes(meshes), observer(observer) {}

  /// About so many values will be defined.
  void reserve(size_t values) {
    index.reserve(values);
    versions.reserve(values);
  }

  struct Version {
    LayoutRef layout;
    mlir::Value value;
  };

  /// `value` is computed in this layout. For a result, the caller writes the
  /// attribute.
  void define(mlir::Value value, LayoutRef layout);
  void define(mlir::Value value, const Layout &layout) {
    define(value, meshes.known(layout));
  }
  /// The versions, the defined one first. A value that was never defined is
  /// replicated.
  llvm::ArrayRef<Version> get(mlir::Value value);
  /// The value in the given layout for use by `user`; may insert ops before it.
  mlir::Value get(mlir::Value value, LayoutRef layout, mlir::Operation *user);
  mlir::Value get(mlir::Value value, const Layout &layout,
                  mlir::Operation *user) {
    return get(value, meshes.known(layout), user);
  }
  /// The region of a branch has been visited: what was made in it is not at
  /// hand from here on.
  void leaveBranch(mlir::Region &branch);
  /// The value can be computed anew in any layout of its shards without
  /// communication.
  static bool isFree(mlir::Value value);

private:
  int32_t indexOf(mlir::Value value);
  /// Before which op versions of the value for `user` are made.
  static mlir::Operation *placeFor(mlir::Value value, mlir::Operation *user);

  /// Most values have one.
  struct Versions {
    Version own;
    /// Null, or all.
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
  llvm::DenseMap<mlir::Value, int32_t> index;
  std::vector<Versions> versions;
  /// Versions that were made in branches: of which value, and in which region.
  llvm::SmallVector<std::pair<int32_t, mlir::Region *>, 4> inBranches;
};

/// Writes the layouts of the op's results as its `sdy.sharding`; removes it if
/// all are replicated.
void setResultLayouts(mlir::Operation *op, llvm::ArrayRef<Layout> layouts,
                      const MeshTable &meshes);
void setResultLayouts(mlir::Operation *op, llvm::ArrayRef<LayoutRef> layouts,
                      const MeshTable &meshes);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_LAYOUT_VALUE_VERSIONS_H
