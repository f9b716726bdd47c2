//===- prepare.cc - a module with a mesh and without old annotations ------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/prepare.h"

#include "shardwright/dialect/sdy/border_attributes.h"
#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/sdy/sharding_access.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace shardwright {
namespace {

constexpr llvm::StringLiteral kNumPartitions("mhlo.num_partitions");

LogicalResult addMesh(ModuleOp module, const AutoOptions &options) {
  ArrayRef<MeshAxis> axes = options.mesh;
  if (hasMesh(module))
    return success(); // importModule resizes it
  if (axes.empty())
    return module.emitError()
           << "the module has no mesh, and none is given (--mesh, --devices, "
              "shardwright_auto_mesh)";
  int64_t devices = 1;
  for (const MeshAxis &axis : axes)
    devices *= axis.size;
  std::string name = "mesh";
  while (module.lookupSymbol(name))
    name += "_";
  module.getContext()->getOrLoadDialect<sdy::SdyDialect>();
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  sdy::MeshOp::create(builder, module.getLoc(), name,
                      sdy::meshToAttr(module.getContext(),
                                      Mesh(options.mesh, options.deviceIds)));
  // A program for one device says so; its mesh says otherwise now.
  module->setAttr(kNumPartitions, builder.getI32IntegerAttr(devices));
  return success();
}

/// True if the op runs on one device: that is no layout, and stays.
bool isOnOneDevice(Operation *op) {
  return llvm::any_of(sdy::getShardings(op), [&](sdy::TensorShardingAttr own) {
    sdy::MeshAttr mesh = own ? sdy::getMeshAttr(op, own) : sdy::MeshAttr();
    return mesh && mesh.isMaximal();
  });
}

void dropConstraints(ModuleOp module) {
  SmallVector<sdy::ShardingConstraintOp> constraints;
  module.walk([&](Operation *op) {
    if (auto constraint = dyn_cast<sdy::ShardingConstraintOp>(op))
      constraints.push_back(constraint);
    else if (!isa<func::FuncOp>(op) && op->getDialect() &&
             op->getDialect()->getNamespace() != "sdy" && !isOnOneDevice(op))
      op->removeAttr(sdy::kShardingAttr);
  });
  for (sdy::ShardingConstraintOp constraint : constraints) {
    constraint.getResult().replaceAllUsesWith(constraint.getInput());
    constraint.erase();
  }
}

void dropAtBorder(ModuleOp module) {
  for (func::FuncOp func : module.getOps<func::FuncOp>()) {
    sdy::BorderAttributes border(func);
    for (unsigned i = 0; i < border.numArguments(); ++i)
      border.setArgument(i, sdy::kShardingAttr, nullptr);
    for (unsigned i = 0; i < border.numResults(); ++i)
      border.setResult(i, sdy::kShardingAttr, nullptr);
    border.write();
  }
}

/// The argument that the user calls so, by its number or by its name in the
/// source; -1: none.
int32_t argumentNamed(func::FuncOp main, StringRef name) {
  int32_t number;
  if (!name.getAsInteger(10, number))
    return number >= 0 && number < int32_t(main.getNumArguments()) ? number
                                                                   : -1;
  for (BlockArgument argument : main.getArguments()) {
    auto loc = dyn_cast<NameLoc>(argument.getLoc());
    if (loc ? loc.getName() == name
            : name == "arg" + std::to_string(argument.getArgNumber()))
      return argument.getArgNumber();
  }
  return -1;
}

/// True if a sharding keeps what another one says: its closed dimensions, and
/// the axes of its open ones.
bool keeps(const TensorSharding &sharding, const TensorSharding &given) {
  for (auto [own, other] : llvm::zip_equal(sharding.dims, given.dims)) {
    if (other.isClosed ? own.axes != other.axes
                       : own.axes.size() < other.axes.size() ||
                             !std::equal(other.axes.begin(), other.axes.end(),
                                         own.axes.begin()))
      return false;
    for (AxisRef axis : own.axes)
      if (llvm::any_of(given.replicated,
                       [&](AxisRef a) { return overlaps(a, axis); }))
        return false;
  }
  return true;
}

LogicalResult writeFixed(ModuleOp module, const AutoOptions &options) {
  func::FuncOp main = sdy::getMainFunc(module);
  if (options.fixed.empty() || !main)
    return success();
  auto meshes =
      llvm::make_filter_range(module.getOps<sdy::MeshOp>(), [](sdy::MeshOp op) {
        return !op.getMesh().getAxes().empty();
      });
  sdy::MeshOp op = *meshes.begin();
  Mesh mesh = sdy::meshFromAttr(op.getMesh());
  llvm::DenseMap<int32_t, const PartitionSpec *> specOf;
  for (const auto &[name, spec] : options.fixed) {
    int32_t i = argumentNamed(main, name);
    if (i < 0)
      return main.emitError() << "--fix: @" << main.getSymName()
                              << " has no argument '" << name << "'";
    auto type = dyn_cast<RankedTensorType>(main.getArgumentTypes()[i]);
    llvm::Expected<TensorSharding> sharding =
        resolve(spec, mesh, type ? type.getRank() : 0);
    if (!sharding)
      return main.emitError() << "--fix: argument '" << name << "' of type "
                              << main.getArgumentTypes()[i] << ": "
                              << llvm::toString(sharding.takeError());
    if (type && !dividesEvenly(type.getShape(), *sharding))
      return main.emitError()
             << "--fix: " << spec.str() << " does not divide argument '" << name
             << "' of type " << type << " evenly";
    auto [it, isFirst] = specOf.try_emplace(i, &spec);
    if (!isFirst && !(*it->second == spec))
      return main.emitError()
             << "--fix: argument '" << name << "' is fixed twice, as "
             << it->second->str() << " and as " << spec.str();
    sdy::TensorShardingAttr own = sdy::getSharding(main.getArgument(i));
    if (own && isFirst &&
        sdy::getMeshAttr(module, own.getMeshOrRef()) == op.getMesh() &&
        !keeps(*sharding, sdy::shardingFromAttr(own, mesh)))
      return main.emitError()
             << "--fix: argument '" << name << "' is fixed as " << spec.str()
             << ", but the module says " << own
             << "; forget its annotations (--drop=all) or leave out --fix";
    sdy::setSharding(
        main.getArgument(i),
        sdy::shardingToAttr(module.getContext(), *sharding, mesh,
                            FlatSymbolRefAttr::get(op.getSymNameAttr())));
  }
  return success();
}

} // namespace

bool hasMesh(ModuleOp module) {
  return llvm::any_of(module.getOps<sdy::MeshOp>(), [](sdy::MeshOp op) {
    return !op.getMesh().getAxes().empty();
  });
}

bool dropMeshes(ModuleOp module) {
  dropConstraints(module);
  dropAtBorder(module);
  for (sdy::MeshOp op :
       llvm::make_early_inc_range(module.getOps<sdy::MeshOp>())) {
    if (op.getMesh().getAxes().empty())
      continue;
    if (!SymbolTable::symbolKnownUseEmpty(op, module))
      return false;
    op.erase();
  }
  return true;
}

LogicalResult prepareModule(ModuleOp module, const AutoOptions &options) {
  if (options.drop != DropAnnotations::None)
    dropConstraints(module);
  if (options.drop == DropAnnotations::All)
    dropAtBorder(module);
  if (failed(addMesh(module, options)))
    return failure();
  return writeFixed(module, options);
}

bool hasAnnotations(ModuleOp module) {
  WalkResult found = module.walk([&](Operation *op) {
    if (isa<sdy::ShardingConstraintOp>(op) || op->hasAttr(sdy::kShardingAttr))
      return WalkResult::interrupt();
    if (auto func = dyn_cast<func::FuncOp>(op)) {
      for (unsigned i = 0; i < func.getNumArguments(); ++i)
        if (func.getArgAttr(i, sdy::kShardingAttr))
          return WalkResult::interrupt();
      for (unsigned i = 0; i < func.getNumResults(); ++i)
        if (func.getResultAttr(i, sdy::kShardingAttr))
          return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return found.wasInterrupted();
}

} // namespace shardwright
