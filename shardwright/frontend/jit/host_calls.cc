//===- host_calls.cc - calls of host functions in a module ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/jit/host_calls.h"

#include "shardwright/compile/host_callbacks.h"
#include "shardwright/compile/manual_call.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/ffi/attributes.h"
#include "shardwright/frontend/callbacks/callback_lowering.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace shardwright::frontend {

static constexpr llvm::StringLiteral configName("mhlo.backend_config");

HostCalls::HostCalls(
    const std::vector<std::shared_ptr<const ParamObject>> &callbacks) {
  for (const auto &callback : callbacks)
    numbers.emplace_back(
        std::dynamic_pointer_cast<const HostCallback>(callback));
}

LogicalResult HostCalls::prepare(ModuleOp module, int64_t numDevices,
                                 CompileOptions &options) {
  Builder b(module.getContext());
  bool areShards = false;
  module.walk([&](stablehlo::CustomCallOp call) {
    bool isPartitioned = call.getCallTargetName() == kPartitionedTextTarget;
    if (!isPartitioned && call.getCallTargetName() != kTextTarget)
      return;
    auto config = call->getAttrOfType<DictionaryAttr>(configName);
    auto index = config ? config.getAs<IntegerAttr>("index") : IntegerAttr();
    size_t position = index ? index.getValue().getZExtValue() : numbers.size();
    if (position >= numbers.size())
      return;
    areShards |= isPartitioned;
    call.setCallTargetName(isPartitioned ? kEachDeviceTarget
                                         : kOneDeviceTarget);
    call->setAttr(
        configName,
        b.getDictionaryAttr(b.getNamedAttr(
            "index", b.getI64IntegerAttr(numbers[position].value()))));
  });
  if (failed(::shardwright::ffi::checkFfiAttributes(module)))
    return failure();
  pinCallbacks(module, kOneDeviceTarget, kEachDeviceTarget);
  if (failed(dropTokens(module)))
    return failure();
  if (numbers.empty())
    return success();
  if (areShards)
    options.beforePartition = [numDevices](ModuleOp propagated) {
      return callOnEachDevice(propagated, numDevices, kEachDeviceTarget);
    };
  options.afterStage = [numDevices](Stage stage, ModuleOp local) {
    if (stage == Stage::Local)
      shareCallbackResults(local, numDevices, kOneDeviceTarget);
  };
  return success();
}

} // namespace shardwright::frontend
