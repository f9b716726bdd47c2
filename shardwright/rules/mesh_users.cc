//===- mesh_users.cc - ops that name meshes outside of shardings ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/rules/mesh_users.h"

#include "shardwright/rules/rule_interface.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;

void shardwright::transformUsedMeshes(
    ModuleOp module, llvm::function_ref<Attribute(Attribute)> transform) {
  // Few kinds of ops use meshes, so check once per op name.
  llvm::DenseMap<OperationName, bool> isUser;
  module.walk([&](Operation *op) {
    auto [it, isNew] = isUser.try_emplace(op->getName(), false);
    if (isNew)
      it->second = isa<MeshUserOpInterface>(op);
    if (!it->second)
      return;
    auto user = cast<MeshUserOpInterface>(op);
    Attribute mesh = user.getUsedMesh();
    if (!mesh)
      return;
    Attribute updated = transform(mesh);
    if (updated != mesh)
      user.setUsedMesh(updated);
  });
}
