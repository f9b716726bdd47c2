//===- prepare_module.cc - applies compile options to a module ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/request/prepare_module.h"

#include "shardwright/dialect/sdy/border_attributes.h"
#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/interop/entry_meshes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace shardwright::pjrt {

static constexpr llvm::StringLiteral gspmdSharding("mhlo.sharding");

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
  sdy::BorderAttributes border(main);
  for (auto [i, type] : llvm::enumerate(main.getArgumentTypes()))
    if (isa<RankedTensorType>(type) &&
        !CompileRequest::isTrue(request.chooseParameters, i) &&
        !border.argument(i, sdy::kShardingAttr) &&
        !border.argument(i, gspmdSharding))
      border.setArgument(i, sdy::kShardingAttr, replicated(type));
  for (auto [i, type] : llvm::enumerate(main.getResultTypes()))
    if (isa<RankedTensorType>(type) &&
        !CompileRequest::isTrue(request.chooseOutputs, i) &&
        !border.result(i, sdy::kShardingAttr) &&
        !border.result(i, gspmdSharding))
      border.setResult(i, sdy::kShardingAttr, replicated(type));
  border.write();
}

} // namespace shardwright::pjrt
