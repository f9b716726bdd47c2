//===- prepare_module.cc - applies compile options to a module ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/request/prepare_module.h"

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/interop/entry_meshes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace shardwright::pjrt {

static constexpr llvm::StringLiteral aliasingOutput("tf.aliasing_output");
static constexpr llvm::StringLiteral gspmdSharding("mhlo.sharding");

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
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    if (auto alias = main.getArgAttrOfType<IntegerAttr>(i, aliasingOutput)) {
      int64_t old = alias.getInt();
      if (old < 0 || old >= int64_t(results.size()) || results[old])
        main.removeArgAttr(i, b.getStringAttr(aliasingOutput));
      else
        main.setArgAttr(i, aliasingOutput,
                        b.getI32IntegerAttr(positions.resultOf[old]));
    }
  Operation *end = main.getBody().front().getTerminator();
  end->eraseOperands(results);
  if (failed(main.eraseResults(results)) ||
      failed(main.eraseArguments(arguments)))
    return main.emitError() << "cannot take the tokens from the entry function";
  return positions;
}

void closeShardings(ModuleOp module, const CompileRequest &request) {
  keepEntryMeshes(module);
  func::FuncOp main = sdy::getMainFunc(module);
  sdy::MeshOp mesh;
  for (sdy::MeshOp op : module.getOps<sdy::MeshOp>())
    if (!mesh && !op.getMesh().getAxes().empty())
      mesh = op;
  // Without a mesh there are no sdy shardings, and GSPMD's shardings are
  // explicit about replication.
  if (!main || !mesh)
    return;
  auto replicated = [&](Type type) {
    return sdy::TensorShardingAttr::getFullyClosed(
        module.getContext(), cast<RankedTensorType>(type).getRank(),
        FlatSymbolRefAttr::get(mesh.getSymNameAttr()));
  };
  for (auto [i, type] : llvm::enumerate(main.getArgumentTypes()))
    if (isa<RankedTensorType>(type) &&
        !CompileRequest::isTrue(request.chooseParameters, i) &&
        !main.getArgAttr(i, sdy::kShardingAttr) &&
        !main.getArgAttr(i, gspmdSharding))
      main.setArgAttr(i, sdy::kShardingAttr, replicated(type));
  for (auto [i, type] : llvm::enumerate(main.getResultTypes()))
    if (isa<RankedTensorType>(type) &&
        !CompileRequest::isTrue(request.chooseOutputs, i) &&
        !main.getResultAttr(i, sdy::kShardingAttr) &&
        !main.getResultAttr(i, gspmdSharding))
      main.setResultAttr(i, sdy::kShardingAttr, replicated(type));
}

} // namespace shardwright::pjrt
