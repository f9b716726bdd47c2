//===- expand_calls.cc - expansion of clients' calls ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/calls/expand_calls.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/prepare/inline_calls.h"
#include "shardwright/pjrt/base/status.h"
#include "shardwright/pjrt/calls/client_call.h"
#include "shardwright/pjrt/calls/host_callback.h"
#include "shardwright/pjrt/calls/inspect_sharding.h"
#include "shardwright/pjrt/calls/returned_module.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace shardwright::pjrt {
namespace {

/// Replaces one call by a manual computation.
class CallExpander : ClientCall {
public:
  using ClientCall::ClientCall;

  LogicalResult inspect();
  LogicalResult makePartitioned();
  LogicalResult askClient(JAX_CustomCallPartitioner_Callbacks *callbacks,
                          KeptSources &kept);

private:
  sdy::TensorShardingAttr closed(Value value) const;
  /// The type with each dimension padded to a multiple of its shards.
  static RankedTensorType paddedType(Type type, const Mesh &mesh,
                                     sdy::TensorShardingAttr sharding);
  Type shardType(Type type, sdy::TensorShardingAttr sharding) const;
  /// The caller must fill the body; operands and results are padded outside.
  sdy::ManualComputationOp replaceCall(ArrayRef<sdy::TensorShardingAttr> in,
                                       ArrayRef<sdy::TensorShardingAttr> out);
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

/// The propagated sharding with all dimensions closed.
sdy::TensorShardingAttr CallExpander::closed(Value value) const {
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  TensorSharding sharding = TensorSharding::closed(rank);
  sdy::TensorShardingAttr attr = sdy::getSharding(value);
  if (attr && attr.getRank() == rank)
    for (auto [to, from] :
         llvm::zip(sharding.dims, sdy::shardingFromAttr(attr, free).dims))
      to.axes = from.axes;
  return sdy::shardingToAttr(context, sharding, free, meshRef);
}

RankedTensorType CallExpander::paddedType(Type type, const Mesh &mesh,
                                          sdy::TensorShardingAttr sharding) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  for (auto [size, dim] :
       llvm::zip(shape, sdy::shardingFromAttr(sharding, mesh).dims))
    size = llvm::alignTo(size, dim.shards());
  return tensor.clone(ArrayRef<int64_t>(shape));
}

Type CallExpander::shardType(Type type,
                             sdy::TensorShardingAttr sharding) const {
  RankedTensorType padded = paddedType(type, free, sharding);
  SmallVector<int64_t> shape(padded.getShape());
  for (auto [size, dim] :
       llvm::zip(shape, sdy::shardingFromAttr(sharding, free).dims))
    size /= dim.shards();
  return padded.clone(ArrayRef<int64_t>(shape));
}

sdy::ManualComputationOp
CallExpander::replaceCall(ArrayRef<sdy::TensorShardingAttr> in,
                          ArrayRef<sdy::TensorShardingAttr> out) {
  OpBuilder b(call);
  Location loc = call.getLoc();
  SmallVector<Value> operands;
  SmallVector<Type> results;
  for (auto [operand, sharding] : llvm::zip(call->getOperands(), in)) {
    RankedTensorType type = paddedType(operand.getType(), free, sharding);
    Value value = operand;
    if (type != operand.getType()) {
      auto scalar = RankedTensorType::get({}, type.getElementType());
      Value zero = stablehlo::ConstantOp::create(
          b, loc, scalar,
          DenseElementsAttr::get(scalar, b.getZeroAttr(type.getElementType())));
      SmallVector<int64_t> none(type.getRank(), 0), high;
      for (auto [to, from] :
           llvm::zip(type.getShape(),
                     cast<RankedTensorType>(operand.getType()).getShape()))
        high.push_back(to - from);
      value = stablehlo::PadOp::create(b, loc, type, operand, zero, none, high,
                                       none);
      sdy::setSharding(value, sharding);
    }
    operands.push_back(value);
  }
  for (auto [result, sharding] : llvm::zip(call->getResults(), out))
    results.push_back(paddedType(result.getType(), free, sharding));
  SmallVector<StringAttr> axes;
  for (const MeshAxis &axis : free.axes())
    axes.push_back(b.getStringAttr(axis.name));
  auto manual = sdy::ManualComputationOp::create(
      b, loc, results, operands,
      sdy::TensorShardingPerValueAttr::get(context, in),
      sdy::TensorShardingPerValueAttr::get(context, out),
      sdy::ManualAxesAttr::get(context, axes));
  Block &body = manual.getBody().emplaceBlock();
  for (auto [operand, sharding] : llvm::zip(call->getOperands(), in))
    body.addArgument(shardType(operand.getType(), sharding), loc);
  for (auto [result, made] :
       llvm::zip(call->getResults(), manual->getResults())) {
    Value value = made;
    auto type = cast<RankedTensorType>(result.getType());
    if (made.getType() != type) {
      SmallVector<int64_t> begin(type.getRank(), 0), step(type.getRank(), 1);
      value = stablehlo::SliceOp::create(b, loc, type, made, begin,
                                         type.getShape(), step);
      if (sdy::TensorShardingAttr sharding = sdy::getSharding(result))
        sdy::setSharding(value, sharding);
    }
    result.replaceAllUsesWith(value);
  }
  return manual;
}

LogicalResult CallExpander::makePartitioned() {
  if (free.numAxes() == 0) // every device already has its own values
    return success();
  SmallVector<sdy::TensorShardingAttr> in;
  for (Value operand : call->getOperands())
    in.push_back(closed(operand));
  sdy::ManualComputationOp manual = replaceCall(in, {});
  Block &body = manual.getBody().front();
  OpBuilder b = OpBuilder::atBlockEnd(&body);
  IRMapping mapping;
  mapping.map(call->getOperands(), body.getArguments());
  b.clone(*call, mapping)->removeDiscardableAttr(sdy::kShardingAttr);
  sdy::ReturnOp::create(b, call.getLoc(), ValueRange());
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
  sdy::ManualComputationOp manual = replaceCall(in, out);
  returned.moveInto(manual.getBody().front());
  call->erase();
  return success();
}

} // namespace

LogicalResult expandClientCalls(ModuleOp module, int64_t devices,
                                KeptSources &kept) {
  auto isOne = [](stablehlo::CustomCallOp call) {
    StringRef target = call.getCallTargetName();
    return target == inspectTarget || target == partitionedCallbackTarget ||
           findCustomPartitioner(target);
  };
  WalkResult any = module.walk([&](stablehlo::CustomCallOp call) {
    return isOne(call) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!any.wasInterrupted())
    return success();
  // The manual axes around a call are only known at its call site.
  if (failed(inlineCalls(module)))
    return failure();
  SmallVector<stablehlo::CustomCallOp> calls;
  module.walk([&](stablehlo::CustomCallOp call) {
    if (isOne(call))
      calls.push_back(call);
  });
  for (stablehlo::CustomCallOp call : calls) {
    CallExpander expander(call, devices);
    StringRef target = call.getCallTargetName();
    LogicalResult done =
        target == inspectTarget ? expander.inspect()
        : target == partitionedCallbackTarget
            ? expander.makePartitioned()
            : expander.askClient(findCustomPartitioner(target), kept);
    if (failed(done))
      return failure();
  }
  return success();
}

} // namespace shardwright::pjrt
