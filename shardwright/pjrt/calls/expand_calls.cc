//===- expand_calls.cc - expansion of clients' calls ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/calls/expand_calls.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/pjrt/base/status.h"
#include "shardwright/pjrt/calls/client_call.h"
#include "shardwright/pjrt/calls/host_callback.h"
#include "shardwright/pjrt/calls/inspect_sharding.h"
#include "shardwright/pjrt/calls/returned_module.h"

using namespace mlir;

namespace shardwright::pjrt {
namespace {

/// Replaces one call by a manual computation.
class CallExpander : ClientCall {
public:
  using ClientCall::ClientCall;

  LogicalResult inspect();
  LogicalResult askClient(JAX_CustomCallPartitioner_Callbacks *callbacks,
                          KeptSources &kept);
};

LogicalResult CallExpander::inspect() {
  std::string error = tellSharding(call.getBackendConfigAttr(),
                                   shardingOf(call->getOperand(0)));
  if (!error.empty())
    return emitError(call.getLoc()) << error;
  call->getResult(0).replaceAllUsesWith(call->getOperand(0));
  call->erase();
  return success();
}

LogicalResult
CallExpander::askClient(JAX_CustomCallPartitioner_Callbacks *callbacks,
                        KeptSources &kept) {
  auto operands = describe(call->getOperands()),
       results = describe(call->getResults());
  if (failed(operands) || failed(results))
    return failure();
  auto answer = partitionCall(callbacks, config(), *operands, *results);
  if (!answer)
    return emitError(call.getLoc()) << llvm::toString(answer.takeError());
  SmallVector<sdy::TensorShardingAttr> in, out;
  for (auto [values, shardings, attrs] :
       {std::tuple(ValueRange(call->getOperands()),
                   ArrayRef<HloSharding>(answer->operands), &in),
        std::tuple(ValueRange(call->getResults()),
                   ArrayRef<HloSharding>(answer->results), &out)})
    for (auto [value, sharding] : llvm::zip(values, shardings)) {
      auto attr = fromClient(sharding, value.getType());
      if (failed(attr))
        return failure();
      attrs->push_back(*attr);
    }
  SmallVector<Type> argumentTypes, resultTypes;
  for (auto [value, sharding] : llvm::zip(call->getOperands(), in))
    argumentTypes.push_back(shardType(value.getType(), sharding));
  for (auto [value, sharding] : llvm::zip(call->getResults(), out))
    resultTypes.push_back(shardType(value.getType(), sharding));
  ReturnedModule returned(call, kept);
  if (failed(returned.read(answer->module, argumentTypes, resultTypes,
                           numDevices)))
    return failure();
  sdy::ManualComputationOp manual = replace(in, out);
  returned.moveInto(manual.getBody().front());
  call->erase();
  return success();
}

} // namespace

LogicalResult expandClientCalls(ModuleOp module, int64_t devices,
                                KeptSources &kept) {
  if (failed(callOnEachDevice(module, devices, partitionedCallbackTarget)))
    return failure();
  auto isOne = [](stablehlo::CustomCallOp call) {
    StringRef target = call.getCallTargetName();
    return target == inspectTarget || findCustomPartitioner(target);
  };
  auto calls = inlinedCustomCalls(module, isOne);
  if (failed(calls))
    return failure();
  for (stablehlo::CustomCallOp call : *calls) {
    CallExpander expander(call, devices);
    StringRef target = call.getCallTargetName();
    LogicalResult done =
        target == inspectTarget
            ? expander.inspect()
            : expander.askClient(findCustomPartitioner(target), kept);
    if (failed(done))
      return failure();
  }
  return success();
}

} // namespace shardwright::pjrt
