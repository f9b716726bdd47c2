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
#include "shardwright/frontend/jit/partition_calls.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace shardwright::frontend {

static constexpr llvm::StringLiteral configName("mhlo.backend_config");

HostCalls::HostCalls(
    const std::vector<std::shared_ptr<const ParamObject>> &callbacks) {
  for (const auto &callback : callbacks) {
    auto host = std::dynamic_pointer_cast<const HostCallback>(callback);
    expanded.push_back(host ? nullptr : callback);
    auto &number = numbers.emplace_back();
    if (host) {
      called.push_back(host->name);
      number.emplace(std::move(host));
    }
  }
  ownNumbers = numbers.size();
  ownNames = called.size();
}

void HostCalls::dropAdopted() {
  while (numbers.size() > ownNumbers)
    numbers.pop_back();
  while (called.size() > ownNames)
    called.pop_back();
}

void HostCalls::adopt(HostCalls &&part) {
  for (auto &number : part.numbers)
    numbers.push_back(std::move(number));
  called.insert(called.end(), part.called.begin(), part.called.end());
}

LogicalResult HostCalls::prepare(ModuleOp module,
                                 const std::vector<Device> &devices,
                                 const std::vector<Mesh> &known,
                                 CompileOptions &options) {
  auto numDevices = static_cast<int64_t>(devices.size());
  Builder b(module.getContext());
  bool areShards = false;
  module.walk([&](stablehlo::CustomCallOp call) {
    bool isPartitioned = call.getCallTargetName() == kPartitionedTextTarget;
    if (!isPartitioned && call.getCallTargetName() != kTextTarget)
      return;
    auto config = call->getAttrOfType<DictionaryAttr>(configName);
    auto index = config ? config.getAs<IntegerAttr>("index") : IntegerAttr();
    size_t position = index ? index.getValue().getZExtValue() : numbers.size();
    if (position >= numbers.size() || !numbers[position])
      return;
    areShards |= isPartitioned;
    call.setCallTargetName(isPartitioned ? kEachDeviceTarget
                                         : kOneDeviceTarget);
    call->setAttr(
        configName,
        b.getDictionaryAttr(b.getNamedAttr(
            "index", b.getI64IntegerAttr(numbers[position]->value()))));
  });
  if (failed(::shardwright::ffi::checkFfiAttributes(module)))
    return failure();
  pinCallbacks(module, kOneDeviceTarget, kEachDeviceTarget);
  if (failed(dropTokens(module)))
    return failure();
  if (numbers.empty())
    return success();
  bool hasExpanded = llvm::any_of(
      expanded, [](const auto &object) { return object != nullptr; });
  if (hasExpanded)
    options.beforePropagate = [=, this](ModuleOp module) {
      return propagatePartitionedCalls(module, devices, known, expanded);
    };
  if (areShards || hasExpanded)
    options.beforePartition = [=, this](ModuleOp propagated) -> LogicalResult {
      if (failed(expandPartitionedCalls(propagated, devices, known, expanded,
                                        *this)))
        return failure();
      return callOnEachDevice(propagated, numDevices, kEachDeviceTarget);
    };
  options.afterStage = [numDevices](Stage stage, ModuleOp local) {
    if (stage == Stage::Local)
      shareCallbackResults(local, numDevices, kOneDeviceTarget);
  };
  return success();
}

} // namespace shardwright::frontend
