//===- resolve_single_device_sharding.cc - branches for one device --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pass sdy-resolve-single-device-sharding: an op on a single device becomes a
// branch that only this device takes; the sum of its results and the others'
// zeros is replicated. Zeros of floats are -0, which preserves the sign of each
// result.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/ops/op_builders.h"
#include "shardwright/partition/shardy/passes.h"
#include "shardwright/partition/shardy/single_device.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"

using namespace mlir;

namespace shardwright {

using sdy::TensorShardingAttr;

#define GEN_PASS_DEF_RESOLVESINGLEDEVICESHARDING
#include "shardwright/partition/shardy/passes.h.inc"

namespace {

class Resolver {
public:
  Resolver(func::FuncOp func, bool deviceIsReplica)
      : func(func), module(func->getParentOfType<ModuleOp>()),
        deviceIsReplica(deviceIsReplica) {}

  LogicalResult run() {
    SmallVector<Operation *> ops;
    func.walk([&](Operation *op) {
      if (hasSingleDeviceResult(module, op))
        ops.push_back(op);
    });
    if (ops.empty())
      return success();
    globalMesh = getGlobalMesh(module);
    if (!globalMesh)
      return success();
    for (Operation *op : ops)
      if (failed(visit(op)))
        return failure();
    return success();
  }

private:
  LogicalResult visit(Operation *op);
  Value isDevice(OpBuilder &builder, Location loc, int64_t device);
  Value onAllDevices(OpBuilder &builder, Value part);
  /// The sharding of a value that is replicated on the global mesh.
  TensorShardingAttr replicated(Type type);
  /// The mesh of the op's results. Fails with a diagnostic if they are on
  /// several devices.
  FailureOr<sdy::MeshAttr> deviceOf(Operation *op);
  void forward(Value from, Value to);

  func::FuncOp func;
  ModuleOp module;
  bool deviceIsReplica;
  sdy::MeshOp globalMesh;
};

Value Resolver::isDevice(OpBuilder &builder, Location loc, int64_t device) {
  Operation *id;
  if (deviceIsReplica)
    id = stablehlo::ReplicaIdOp::create(builder, loc);
  else
    id = stablehlo::PartitionIdOp::create(builder, loc);
  auto type = RankedTensorType::get({}, builder.getI64Type());
  Value wide =
      stablehlo::ConvertOp::create(builder, loc, type, id->getResult(0));
  Value wanted = stablehlo::ConstantOp::create(
      builder, loc, type, DenseElementsAttr::get(type, device));
  return buildCompare(builder, loc, wide, wanted,
                      stablehlo::ComparisonDirection::EQ);
}

Value Resolver::onAllDevices(OpBuilder &builder, Value part) {
  MLIRContext *context = builder.getContext();
  SmallVector<sdy::AxisRefAttr> axes;
  for (sdy::MeshAxisAttr axis : globalMesh.getMesh().getAxes())
    axes.push_back(sdy::AxisRefAttr::get(context, axis.getName()));
  return sdy::AllReduceOp::create(builder, part.getLoc(), part.getType(), part,
                                  sdy::AxisRefListAttr::get(context, axes),
                                  sdy::ReductionOp::SUM,
                                  replicated(part.getType()));
}

TensorShardingAttr Resolver::replicated(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return TensorShardingAttr::getFullyClosed(
      type.getContext(), tensor ? tensor.getRank() : 0,
      FlatSymbolRefAttr::get(type.getContext(), globalMesh.getSymName()));
}

/// Replaces uses of `from` by `to`; removes reshards of it to what `to` is:
/// replicated on the global mesh.
void Resolver::forward(Value from, Value to) {
  for (Operation *user : llvm::make_early_inc_range(from.getUsers()))
    if (auto reshard = dyn_cast<sdy::ReshardOp>(user);
        reshard && reshard.getSharding() == replicated(to.getType())) {
      reshard.getResult().replaceAllUsesWith(to);
      reshard.erase();
    }
  from.replaceAllUsesWith(to);
}

FailureOr<sdy::MeshAttr> Resolver::deviceOf(Operation *op) {
  sdy::MeshAttr device;
  TensorShardingAttr sharded;
  for (Value result : op->getResults()) {
    TensorShardingAttr sharding = sdy::getSharding(result);
    if (isOnSingleDevice(module, sharding)) {
      sdy::MeshAttr mesh = sdy::getMeshAttr(module, sharding.getMeshOrRef());
      if (device && mesh != device)
        return op->emitOpError(
            "has conflicting single-device result shardings");
      device = mesh;
    } else if (sharding &&
               !(sharding.emptyAxes() && sharding.getUnreducedAxes().empty())) {
      sharded = sharding;
    }
  }
  if (sharded)
    return op->emitOpError("has a result on a single device and one with "
                           "sharding ")
           << sharded
           << "; run sdy-insert-explicit-reshards first, which reshards it";
  return device;
}

LogicalResult Resolver::visit(Operation *op) {
  if (auto reshard = dyn_cast<sdy::ReshardOp>(op)) {
    TensorShardingAttr from = sdy::getSharding(reshard.getInput());
    bool isReplicated = !from || isOnSingleDevice(module, from) ||
                        (from.emptyAxes() && from.getUnreducedAxes().empty());
    if (!isReplicated)
      return op->emitOpError("goes to one device from ")
             << from
             << "; run sdy-insert-explicit-reshards{enable-full-version=true} "
                "first, which replicates it";
    forward(reshard.getResult(), reshard.getInput());
    op->erase();
    return success();
  }
  // A replicated value is on that device, too.
  if (isa_and_nonnull<sdy::SdyDialect>(op->getDialect())) {
    sdy::setShardings(op, {});
    return success();
  }
  FailureOr<sdy::MeshAttr> mesh = deviceOf(op);
  if (failed(mesh))
    return failure();
  int64_t device = mesh->getDeviceIds().front();

  OpBuilder builder(op);
  Location loc = op->getLoc();
  Value here = isDevice(builder, loc, device);
  FailureOr<stablehlo::IfOp> made =
      buildConditional(builder, op, here, /*negative=*/true);
  if (failed(made))
    return failure();
  stablehlo::IfOp branch = *made;
  sdy::setShardings(&branch.getTrueBranch().front().front(), {});
  builder.setInsertionPointAfter(branch);
  for (auto [result, part] :
       llvm::zip(op->getResults(), branch->getResults())) {
    if (isa<RankedTensorType>(part.getType()))
      forward(result, onAllDevices(builder, part));
    else
      result.replaceAllUsesWith(part);
  }
  op->erase();
  return success();
}

struct ResolveSingleDeviceShardingPass
    : impl::ResolveSingleDeviceShardingBase<ResolveSingleDeviceShardingPass> {
  using ResolveSingleDeviceShardingBase::ResolveSingleDeviceShardingBase;

  void runOnOperation() override {
    if (failed(Resolver(getOperation(), replicaCount > 1).run()))
      signalPassFailure();
  }
};

} // namespace
} // namespace shardwright
