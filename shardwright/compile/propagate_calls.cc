//===- propagate_calls.cc - propagation through calls ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/compile/propagate_calls.h"

#include "shardwright/compile/manual_call.h"
#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/partition/shardy/pipelines.h"

#include "mlir/IR/OwningOpRef.h"

using namespace mlir;

namespace shardwright {

CallShardings::~CallShardings() = default;

namespace {

using Shardings = CallShardings::Shardings;

/// Attribute with the number of a call during propagation.
constexpr llvm::StringLiteral numberName("shardwright.asked_call");

/// A call, and the answers about it.
struct AskedCall {
  stablehlo::CustomCallOp call;
  /// By result; empty if not known yet.
  Shardings shardings;
  /// The last query, and its answer.
  Shardings operands;
  std::optional<Shardings> inferred;
  bool isAsked = false;
  bool operandsAreTold = false;

  /// Queries about the call in a propagated copy of the module.
  LogicalResult ask(const ManualCall &copy, CallShardings &deciders);
  void merge(const ManualCall &copy, ArrayRef<sdy::TensorShardingAttr> forward,
             ArrayRef<sdy::TensorShardingAttr> backward);
  void tellOperands(const ManualCall &copy);
};

int64_t shards(const TensorSharding &sharding) {
  int64_t shards = 1;
  for (const DimSharding &dim : sharding.dims)
    shards *= dim.shards();
  return shards;
}

/// The merged sharding if both are compatible, else the one with more shards.
TensorSharding merged(const TensorSharding &a, const TensorSharding &b) {
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

bool isSharded(sdy::TensorShardingAttr sharding) {
  return llvm::any_of(sharding.getDimShardings(),
                      [](auto dim) { return !dim.getAxes().empty(); });
}

Shardings closedOf(const ManualCall &copy, ValueRange values) {
  Shardings out;
  for (Value value : values)
    out.push_back(copy.closed(value));
  return out;
}

void AskedCall::merge(const ManualCall &copy,
                      ArrayRef<sdy::TensorShardingAttr> forward,
                      ArrayRef<sdy::TensorShardingAttr> backward) {
  Shardings found;
  bool sharded = false;
  for (auto [i, result] : llvm::enumerate(copy.call->getResults())) {
    auto read = [&](ArrayRef<sdy::TensorShardingAttr> from) {
      return from.empty()
                 ? TensorSharding::closed(
                       cast<RankedTensorType>(result.getType()).getRank())
                 : sdy::shardingFromAttr(from[i], copy.free);
    };
    TensorSharding both = merged(read(forward), read(backward));
    sharded |= shards(both) > 1;
    found.push_back(
        sdy::shardingToAttr(copy.context, both, copy.free, copy.meshRef));
  }
  if (sharded)
    shardings = std::move(found);
}

LogicalResult AskedCall::ask(const ManualCall &copy, CallShardings &deciders) {
  Shardings now = closedOf(copy, copy.call->getOperands()),
            results = closedOf(copy, copy.call->getResults());
  bool isNew = !isAsked || now != operands;
  if (isNew) {
    FailureOr<Shardings> answer = deciders.infer(copy.call);
    if (failed(answer))
      return failure();
    inferred = std::move(*answer);
    operands = std::move(now);
    isAsked = true;
  }
  // The results have these shardings in later rounds.
  Shardings wanted;
  if (shardings.empty() && llvm::any_of(results, isSharded)) {
    FailureOr<Shardings> answer = deciders.propagateUser(copy.call);
    if (failed(answer))
      return failure();
    wanted = std::move(*answer);
    isNew = true;
  } else if (!shardings.empty()) {
    wanted = results;
  }
  if (isNew)
    merge(copy, inferred ? *inferred : Shardings(), wanted);
  return success();
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
void AskedCall::tellOperands(const ManualCall &copy) {
  if (operandsAreTold || shardings.size() != 1)
    return;
  operandsAreTold = true;
  for (auto [mine, copied] :
       llvm::zip(call->getOpOperands(), copy.call->getOperands())) {
    auto type = cast<RankedTensorType>(mine.get().getType());
    if (type.getShape() !=
            cast<RankedTensorType>(call->getResult(0).getType()).getShape() ||
        isSharded(copy.closed(copied)) || !isFree(mine.get()))
      continue;
    OpBuilder b(call);
    mine.set(sdy::ShardingConstraintOp::create(b, call.getLoc(), mine.get(),
                                               shardings[0]));
  }
}

} // namespace

LogicalResult propagateThroughCalls(ModuleOp module, int64_t devices,
                                    CallShardings &deciders) {
  // Each call site of the enclosing function is a call of its own.
  auto inlined = inlinedCustomCalls(module, [&](stablehlo::CustomCallOp call) {
    return deciders.decides(call);
  });
  if (failed(inlined))
    return failure();
  std::vector<AskedCall> calls;
  Builder b(module.getContext());
  for (stablehlo::CustomCallOp call : *inlined) {
    if (call->getNumResults() == 0 || sdy::getShardingRule(call) ||
        !sdy::getShardings(call).empty())
      continue;
    call->setAttr(numberName, b.getI64IntegerAttr(calls.size()));
    calls.push_back({call});
  }
  // Creates the mesh before copying, so that copies use its name.
  for (AskedCall &one : calls)
    (void)ManualCall(one.call, devices);

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
      ManualCall view(copy, devices);
      auto before = one.shardings;
      bool wasTold = one.operandsAreTold;
      asked = one.ask(view, deciders);
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

} // namespace shardwright
