//===- lift_inlined_meshes.cc - create a symbol for every mesh ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/index/module_contents.h"
#include "shardwright/propagate/index/op_index.h"
#include "shardwright/propagate/index/sharding_walk.h"
#include "shardwright/propagate/passes.h"
#include "shardwright/rules/mesh_users.h"
#include "shardwright/rules/rule_interface.h"

using namespace mlir;

namespace shardwright {

#define GEN_PASS_DEF_LIFTINLINEDMESHES
#include "shardwright/propagate/passes.h.inc"

namespace {

std::string nameFor(sdy::MeshAttr mesh) {
  if (std::optional<int64_t> device = mesh.getMaximalDeviceId())
    return "maximal_mesh_" + std::to_string(*device);
  return mesh.empty() ? sdy::kEmptyMeshName.str() : "mesh";
}

/// `{axes = [{name = "x", size = 2 : i64}], device_ids = dense<...>}`, the form
/// of an sdy mesh that StableHLO tools read.
DictionaryAttr stablehloMeshDict(sdy::MeshAttr mesh) {
  Builder builder(mesh.getContext());
  SmallVector<Attribute> axes;
  for (sdy::MeshAxisAttr axis : mesh.getAxes())
    axes.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("name", builder.getStringAttr(axis.getName())),
         builder.getNamedAttr("size",
                              builder.getI64IntegerAttr(axis.getSize()))}));
  NamedAttrList dict;
  dict.append("axes", builder.getArrayAttr(axes));
  if (!mesh.getDeviceIds().empty())
    dict.append("device_ids", builder.getI64TensorAttr(mesh.getDeviceIds()));
  return dict.getDictionary(mesh.getContext());
}

struct LiftInlinedMeshesPass
    : impl::LiftInlinedMeshesBase<LiftInlinedMeshesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    llvm::DenseMap<sdy::MeshAttr, FlatSymbolRefAttr> nameOfMesh;
    llvm::DenseMap<StringAttr, FlatSymbolRefAttr> firstName;
    sdy::MeshOp last;
    for (auto op : llvm::make_early_inc_range(module.getOps<sdy::MeshOp>())) {
      auto name = FlatSymbolRefAttr::get(op.getContext(), op.getSymName());
      auto [it, isNew] = nameOfMesh.try_emplace(op.getMesh(), name);
      if (isNew) {
        last = op;
        continue;
      }
      firstName[name.getAttr()] = it->second;
      symbols.erase(op);
    }

    auto symbolOf = [&](sdy::MeshAttr mesh) -> FlatSymbolRefAttr {
      FlatSymbolRefAttr &name = nameOfMesh[mesh];
      if (!name) {
        OpBuilder builder(module.getContext());
        auto op =
            sdy::MeshOp::create(builder, module.getLoc(), nameFor(mesh), mesh);
        symbols.insert(op, last ? std::next(Block::iterator(last))
                                : module.getBody()->begin());
        last = op;
        name = FlatSymbolRefAttr::get(op.getContext(), op.getSymName());
      }
      return name;
    };
    auto lifted = [&](Attribute meshOrRef) -> Attribute {
      if (auto mesh = dyn_cast<sdy::MeshAttr>(meshOrRef))
        return symbolOf(mesh);
      auto ref = dyn_cast<FlatSymbolRefAttr>(meshOrRef);
      auto it = ref ? firstName.find(ref.getAttr()) : firstName.end();
      return it == firstName.end() ? meshOrRef : Attribute(it->second);
    };
    // Names are kept unless a mesh is removed.
    if (firstName.empty() && !getAnalysis<ModuleContents>().inlinedMeshes &&
        !getAnalysis<OpIndex>().has([](OperationName name) {
          return name.hasInterface<MeshUserOpInterface>();
        })) {
      markAnalysesPreserved<OpIndex>();
      return finish(module);
    }
    transformShardings(module, [&](sdy::TensorShardingAttr sharding) {
      Attribute mesh = lifted(sharding.getMeshOrRef());
      return mesh == sharding.getMeshOrRef() ? sharding
                                             : sharding.withMesh(mesh);
    });
    transformUsedMeshes(module, lifted);
    finish(module);
  }

private:
  void finish(ModuleOp module) {
    for (auto op : module.getOps<sdy::MeshOp>())
      if (!op->hasAttr(sdy::kStablehloMeshAttr))
        op->setDiscardableAttr(sdy::kStablehloMeshAttr,
                               stablehloMeshDict(op.getMesh()));
    markAnalysesPreserved<ModuleContents>();
  }
};

} // namespace
} // namespace shardwright
