//===- propagate_calls.cc - propagation by clients ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/calls/propagate_calls.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/partition/shardy/pipelines.h"
#include "shardwright/pjrt/calls/client_call.h"

#include "mlir/IR/OwningOpRef.h"

using namespace mlir;

namespace shardwright::pjrt {
namespace {

/// Attribute with the number of a call during propagation.
constexpr llvm::StringLiteral numberName("shardwright.client_call");

/// A call, and the client's answers about it.
struct AskedCall {
  stablehlo::CustomCallOp call;
  JAX_CustomCallPartitioner_Callbacks *callbacks;
  /// By result; empty if not known yet.
  SmallVector<sdy::TensorShardingAttr> shardings;
  /// The last query, and the client's answer.
  std::vector<HloSharding> operands;
  std::optional<std::vector<HloSharding>> inferred;
  bool isAsked = false;
  bool operandsAreTold = false;

  /// Queries the client about the call in a propagated copy of the module.
  LogicalResult ask(const ClientCall &copy);
  LogicalResult merge(const ClientCall &copy, ArrayRef<HloSharding> forward,
                      ArrayRef<HloSharding> backward);
  void tellOperands(const ClientCall &copy);
};

} // namespace

static int64_t shards(const TensorSharding &sharding) {
  int64_t shards = 1;
  for (const DimSharding &dim : sharding.dims)
    shards *= dim.shards();
  return shards;
}

/// The merged sharding if both are compatible, else the one with more shards.
static TensorSharding merged(const TensorSharding &a, const TensorSharding &b) {
  TensorSharding both = a;
  AxisList taken = a.allAxes();
  for (auto [to, from] : llvm::zip(both.dims, b.dims)) {
    if (from.axes.empty() || to.axes == from.axes)
      continue;
    bool fits = to.axes.empty() && llvm::none_of(from.axes, [&](AxisRef axis) {
                  return overlaps(axis, taken);
                });
    if (!fits)
      return shards(b) > shards(a) ? b : a;
    to.axes = from.axes;
  }
  return both;
}

static bool anySharded(ArrayRef<PartitionedValue> values) {
  return llvm::any_of(values, [](const PartitionedValue &value) {
    return !value.sharding.isReplicated();
  });
}

LogicalResult AskedCall::merge(const ClientCall &copy,
                               ArrayRef<HloSharding> forward,
                               ArrayRef<HloSharding> backward) {
  SmallVector<sdy::TensorShardingAttr> found;
  bool sharded = false;
  for (auto [i, result] : llvm::enumerate(copy.call->getResults())) {
    auto read = [&](ArrayRef<HloSharding> from) -> FailureOr<TensorSharding> {
      if (from.empty())
        return TensorSharding::closed(
            cast<RankedTensorType>(result.getType()).getRank());
      auto attr = copy.fromClient(from[i], result.getType());
      if (failed(attr))
        return failure();
      return sdy::shardingFromAttr(*attr, copy.free);
    };
    FailureOr<TensorSharding> a = read(forward), b = read(backward);
    if (failed(a) || failed(b))
      return failure();
    TensorSharding both = merged(*a, *b);
    sharded |= shards(both) > 1;
    found.push_back(
        sdy::shardingToAttr(copy.context, both, copy.free, copy.meshRef));
  }
  if (sharded)
    shardings = std::move(found);
  return success();
}

LogicalResult AskedCall::ask(const ClientCall &copy) {
  auto operandValues = copy.describe(copy.call->getOperands()),
       resultValues = copy.describe(copy.call->getResults());
  if (failed(operandValues) || failed(resultValues))
    return failure();
  auto fail = [&](llvm::Error error) {
    return emitError(call.getLoc()) << llvm::toString(std::move(error));
  };
  std::vector<HloSharding> now;
  for (const PartitionedValue &operand : *operandValues)
    now.push_back(operand.sharding);
  bool isNew = !isAsked || now != operands;
  if (isNew) {
    auto answer =
        inferShardings(callbacks, copy.config(), *operandValues, *resultValues);
    if (!answer)
      return fail(answer.takeError());
    inferred = std::move(*answer);
    operands = std::move(now);
    isAsked = true;
  }
  // The results have these shardings in later rounds.
  std::vector<HloSharding> wanted;
  if (shardings.empty() && anySharded(*resultValues)) {
    auto answer =
        propagateUserShardings(callbacks, copy.config(), *resultValues);
    if (!answer)
      return fail(answer.takeError());
    wanted = std::move(*answer);
    isNew = true;
  } else if (!shardings.empty()) {
    for (const PartitionedValue &result : *resultValues)
      wanted.push_back(result.sharding);
  }
  if (!isNew)
    return success();
  return merge(copy, inferred ? ArrayRef(*inferred) : ArrayRef<HloSharding>(),
               wanted);
}

/// True if the program does not determine the sharding of the value: it is
/// computed from constants, and from arguments with open shardings.
static bool isFree(Value value) {
  SmallVector<Value> left = {value};
  llvm::SmallDenseSet<Value> seen;
  while (!left.empty()) {
    Value one = left.pop_back_val();
    if (!seen.insert(one).second)
      continue;
    if (sdy::TensorShardingAttr sharding = sdy::getSharding(one))
      if (llvm::all_of(sharding.getDimShardings(),
                       [](auto dim) { return dim.getIsClosed(); }))
        return false;
    if (Operation *op = one.getDefiningOp())
      llvm::append_range(left, op->getOperands());
  }
  return true;
}

/// Like GSPMD, gives an operand without a sharding the sharding of a result of
/// its shape.
void AskedCall::tellOperands(const ClientCall &copy) {
  if (operandsAreTold || shardings.size() != 1)
    return;
  operandsAreTold = true;
  for (auto [mine, copied] :
       llvm::zip(call->getOpOperands(), copy.call->getOperands())) {
    auto type = cast<RankedTensorType>(mine.get().getType());
    if (type.getShape() !=
            cast<RankedTensorType>(call->getResult(0).getType()).getShape() ||
        !copy.shardingOf(copied).isReplicated() || !isFree(mine.get()))
      continue;
    OpBuilder b(call);
    mine.set(sdy::ShardingConstraintOp::create(b, call.getLoc(), mine.get(),
                                               shardings[0]));
  }
}

LogicalResult propagateThroughClientCalls(ModuleOp module, int64_t devices) {
  auto partitioner = [](stablehlo::CustomCallOp call) {
    return findCustomPartitioner(call.getCallTargetName());
  };
  // Each call site of the enclosing function is a call of its own.
  auto inlined = inlinedCustomCalls(module, [&](stablehlo::CustomCallOp call) {
    return partitioner(call) != nullptr;
  });
  if (failed(inlined))
    return failure();
  std::vector<AskedCall> calls;
  Builder b(module.getContext());
  for (stablehlo::CustomCallOp call : *inlined) {
    JAX_CustomCallPartitioner_Callbacks *callbacks = partitioner(call);
    if (!callbacks->infer_sharding || !callbacks->propagate_user_sharding ||
        call->getNumResults() == 0 || sdy::getShardingRule(call) ||
        !sdy::getShardings(call).empty())
      continue;
    call->setAttr(numberName, b.getI64IntegerAttr(calls.size()));
    calls.push_back({call, callbacks});
  }
  // Creates the mesh before copying, so that copies use its name.
  for (AskedCall &one : calls)
    (void)ClientCall(one.call, devices);

  bool changed = !calls.empty();
  // Each round propagates through one more call of a chain.
  for (size_t round = 0; changed && round < 2 * calls.size() + 2; ++round) {
    changed = false;
    OwningOpRef<ModuleOp> copied(module.clone());
    PropagateOptions options;
    options.extraRules = true;
    options.insertReductions = false;
    if (failed(propagate(*copied, options)))
      return failure();
    LogicalResult asked = success();
    copied->walk([&](stablehlo::CustomCallOp copy) {
      auto number = copy->getAttrOfType<IntegerAttr>(numberName);
      if (!number || failed(asked))
        return;
      AskedCall &one = calls[number.getInt()];
      ClientCall view(copy, devices);
      auto before = one.shardings;
      bool wasTold = one.operandsAreTold;
      asked = one.ask(view);
      if (failed(asked))
        return;
      one.tellOperands(view);
      if (before != one.shardings)
        sdy::setShardings(one.call, one.shardings);
      changed |= before != one.shardings || wasTold != one.operandsAreTold;
    });
    if (failed(asked))
      return failure();
  }
  for (AskedCall &one : calls)
    one.call->removeAttr(numberName);
  return success();
}

} // namespace shardwright::pjrt
