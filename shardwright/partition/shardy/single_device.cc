//===- single_device.cc - ops on a single device --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/shardy/single_device.h"

#include "shardwright/dialect/sdy/sharding_access.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace shardwright {

using sdy::TensorShardingAttr;

bool isOnSingleDevice(ModuleOp module, TensorShardingAttr sharding) {
  if (!sharding)
    return false;
  sdy::MeshAttr mesh = sdy::getMeshAttr(module, sharding.getMeshOrRef());
  return mesh && mesh.isMaximal();
}

sdy::MeshOp getGlobalMesh(ModuleOp module) {
  for (auto mesh : module.getOps<sdy::MeshOp>())
    if (!mesh.getMesh().isMaximal() && !mesh.getMesh().empty())
      return mesh;
  return nullptr;
}

bool hasSingleDeviceMesh(ModuleOp module) {
  return llvm::any_of(module.getOps<sdy::MeshOp>(), [](sdy::MeshOp mesh) {
    return mesh.getMesh().isMaximal();
  });
}

bool hasSingleDeviceResult(ModuleOp module, Operation *op) {
  return llvm::any_of(op->getResults(), [&](Value result) {
    return isOnSingleDevice(module, sdy::getSharding(result));
  });
}

static TensorShardingAttr replicatedOn(Attribute meshOrRef, Type type) {
  auto tensor = dyn_cast_if_present<RankedTensorType>(type);
  return TensorShardingAttr::getFullyClosed(
      meshOrRef.getContext(), tensor ? tensor.getRank() : 0, meshOrRef);
}

LogicalResult reshardForSingleDevice(ModuleOp module, Operation *op) {
  TensorShardingAttr device;
  SmallVector<TensorShardingAttr> asked = sdy::getShardings(op->getResults());
  for (TensorShardingAttr sharding : asked) {
    if (!isOnSingleDevice(module, sharding))
      continue;
    if (device && sdy::getMeshAttr(module, device.getMeshOrRef()) !=
                      sdy::getMeshAttr(module, sharding.getMeshOrRef()))
      return op->emitOpError("has conflicting single-device result shardings");
    // Whatever the rank of the value, its sharding has rank 0.
    if (!device)
      device = replicatedOn(sharding.getMeshOrRef(), Type());
  }
  sdy::MeshOp globalMesh = getGlobalMesh(module);
  if (!globalMesh)
    return success();
  Attribute global =
      FlatSymbolRefAttr::get(op->getContext(), globalMesh.getSymName());
  OpBuilder builder(op);
  auto reshard = [&](Value value, TensorShardingAttr to) -> Value {
    return sdy::ReshardOp::create(builder, op->getLoc(), value.getType(), value,
                                  to);
  };

  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (!isa<RankedTensorType>(value.getType()))
      continue;
    TensorShardingAttr have = sdy::getSharding(value);
    if (have && have.getMeshOrRef() == device.getMeshOrRef())
      continue;
    bool isReplicated =
        !have || (have.getMeshOrRef() == global && have.emptyAxes() &&
                  have.getUnreducedAxes().empty());
    if (!isReplicated)
      value = reshard(value, replicatedOn(global, value.getType()));
    operand.set(reshard(value, device));
  }

  SmallVector<TensorShardingAttr> own;
  for (Value result : op->getResults())
    own.push_back(isa<RankedTensorType>(result.getType())
                      ? device
                      : replicatedOn(global, result.getType()));
  sdy::setShardings(op, own);
  builder.setInsertionPointAfter(op);
  for (auto [result, sharding] : llvm::zip(op->getResults(), asked)) {
    if (!isa<RankedTensorType>(result.getType()))
      continue;
    TensorShardingAttr replicated = replicatedOn(global, result.getType());
    Value value = reshard(result, replicated);
    Operation *first = value.getDefiningOp();
    if (sharding && !isOnSingleDevice(module, sharding) &&
        sharding != replicated)
      value = reshard(value, sharding);
    result.replaceAllUsesExcept(value, first);
  }
  return success();
}

} // namespace shardwright
