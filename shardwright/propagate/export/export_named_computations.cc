//===- export_named_computations.cc - named computations become calls ----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/passes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace shardwright {

using sdy::TensorShardingAttr;
using sdy::TensorShardingPerValueAttr;

#define GEN_PASS_DEF_EXPORTNAMEDCOMPUTATIONS
#include "shardwright/propagate/passes.h.inc"

namespace {

/// Removes the edge ops of these owners and returns their shardings, fully open
/// where missing; `stored` if no edge has a sharding.
template <typename Owners>
SmallVector<TensorShardingAttr> takeEdges(Owners owners,
                                          TensorShardingPerValueAttr stored) {
  SmallVector<TensorShardingAttr> shardings;
  Attribute mesh;
  for (Value owner : owners) {
    TensorShardingAttr sharding;
    if (sdy::DataFlowEdgeOp edge = sdy::DataFlowEdgeOp::lookup(owner)) {
      sharding = edge.getShardingAttr();
      edge.getResult().replaceAllUsesWith(owner);
      edge.erase();
    }
    if (sharding && !mesh)
      mesh = sharding.getMeshOrRef();
    shardings.push_back(sharding);
  }
  if (!mesh)
    return stored ? llvm::to_vector(stored.getShardings())
                  : SmallVector<TensorShardingAttr>();
  for (auto [owner, sharding] : llvm::zip_equal(owners, shardings))
    if (!sharding)
      sharding = TensorShardingPerValueAttr::getFullyOpen(
                     mesh.getContext(), Value(owner).getType(), mesh)
                     .getSharding(0);
  return shardings;
}

struct ExportNamedComputationsPass
    : impl::ExportNamedComputationsBase<ExportNamedComputationsPass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    // Exporting erases edge ops, which must not happen during the walk.
    SmallVector<sdy::NamedComputationOp> ops;
    getOperation().walk([&](sdy::NamedComputationOp op) { ops.push_back(op); });
    for (sdy::NamedComputationOp op : ops)
      exportOp(op, symbols);
  }

private:
  void exportOp(sdy::NamedComputationOp op, SymbolTable &symbols) {
    SmallVector<TensorShardingAttr> in =
        takeEdges(op.getBody().getArguments(), op.getInShardingsAttr());
    SmallVector<TensorShardingAttr> out =
        takeEdges(op.getResults(), op.getOutShardingsAttr());

    OpBuilder builder(op);
    auto func = func::FuncOp::create(
        op.getLoc(), op.getName(),
        builder.getFunctionType(op.getBody().getArgumentTypes(),
                                op.getResultTypes()));
    func.setPrivate();
    func->setAttr(sdy::kOriginalFuncNameAttr, op.getNameAttr());
    symbols.insert(func);
    func.getBody().takeBody(op.getBody());
    Operation *ret = func.getBody().front().getTerminator();
    builder.setInsertionPoint(ret);
    func::ReturnOp::create(builder, ret->getLoc(), ret->getOperands());
    ret->erase();
    for (auto [i, sharding] : llvm::enumerate(in))
      func.setArgAttr(i, sdy::kShardingAttr, sharding);

    builder.setInsertionPoint(op);
    auto call = func::CallOp::create(builder, op.getLoc(), op.getResultTypes(),
                                     func.getSymName(), op.getOperands());
    for (NamedAttribute attr : op->getDiscardableAttrs()) {
      if (attr.getName() == "execution_thread")
        func->setAttr(attr.getName(), attr.getValue());
      else
        call->setDiscardableAttr(attr.getName(), attr.getValue());
    }
    if (!out.empty())
      sdy::setShardings(call, out);
    op.replaceAllUsesWith(call.getResults());
    op.erase();
  }
};

} // namespace
} // namespace shardwright
