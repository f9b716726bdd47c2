//===- in_place.cc - shardings found for a module in place ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/in_place.h"

#include "shardwright/auto/prepare.h"
#include "shardwright/dialect/sdy/border_attributes.h"
#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace shardwright {

/// The ops of a module in order, without data flow edges.
static std::vector<Operation *> opsOf(ModuleOp module) {
  std::vector<Operation *> ops;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa<sdy::DataFlowEdgeOp>(op))
      ops.push_back(op);
  });
  return ops;
}

void copyShardings(ModuleOp from, ModuleOp to) {
  std::vector<Operation *> sources = opsOf(from), targets = opsOf(to);
  assert(sources.size() == targets.size() && "modules of different ops");
  for (auto [source, target] : llvm::zip_equal(sources, targets)) {
    if (auto func = dyn_cast<func::FuncOp>(source)) {
      auto copy = cast<func::FuncOp>(target);
      const sdy::BorderAttributes found(func);
      sdy::BorderAttributes border(copy);
      for (unsigned i = 0; i < border.numArguments(); ++i)
        if (Attribute sharding = found.argument(i, sdy::kShardingAttr))
          border.setArgument(i, sdy::kShardingAttr, sharding);
      for (unsigned i = 0; i < border.numResults(); ++i)
        if (Attribute sharding = found.result(i, sdy::kShardingAttr))
          border.setResult(i, sdy::kShardingAttr, sharding);
      border.write();
      continue;
    }
    for (auto [result, copy] :
         llvm::zip_equal(source->getResults(), target->getResults())) {
      // During propagation that of a loop is in its edges.
      sdy::TensorShardingAttr sharding = sdy::getSharding(result);
      if (sharding && sdy::getSharding(copy) != sharding)
        sdy::setSharding(copy, sharding);
    }
  }
}

/// Moves the shardings of data flow edges to the values, as the program has
/// them before and after propagation.
static LogicalResult sinkEdges(ModuleOp module) {
  PassManager pm(module.getContext(), ModuleOp::getOperationName(),
                 PassManager::Nesting::Explicit);
  pm.addNestedPass<func::FuncOp>(createSinkDataFlowEdges());
  return pm.run(module);
}

/// A module keeps its mesh: other sizes would need another program.
static LogicalResult checkMesh(ModuleOp module, ArrayRef<MeshAxis> asked) {
  if (asked.empty())
    return success();
  for (sdy::MeshOp op : module.getOps<sdy::MeshOp>()) {
    ArrayRef<sdy::MeshAxisAttr> own = op.getMesh().getAxes();
    if (own.empty())
      continue;
    if (!llvm::equal(own, asked, [](sdy::MeshAxisAttr a, const MeshAxis &b) {
          return a.getName() == b.name && a.getSize() == b.size;
        }))
      return op.emitError() << "the module has mesh @" << op.getSymName()
                            << ", and the option `mesh` asks for another one; "
                               "leave out the option";
    return success();
  }
  return success();
}

LogicalResult autoShardInPlace(ModuleOp module, const AutoOptions &options) {
  if (failed(requireEntry(module)) || failed(checkMesh(module, options.mesh)) ||
      failed(prepareModule(module, options)))
    return failure();
  OwningOpRef<ModuleOp> copy = module.clone();
  if (failed(sinkEdges(*copy)))
    return failure();
  FailureOr<AutoResult> found = autoShardImported(*copy, options);
  if (failed(found) || failed(requireFits(module, *found, "option `memory`")))
    return failure();
  copyShardings(*found->module, module);
  return success();
}

} // namespace shardwright
