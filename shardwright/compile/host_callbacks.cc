//===- host_callbacks.cc - calls of host functions and their tokens -------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/compile/host_callbacks.h"

#include "shardwright/dialect/sdy/border_attributes.h"
#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/dialect/stablehlo/used_channels.h"
#include "shardwright/mesh/hlo/hlo_sharding.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace shardwright {

static constexpr llvm::StringLiteral configName("mhlo.backend_config");
static constexpr llvm::StringLiteral gspmdSharding("mhlo.sharding");
static constexpr llvm::StringLiteral aliasingOutput("tf.aliasing_output");

/// The device of a maximal sharding; -1 for any other sharding.
static int64_t singleDevice(Operation *op, SymbolTable &symbols) {
  if (auto text = op->getAttrOfType<StringAttr>(gspmdSharding)) {
    auto sharding = HloSharding::parse(text.getValue());
    if (!sharding) {
      llvm::consumeError(sharding.takeError());
      return -1;
    }
    if (sharding->isTuple() && !sharding->elements().empty())
      return sharding->elements()[0].kind() == HloSharding::Kind::Maximal
                 ? sharding->elements()[0].device()
                 : -1;
    return sharding->kind() == HloSharding::Kind::Maximal ? sharding->device()
                                                          : -1;
  }
  auto shardings =
      op->getAttrOfType<sdy::TensorShardingPerValueAttr>(sdy::kShardingAttr);
  if (!shardings || shardings.getShardings().empty())
    return -1;
  Attribute meshOrRef = shardings.getShardings()[0].getMeshOrRef();
  auto mesh = dyn_cast<sdy::MeshAttr>(meshOrRef);
  if (auto name = dyn_cast<FlatSymbolRefAttr>(meshOrRef))
    if (auto op = symbols.lookup<sdy::MeshOp>(name.getValue()))
      mesh = op.getMesh();
  return mesh && mesh.getAxes().empty() && mesh.getDeviceIds().size() == 1
             ? mesh.getDeviceIds()[0]
             : -1;
}

void pinCallbacks(ModuleOp module, StringRef onOneDevice,
                  StringRef onEachDevice) {
  SymbolTable symbols(module);
  module.walk([&](stablehlo::CustomCallOp call) {
    bool isOnEach = call.getCallTargetName() == onEachDevice;
    if (!isOnEach && call.getCallTargetName() != onOneDevice)
      return;
    int64_t device = isOnEach ? -1 : singleDevice(call, symbols);
    call->removeAttr(sdy::kShardingAttr);
    call->removeAttr(gspmdSharding);
    auto config = call->getAttrOfType<DictionaryAttr>(configName);
    if (device < 0 || !config)
      return;
    NamedAttrList fields(config);
    fields.set(
        callbackDevice,
        IntegerAttr::get(IntegerType::get(call.getContext(), 64), device));
    call->setAttr(configName, fields.getDictionary(call.getContext()));
  });
}

void shareCallbackResults(ModuleOp module, int64_t numPartitions,
                          StringRef target) {
  if (numPartitions < 2)
    return;
  SmallVector<stablehlo::CustomCallOp> calls;
  module.walk([&](stablehlo::CustomCallOp call) {
    if (call.getCallTargetName() == target)
      calls.push_back(call);
  });
  if (calls.empty())
    return;
  int64_t channel = stablehlo::UsedChannels(module).firstUnused();
  for (stablehlo::CustomCallOp call : calls) {
    auto config = call->getAttrOfType<DictionaryAttr>(configName);
    auto device =
        config ? config.getAs<IntegerAttr>(callbackDevice) : IntegerAttr();
    if (!device)
      continue;
    // The first device of a group is the source.
    SmallVector<int64_t> group = {device.getInt()};
    for (int64_t d = 0; d < numPartitions; ++d)
      if (d != device.getInt())
        group.push_back(d);
    OpBuilder b(call.getContext());
    b.setInsertionPointAfter(call);
    auto groups = DenseIntElementsAttr::get(
        RankedTensorType::get({1, int64_t(group.size())}, b.getI64Type()),
        group);
    for (Value result : call.getResults()) {
      if (result.use_empty() || !isa<RankedTensorType>(result.getType()))
        continue;
      auto shared = stablehlo::CollectiveBroadcastOp::create(
          b, call.getLoc(), TypeRange(result.getType()), ValueRange(result),
          groups,
          stablehlo::ChannelHandleAttr::get(call.getContext(), channel++, 1),
          /*has_dynamic_root=*/false);
      result.replaceAllUsesExcept(shared->getResult(0), shared);
    }
  }
}

FailureOr<TokenPositions> dropTokens(ModuleOp module) {
  TokenPositions positions;
  func::FuncOp main = sdy::getMainFunc(module);
  if (!main)
    return positions;
  auto number = [](TypeRange types, llvm::BitVector &tokens,
                   std::vector<int32_t> &positions) {
    int32_t next = 0;
    tokens.resize(types.size());
    for (auto [i, type] : llvm::enumerate(types)) {
      tokens[i] = isa<stablehlo::TokenType>(type);
      positions.push_back(tokens[i] ? -1 : next++);
    }
  };
  llvm::BitVector arguments, results;
  number(main.getArgumentTypes(), arguments, positions.argumentOf);
  number(main.getResultTypes(), results, positions.resultOf);
  if (arguments.none() && results.none())
    return positions;
  if (main.isDeclaration())
    return main.emitError() << "the entry function has no body";

  OpBuilder b = OpBuilder::atBlockBegin(&main.getBody().front());
  for (unsigned i : arguments.set_bits()) {
    BlockArgument token = main.getArgument(i);
    if (!token.use_empty())
      token.replaceAllUsesWith(stablehlo::AfterAllOp::create(
          b, main.getLoc(), token.getType(), ValueRange()));
  }
  sdy::BorderAttributes border(main);
  for (unsigned i = 0; i < border.numArguments(); ++i)
    if (auto alias = border.argumentAs<IntegerAttr>(i, aliasingOutput)) {
      int64_t old = alias.getInt();
      bool isLost = old < 0 || old >= int64_t(results.size()) || results[old];
      border.setArgument(i, aliasingOutput,
                         isLost ? IntegerAttr()
                                : b.getI32IntegerAttr(positions.resultOf[old]));
    }
  border.write();
  Operation *end = main.getBody().front().getTerminator();
  end->eraseOperands(results);
  if (failed(main.eraseResults(results)) ||
      failed(main.eraseArguments(arguments)))
    return main.emitError() << "cannot take the tokens from the entry function";
  return positions;
}

} // namespace shardwright
