//===- propagate_calls.cc - propagation by clients ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/calls/propagate_calls.h"

#include "shardwright/compile/propagate_calls.h"
#include "shardwright/pjrt/calls/client_call.h"

using namespace mlir;

namespace shardwright::pjrt {
namespace {

/// Queries the client.
class ClientShardings final : public CallShardings {
public:
  explicit ClientShardings(int64_t devices) : devices(devices) {}

  bool decides(stablehlo::CustomCallOp call) override {
    auto *callbacks = findCustomPartitioner(call.getCallTargetName());
    return callbacks && callbacks->infer_sharding &&
           callbacks->propagate_user_sharding;
  }
  FailureOr<Shardings> infer(stablehlo::CustomCallOp call) override;
  FailureOr<Shardings> propagateUser(stablehlo::CustomCallOp call) override;

private:
  /// The client's answer as shardings of the results.
  template <typename Answer>
  FailureOr<Shardings> read(const ClientCall &view, Answer answer) const;

  int64_t devices;
};

} // namespace

template <typename Answer>
FailureOr<CallShardings::Shardings>
ClientShardings::read(const ClientCall &view, Answer answer) const {
  if (!answer)
    return emitError(view.call->getLoc()) << llvm::toString(answer.takeError());
  Shardings out;
  if (std::optional<std::vector<HloSharding>> given = std::move(*answer))
    for (auto [sharding, result] : llvm::zip(*given, view.call->getResults())) {
      auto attribute = view.fromClient(sharding, result.getType());
      if (failed(attribute))
        return failure();
      out.push_back(*attribute);
    }
  return out;
}

FailureOr<CallShardings::Shardings>
ClientShardings::infer(stablehlo::CustomCallOp call) {
  ClientCall view(call, devices);
  auto operands = view.describe(call->getOperands()),
       results = view.describe(call->getResults());
  if (failed(operands) || failed(results))
    return failure();
  return read(view,
              inferShardings(findCustomPartitioner(call.getCallTargetName()),
                             view.config(), *operands, *results));
}

FailureOr<CallShardings::Shardings>
ClientShardings::propagateUser(stablehlo::CustomCallOp call) {
  ClientCall view(call, devices);
  auto results = view.describe(call->getResults());
  if (failed(results))
    return failure();
  return read(view, propagateUserShardings(
                        findCustomPartitioner(call.getCallTargetName()),
                        view.config(), *results));
}

LogicalResult propagateThroughClientCalls(ModuleOp module, int64_t devices) {
  ClientShardings client(devices);
  return propagateThroughCalls(module, devices, client);
}

} // namespace shardwright::pjrt
