//===- drop_sharding_and_mesh.cc - remove shardings and meshes ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/border_attributes.h"
#include "shardwright/dialect/sdy/module_metadata.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/passes.h"
#include "shardwright/rules/mesh_users.h"

using namespace mlir;

namespace shardwright {

#define GEN_PASS_DEF_DROPSHARDINGANDMESH
#include "shardwright/propagate/passes.h.inc"

namespace {

struct DropShardingAndMeshPass
    : impl::DropShardingAndMeshBase<DropShardingAndMeshPass> {
  void runOnOperation() override {
    auto name = StringAttr::get(&getContext(), sdy::kShardingAttr);
    getOperation().walk([&](Operation *op) {
      if (auto func = dyn_cast<FunctionOpInterface>(op)) {
        sdy::BorderAttributes border(func);
        for (unsigned i = 0; i < border.numArguments(); ++i)
          border.setArgument(i, name, nullptr);
        for (unsigned i = 0; i < border.numResults(); ++i)
          border.setResult(i, name, nullptr);
        border.write();
      }
      op->removeDiscardableAttr(name);
    });
    getOperation()->removeDiscardableAttr(sdy::kParametersShardingsAttr);
    getOperation()->removeDiscardableAttr(sdy::kOutputShardingsAttr);
    // Replica groups may still name meshes.
    llvm::DenseSet<StringAttr> used;
    transformUsedMeshes(getOperation(), [&](Attribute meshOrRef) {
      if (auto ref = dyn_cast<FlatSymbolRefAttr>(meshOrRef))
        used.insert(ref.getAttr());
      return meshOrRef;
    });
    for (auto mesh :
         llvm::make_early_inc_range(getOperation().getOps<sdy::MeshOp>()))
      if (!used.contains(mesh.getSymNameAttr()))
        mesh.erase();
  }
};

} // namespace
} // namespace shardwright
