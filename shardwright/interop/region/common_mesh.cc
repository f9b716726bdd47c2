//===- common_mesh.cc - one mesh for an entry function --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/region/common_mesh.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/mesh/hlo/named_conversion.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace shardwright {
namespace {

/// An argument or result of the function.
struct BorderValue {
  RankedTensorType type; ///< null for tokens
  sdy::TensorShardingAttr sharding;
  Mesh mesh; ///< of the sharding
};

class BorderMesh {
public:
  BorderMesh(ModuleOp module, func::FuncOp func) : module(module), func(func) {}

  FailureOr<BorderShardings> find() {
    collect();
    if (failed(chooseMesh()))
      return failure();
    BorderShardings border;
    border.mesh = replaceMeshes();
    for (auto [i, value] : llvm::enumerate(values)) {
      auto sharding = onChosenMesh(value);
      if (failed(sharding))
        return failure();
      (i < func.getNumArguments() ? border.arguments : border.results)
          .push_back(*sharding);
    }
    return border;
  }

private:
  void collect() {
    auto add = [&](Type type, sdy::TensorShardingAttr sharding) {
      BorderValue value{dyn_cast<RankedTensorType>(type), nullptr, {}};
      sdy::MeshAttr mesh =
          sharding ? sdy::getMeshAttr(module, sharding.getMeshOrRef())
                   : sdy::MeshAttr();
      if (value.type && mesh && !mesh.getAxes().empty()) {
        value.sharding = sharding;
        value.mesh = sdy::meshFromAttr(mesh);
        if (!llvm::is_contained(meshes, value.mesh))
          meshes.push_back(value.mesh);
      }
      values.push_back(value);
    };
    for (auto [i, type] : llvm::enumerate(func.getArgumentTypes()))
      add(type, func.getArgAttrOfType<sdy::TensorShardingAttr>(
                    i, sdy::kShardingAttr));
    for (auto [i, type] : llvm::enumerate(func.getResultTypes()))
      add(type, func.getResultAttrOfType<sdy::TensorShardingAttr>(
                    i, sdy::kShardingAttr));
  }

  /// The only mesh of the values, else a refinement of their meshes, else a
  /// mesh of the module, else a new one.
  LogicalResult chooseMesh() {
    if (meshes.size() > 1)
      return inferCommonMesh();
    if (meshes.size() == 1) {
      chosen = meshes.front();
      return success();
    }
    for (sdy::MeshOp op : module.getOps<sdy::MeshOp>())
      if (!op.getMesh().getAxes().empty()) {
        chosen = sdy::meshFromAttr(op.getMesh());
        return success();
      }
    auto partitions = module->getAttrOfType<IntegerAttr>("mhlo.num_partitions");
    chosen = Mesh({{"devices", partitions ? partitions.getInt() : 1}});
    return success();
  }

  LogicalResult inferCommonMesh() {
    MeshInference inference;
    for (const BorderValue &value : values) {
      if (!value.sharding)
        continue;
      TensorSharding sharding =
          sdy::shardingFromAttr(value.sharding, value.mesh);
      if (!sharding.unreduced.empty() &&
          sharding.unreduced.kind != ReductionKind::Sum)
        return func.emitError()
               << "the arguments and results use " << meshes.size()
               << " meshes, and one of them is unreduced with reduction "
               << stringify(sharding.unreduced.kind)
               << ", expected reduction sum, or one mesh";
      inference.add(toTiled(NamedHloSharding{value.mesh, sharding, {}}));
    }
    llvm::Expected<Mesh> mesh = inference.infer(meshes.front().numDevices());
    if (!mesh)
      return func.emitError()
             << "the arguments and results use " << meshes.size()
             << " meshes, whose axes have no common refinement: "
             << llvm::toString(mesh.takeError());
    chosen = std::move(*mesh);
    return success();
  }

  FailureOr<sdy::TensorShardingAttr> onChosenMesh(const BorderValue &value) {
    if (!value.type)
      return sdy::TensorShardingAttr();
    auto attr = [&](const TensorSharding &sharding) {
      TensorSharding closed = sharding.closedLike();
      closed.replicated.clear();
      for (DimSharding &dim : closed.dims)
        dim.priority.reset();
      return sdy::shardingToAttr(module.getContext(), closed, chosen, meshRef);
    };
    if (!value.sharding)
      return attr(TensorSharding::closed(value.type.getRank()));
    TensorSharding sharding = sdy::shardingFromAttr(value.sharding, value.mesh);
    if (value.mesh == chosen)
      return attr(sharding);
    llvm::Expected<NamedHloSharding> named =
        toNamed(toTiled(NamedHloSharding{value.mesh, sharding, {}}), chosen,
                value.type.getRank());
    if (!named)
      return func.emitError() << "the sharding " << value.sharding
                              << " cannot be expressed on the common mesh: "
                              << llvm::toString(named.takeError());
    return attr(named->sharding);
  }

  sdy::MeshOp replaceMeshes() {
    std::string name = "mesh";
    for (sdy::MeshOp op :
         llvm::make_early_inc_range(module.getOps<sdy::MeshOp>())) {
      if (!op.getMesh().getAxes().empty() &&
          sdy::meshFromAttr(op.getMesh()) == chosen)
        name = op.getSymName().str();
      op.erase();
    }
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    auto made = sdy::MeshOp::create(
        b, module.getLoc(), name, sdy::meshToAttr(module.getContext(), chosen));
    SymbolTable symbols(module); // renames the mesh if the name is taken
    meshRef = FlatSymbolRefAttr::get(made.getSymNameAttr());
    return made;
  }

  ModuleOp module;
  func::FuncOp func;
  /// Arguments, then results.
  std::vector<BorderValue> values;
  std::vector<Mesh> meshes;
  Mesh chosen;
  FlatSymbolRefAttr meshRef;
};

} // namespace

FailureOr<BorderShardings> findBorderShardings(ModuleOp module,
                                               func::FuncOp func) {
  return BorderMesh(module, func).find();
}

} // namespace shardwright
