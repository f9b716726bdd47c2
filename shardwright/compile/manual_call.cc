//===- manual_call.cc - calls on the shards of each device ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/compile/manual_call.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/used_channels.h"
#include "shardwright/partition/prepare/inline_calls.h"
#include "shardwright/support/id_map.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace shardwright {

ManualCall::ManualCall(stablehlo::CustomCallOp c, int64_t devices) : call(c) {
  ModuleOp module = call->getParentOfType<ModuleOp>();
  sdy::MeshOp found;
  auto take = [&](Value value) {
    sdy::TensorShardingAttr sharding = sdy::getSharding(value);
    auto name = sharding ? dyn_cast<FlatSymbolRefAttr>(sharding.getMeshOrRef())
                         : FlatSymbolRefAttr();
    auto op = name ? module.lookupSymbol<sdy::MeshOp>(name.getValue())
                   : sdy::MeshOp();
    if (!found && op && !op.getMesh().getAxes().empty())
      found = op;
  };
  for (Value operand : call->getOperands())
    take(operand);
  for (Value result : call->getResults())
    take(result);
  if (!found)
    for (auto op : module.getOps<sdy::MeshOp>())
      if (!found && !op.getMesh().getAxes().empty())
        found = op;
  if (!found) {
    // Nothing is sharded, so any unused name will do.
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    std::string name = "devices";
    while (module.lookupSymbol(name))
      name += "_";
    found = sdy::MeshOp::create(
        b, module.getLoc(), name,
        sdy::meshToAttr(context, Mesh({{"devices", devices}})));
  }
  Mesh mesh = sdy::meshFromAttr(found.getMesh());
  numDevices = mesh.numDevices();
  meshRef = FlatSymbolRefAttr::get(found.getSymNameAttr());
  SmallVector<StringRef> outer;
  for (auto manual = call->getParentOfType<sdy::ManualComputationOp>(); manual;
       manual = manual->getParentOfType<sdy::ManualComputationOp>())
    for (StringAttr name : manual.getManualAxes())
      outer.push_back(name.getValue());
  if (outer.empty()) {
    free = mesh;
    return;
  }
  SmallVector<MeshAxis, 4> axes;
  for (const MeshAxis &axis : mesh.axes())
    if (!llvm::is_contained(outer, axis.name))
      axes.push_back(axis);
  free = Mesh(axes);
}

sdy::TensorShardingAttr ManualCall::closed(Value value) const {
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  TensorSharding sharding = TensorSharding::closed(rank);
  sdy::TensorShardingAttr attr = sdy::getSharding(value);
  if (attr && attr.getRank() == rank)
    for (auto [to, from] :
         llvm::zip(sharding.dims, sdy::shardingFromAttr(attr, free).dims))
      to.axes = from.axes;
  return sdy::shardingToAttr(context, sharding, free, meshRef);
}

/// The type with each dimension padded to a multiple of its shards.
static RankedTensorType paddedType(Type type, const Mesh &mesh,
                                   sdy::TensorShardingAttr sharding) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  for (auto [size, dim] :
       llvm::zip(shape, sdy::shardingFromAttr(sharding, mesh).dims))
    size = llvm::alignTo(size, dim.shards());
  return tensor.clone(ArrayRef<int64_t>(shape));
}

Type ManualCall::shardType(Type type, sdy::TensorShardingAttr sharding) const {
  RankedTensorType padded = paddedType(type, free, sharding);
  SmallVector<int64_t> shape(padded.getShape());
  for (auto [size, dim] :
       llvm::zip(shape, sdy::shardingFromAttr(sharding, free).dims))
    size /= dim.shards();
  return padded.clone(ArrayRef<int64_t>(shape));
}

sdy::ManualComputationOp
ManualCall::replace(ArrayRef<sdy::TensorShardingAttr> in,
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

void moveBody(ModuleOp from, Operation *main, Block &body, Operation *call,
              Block &block) {
  auto program = call->getParentOfType<ModuleOp>();
  SymbolTable symbols(program);
  int64_t channel = stablehlo::UsedChannels(program).firstUnused();
  // Renumber channels one to one: equal ones stay equal.
  IdMap<int64_t> channels;
  main->walk([&](Operation *op) {
    op->removeDiscardableAttr(sdy::kShardingAttr);
    auto handle = op->getAttrOfType<stablehlo::ChannelHandleAttr>(
        stablehlo::kChannelHandleName);
    if (!handle)
      return;
    auto [it, isNew] = channels.try_emplace(handle.getHandle(), channel);
    channel += isNew;
    op->setAttr(stablehlo::kChannelHandleName,
                stablehlo::ChannelHandleAttr::get(op->getContext(), it->second,
                                                  handle.getType()));
  });
  for (auto function :
       llvm::make_early_inc_range(from.getOps<func::FuncOp>())) {
    if (function == main)
      continue;
    StringAttr name = function.getSymNameAttr();
    function->remove();
    StringAttr unique = symbols.insert(function);
    (void)SymbolTable::replaceAllSymbolUses(name, unique, main);
  }
  OpBuilder b = OpBuilder::atBlockEnd(&block);
  IRMapping mapping;
  mapping.map(body.getArguments(), block.getArguments());
  for (Operation &op : body.without_terminator())
    b.clone(op, mapping);
  SmallVector<Value> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(mapping.lookup(value));
  sdy::ReturnOp::create(b, call->getLoc(), results);
}

FailureOr<SmallVector<stablehlo::CustomCallOp>>
inlinedCustomCalls(ModuleOp module,
                   function_ref<bool(stablehlo::CustomCallOp)> fits) {
  SmallVector<stablehlo::CustomCallOp> calls;
  auto collect = [&] {
    calls.clear();
    module.walk([&](stablehlo::CustomCallOp call) {
      if (fits(call))
        calls.push_back(call);
    });
  };
  collect();
  if (calls.empty())
    return calls;
  if (failed(inlineCalls(module)))
    return failure();
  collect();
  return calls;
}

LogicalResult callOnEachDevice(ModuleOp module, int64_t devices,
                               StringRef target) {
  // One device has the full values. Only there calls may have tokens.
  if (devices < 2)
    return success();
  auto calls = inlinedCustomCalls(module, [&](stablehlo::CustomCallOp call) {
    return call.getCallTargetName() == target;
  });
  if (failed(calls))
    return failure();
  for (stablehlo::CustomCallOp call : *calls) {
    ManualCall site(call, devices);
    if (site.free.numAxes() == 0) // every device already has its own values
      continue;
    SmallVector<sdy::TensorShardingAttr> in;
    for (Value operand : call->getOperands())
      in.push_back(site.closed(operand));
    Block &body = site.replace(in, {}).getBody().front();
    OpBuilder b = OpBuilder::atBlockEnd(&body);
    IRMapping mapping;
    mapping.map(call->getOperands(), body.getArguments());
    b.clone(*call, mapping)->removeDiscardableAttr(sdy::kShardingAttr);
    sdy::ReturnOp::create(b, call.getLoc(), ValueRange());
    call->erase();
  }
  return success();
}

} // namespace shardwright
