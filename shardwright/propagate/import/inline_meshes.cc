//===- inline_meshes.cc - inline meshes into shardings --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/index/sharding_walk.h"
#include "shardwright/propagate/passes.h"
#include "shardwright/rules/mesh_users.h"

using namespace mlir;

namespace shardwright {

#define GEN_PASS_DEF_INLINEMESHES
#include "shardwright/propagate/passes.h.inc"

namespace {

struct InlineMeshesPass : impl::InlineMeshesBase<InlineMeshesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    transformShardings(module, [&](sdy::TensorShardingAttr sharding) {
      sdy::MeshAttr mesh = sdy::getMeshAttr(symbols, sharding.getMeshOrRef());
      return mesh ? sharding.withMesh(mesh) : sharding;
    });
    transformUsedMeshes(module, [&](Attribute mesh) -> Attribute {
      sdy::MeshAttr attr = sdy::getMeshAttr(symbols, mesh);
      return attr ? Attribute(attr) : mesh;
    });
    for (auto mesh : llvm::make_early_inc_range(module.getOps<sdy::MeshOp>()))
      mesh.erase();
  }
};

} // namespace
} // namespace shardwright
