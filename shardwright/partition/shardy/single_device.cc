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

bool hasSingleDeviceResult(ModuleOp module, Operation *op) {
  return llvm::any_of(op->getResults(), [&](Value result) {
    return isOnSingleDevice(module, sdy::getSharding(result));
  });
}

static TensorShardingAttr replicatedOn(Attribute meshOrRef, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return TensorShardingAttr::getFullyClosed(
      meshOrRef.getContext(), tensor ? tensor.getRank() : 0, meshOrRef);
}

LogicalResult reshardForSingleDevice(ModuleOp module, Operation *op) {
  sdy::MeshOp globalMesh = getGlobalMesh(module);
  if (!globalMesh)
    return success();
  TensorShardingAttr device;
  SmallVector<TensorShardingAttr> asked = sdy::getShardings(op->getResults());
  for (TensorShardingAttr sharding : asked) {
    if (!isOnSingleDevice(module, sharding))
      continue;
    if (device && sdy::getMeshAttr(module, device.getMeshOrRef()) !=
                      sdy::getMeshAttr(module, sharding.getMeshOrRef()))
      return op->emitOpError("has conflicting single-device result shardings");
    if (!device)
      device = sharding;
  }
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
    if (isOnSingleDevice(module, have) &&
        sdy::getMeshAttr(module, have.getMeshOrRef()) ==
            sdy::getMeshAttr(module, device.getMeshOrRef()))
      continue;
    TensorShardingAttr replicated = replicatedOn(global, value.getType());
    if (have && !(have.emptyAxes() && have.getUnreducedAxes().empty() &&
                  !isOnSingleDevice(module, have)))
      value = reshard(value, replicated);
    // A reshard moves its operand to the device itself.
    if (!isa<sdy::ReshardOp>(op))
      value = reshard(value, device);
    operand.set(value);
  }

  SmallVector<TensorShardingAttr> own;
  for (Value result : op->getResults())
    own.push_back(isa<RankedTensorType>(result.getType())
                      ? device
                      : replicatedOn(global, result.getType()));
  if (!isa<sdy::ReshardOp>(op))
    sdy::setShardings(op, own);
  builder.setInsertionPointAfter(op);
  for (auto [result, sharding] : llvm::zip(op->getResults(), asked)) {
    if (!isa<RankedTensorType>(result.getType()))
      continue;
    TensorShardingAttr replicated = replicatedOn(global, result.getType());
    Value value = reshard(result, replicated);
    Operation *first = value.getDefiningOp();
    if (sharding && !isOnSingleDevice(module, sharding) &&
        !sharding.isEquivalent(replicated))
      value = reshard(value, sharding);
    result.replaceAllUsesExcept(value, first);
  }
  return success();
}

} // namespace shardwright
