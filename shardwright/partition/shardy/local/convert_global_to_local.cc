//===- convert_global_to_local.cc - make functions local ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/used_channels.h"
#include "shardwright/partition/localize/localizer.h"
#include "shardwright/partition/shardy/local/shardy_form.h"
#include "shardwright/partition/shardy/passes.h"
#include "shardwright/partition/shardy/single_device.h"

#include "shardwright/dialect/sdy/module_metadata.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/partition/support/tensor_types.h"
#include "shardwright/support/id_map.h"

using namespace mlir;

namespace shardwright {

#define GEN_PASS_DEF_CONVERTGLOBALTOLOCAL
#include "shardwright/partition/shardy/passes.h.inc"

namespace {

/// Checks that the number of shards divides each dimension.
LogicalResult checkDivisible(sdy::TensorShardingAttr sharding, Type type,
                             MeshTable &meshes,
                             llvm::function_ref<InFlightDiagnostic()> emit) {
  if (!sharding || sharding.emptyAxes())
    return success();
  int32_t mesh = meshes.idOf(sharding.getMeshOrRef());
  ArrayRef<int64_t> shape = dimsOf(type);
  if (mesh < 0 || int64_t(shape.size()) != sharding.getRank())
    return success();
  for (auto [d, dim] : llvm::enumerate(sharding.getDimShardings())) {
    int64_t shards = totalSize(meshes.toAxes(mesh, dim.getAxes()));
    if (ShapedType::isDynamic(shape[d])) {
      if (shards > 1)
        return emit() << "dimension " << d << " of " << type
                      << " is sharded but has no static size";
      continue;
    }
    if (shape[d] % shards)
      return emit() << "Failed to compute local type due to non-divisible "
                       "sharding "
                    << sharding << " of " << type
                    << "; run sdy-pad-for-divisibility first";
  }
  return success();
}

LogicalResult checkDivisible(func::FuncOp func, MeshTable &meshes) {
  auto emit = [&] { return func.emitError(); };
  for (BlockArgument arg : func.getArguments())
    if (failed(
            checkDivisible(sdy::getSharding(arg), arg.getType(), meshes, emit)))
      return failure();
  for (auto [i, type] : llvm::enumerate(func.getResultTypes()))
    if (failed(checkDivisible(sdy::getFuncResultSharding(func, i), type, meshes,
                              emit)))
      return failure();
  WalkResult walked = func.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (failed(checkDivisible(sdy::getSharding(result), result.getType(),
                                meshes, [&] { return op->emitError(); })))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

/// Returns the next free channel handle. Renumbers permutes that have the same
/// handle in several functions, which function passes produce.
int64_t numberChannels(ModuleOp module) {
  int64_t next = stablehlo::UsedChannels(module).firstUnused();
  SmallVector<std::pair<func::FuncOp, stablehlo::CollectivePermuteOp>> permutes;
  module.walk([&](stablehlo::CollectivePermuteOp permute) {
    if (permute.getChannelHandle().value_or(nullptr))
      permutes.push_back({permute->getParentOfType<func::FuncOp>(), permute});
  });
  IdMap<func::FuncOp> owners;
  for (auto [func, permute] : permutes) {
    stablehlo::ChannelHandleAttr handle = *permute.getChannelHandle();
    if (owners.try_emplace(handle.getHandle(), func).first->second != func)
      permute.setChannelHandleAttr(stablehlo::ChannelHandleAttr::get(
          module.getContext(), next++, handle.getType()));
  }
  return next;
}

/// Records how main's arguments and results are sharded, with inlined meshes. A
/// value without a sharding is replicated on the module's mesh.
void recordSignature(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>(sdy::kMainFuncName);
  if (!main)
    return;
  MLIRContext *context = module.getContext();
  sdy::MeshOp globalMesh = getGlobalMesh(module);
  sdy::MeshAttr defaultMesh =
      globalMesh ? globalMesh.getMesh() : sdy::MeshAttr::getEmpty(context);
  auto inlined = [&](sdy::TensorShardingAttr sharding, Type type) {
    if (!sharding)
      return sdy::TensorShardingAttr::getFullyClosed(
          context, dimsOf(type).size(), defaultMesh);
    sdy::MeshAttr mesh = sdy::getMeshAttr(module, sharding.getMeshOrRef());
    return mesh ? sharding.withMesh(mesh) : sharding;
  };
  SmallVector<sdy::TensorShardingAttr> arguments, results;
  for (BlockArgument arg : main.getArguments())
    arguments.push_back(inlined(sdy::getSharding(arg), arg.getType()));
  for (auto [i, type] : llvm::enumerate(main.getResultTypes()))
    results.push_back(inlined(sdy::getFuncResultSharding(main, i), type));
  module->setDiscardableAttr(
      sdy::kParametersShardingsAttr,
      sdy::TensorShardingPerValueAttr::get(context, arguments));
  module->setDiscardableAttr(
      sdy::kOutputShardingsAttr,
      sdy::TensorShardingPerValueAttr::get(context, results));
}

struct ConvertGlobalToLocalPass
    : impl::ConvertGlobalToLocalBase<ConvertGlobalToLocalPass> {
  using ConvertGlobalToLocalBase::ConvertGlobalToLocalBase;

  void runOnOperation() override {
    if (failed(convert(getOperation())))
      signalPassFailure();
  }

  LogicalResult convert(ModuleOp module) {
    if (replicaCount > 1 && partitionCount > 1)
      return module.emitError(
          "Shardy partitioner convert_global_to_local does not support both "
          "replica_count > 1 and partition_count > 1 yet.");
    FailureOr<MeshTable> meshes = MeshTable::create(module);
    if (failed(meshes))
      return failure();
    int64_t nextChannel = numberChannels(module);
    ShardyForm::Options options;
    options.perDimAllGather = perDimAllGather;
    options.combineReduceScatter = combineMultiDimensionReduceScatter;
    options.meshAxesGroups =
        enableRgv3 && shardy >= ShardyVersion::Jaxlib0_12_0;
    // Called functions are called with the local types of their own shardings,
    // so that the order of functions does not matter.
    for (auto func : module.getOps<func::FuncOp>())
      if (failed(checkDivisible(func, *meshes)))
        return failure();
    if (shardy >= ShardyVersion::Jaxlib0_12_0)
      recordSignature(module);
    for (auto func : module.getOps<func::FuncOp>()) {
      Localizer localizer(func, *meshes, nextChannel, /*replicas=*/1,
                          {/*tables=*/true, replicaCount > 1});
      localizer.setForm(std::make_unique<ShardyForm>(localizer, options));
      if (failed(localizer.run()))
        return failure();
    }
    return success();
  }
};

} // namespace
} // namespace shardwright
