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

/// Replaces the shardings of the entry on meshes of one device by replicated
/// ones on `mesh`. Returns false, without a change, if a manual computation or
/// a collective uses such a mesh, whose axes `mesh` lacks.
bool replicateOnMesh(const Needs &needs, const SymbolTable &symbols,
                     sdy::MeshOp mesh) {
  auto isOfOneDevice = [&](Attribute meshOrRef) {
    sdy::MeshAttr attr = sdy::getMeshAttr(symbols, meshOrRef);
    return attr && !attr.getAxes().empty() && attr.getTotalSize() == 1;
  };
  bool refers = false;
  AttrTypeWalker walker;
  walker.addWalk([&](sdy::TensorShardingAttr sharding) {
    refers |= isOfOneDevice(sharding.getMeshOrRef());
  });
  for (Operation *function : needs.functions)
    function->walk([&](Operation *op) {
      if (isa<sdy::ManualComputationOp, sdy::CollectiveOpInterface>(op))
        walker.walk(op->getAttrDictionary());
    });
  if (refers)
    return false;
  auto ref = FlatSymbolRefAttr::get(mesh.getSymNameAttr());
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](sdy::TensorShardingAttr sharding) -> std::optional<Attribute> {
        if (!isOfOneDevice(sharding.getMeshOrRef()))
          return std::nullopt;
        MLIRContext *context = sharding.getContext();
        SmallVector<sdy::DimensionShardingAttr> dims;
        for (sdy::DimensionShardingAttr dim : sharding.getDimShardings())
          dims.push_back(sdy::DimensionShardingAttr::get(context, /*axes=*/{},
                                                         dim.getIsClosed()));
        return sdy::TensorShardingAttr::get(
            context, ref, dims, /*replicated=*/{},
            /*unreduced=*/{}, sdy::ReductionOp::SUM);
      });
  for (Operation *function : needs.functions)
    replacer.recursivelyReplaceElementsIn(function);
  return true;
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
  SymbolTable symbols(module);
  Needs needs = findNeeds(entry, symbols);
  if (needs.deviceCounts.size() == 2 && needs.deviceCounts.contains(1)) {
    needs.deviceCounts.remove(1);
    auto meshes = module.getOps<sdy::MeshOp>();
    auto kept = llvm::find_if(meshes, [&](sdy::MeshOp mesh) {
      return !mesh.getMesh().getAxes().empty() &&
             needs.deviceCounts.contains(mesh.getMesh().getTotalSize());
    });
    if (kept == meshes.end() || !replicateOnMesh(needs, symbols, *kept))
      return;
  }
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
