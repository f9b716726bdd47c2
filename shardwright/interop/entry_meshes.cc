//===- entry_meshes.cc - keep the meshes of the entry ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/entry_meshes.h"

#include "shardwright/dialect/sdy/sharding_access.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace shardwright {
namespace {

/// What the entry needs.
struct Needs {
  /// The entry, then functions in order of discovery.
  llvm::SetVector<Operation *> functions;
  /// Of its meshes with axes.
  llvm::SmallSetVector<int64_t, 2> deviceCounts;
};

Needs findNeeds(func::FuncOp entry, const SymbolTable &symbols) {
  Needs needs;
  needs.functions.insert(entry);
  auto use = [&](sdy::MeshAttr mesh) {
    if (!mesh.getAxes().empty())
      needs.deviceCounts.insert(mesh.getTotalSize());
  };
  AttrTypeWalker walker;
  walker.addWalk([&](SymbolRefAttr ref) {
    Operation *symbol = symbols.lookup(ref.getRootReference());
    if (auto mesh = dyn_cast_or_null<sdy::MeshOp>(symbol))
      use(mesh.getMesh());
    else if (isa_and_nonnull<func::FuncOp>(symbol))
      needs.functions.insert(symbol);
  });
  walker.addWalk([&](sdy::MeshAttr mesh) { use(mesh); });
  for (size_t i = 0; i < needs.functions.size(); ++i)
    needs.functions[i]->walk(
        [&](Operation *op) { walker.walk(op->getAttrDictionary()); });
  return needs;
}

} // namespace

void keepEntryMeshes(ModuleOp module) {
  llvm::SmallSetVector<int64_t, 2> deviceCounts;
  for (auto mesh : module.getOps<sdy::MeshOp>())
    if (!mesh.getMesh().getAxes().empty())
      deviceCounts.insert(mesh.getMesh().getTotalSize());
  func::FuncOp entry = sdy::getMainFunc(module);
  if (deviceCounts.size() < 2 || !entry)
    return;
  Needs needs = findNeeds(entry, SymbolTable(module));
  if (needs.deviceCounts.size() > 1)
    return;
  for (auto func : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (!needs.functions.contains(func))
      func.erase();
  for (auto mesh : llvm::make_early_inc_range(module.getOps<sdy::MeshOp>()))
    if (!mesh.getMesh().getAxes().empty() &&
        !needs.deviceCounts.contains(mesh.getMesh().getTotalSize()))
      mesh.erase();
}

} // namespace shardwright
