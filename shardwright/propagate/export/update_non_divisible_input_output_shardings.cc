//===- update_non_divisible_input_output_shardings.cc - axes that divide -===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/border_attributes.h"
#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/index/call_order.h"
#include "shardwright/propagate/index/module_contents.h"
#include "shardwright/propagate/index/op_index.h"
#include "shardwright/propagate/passes.h"

using namespace mlir;

namespace shardwright {

using sdy::TensorShardingAttr;

#define GEN_PASS_DEF_UPDATENONDIVISIBLEINPUTOUTPUTSHARDINGS
#include "shardwright/propagate/passes.h.inc"

namespace {

class Trimmer {
public:
  explicit Trimmer(ModuleOp module) : meshOf(module) {}

  /// The sharding of a value of this type, trimmed to axes that divide.
  TensorShardingAttr operator()(TensorShardingAttr sharding, Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    if (!sharding || !shaped || !shaped.hasStaticShape() ||
        shaped.getRank() != sharding.getRank())
      return sharding;
    sdy::MeshAttr mesh = meshOf(sharding.getMeshOrRef());
    if (!mesh)
      return sharding;
    bool changed = false;
    SmallVector<sdy::DimensionShardingAttr> dims;
    for (auto [dim, size] :
         llvm::zip_equal(sharding.getDimShardings(), shaped.getShape())) {
      dims.push_back(dim);
      if (size % dim.getShardedSize(mesh) == 0)
        continue;
      changed = true;
      Mesh value = sdy::meshFromAttr(mesh);
      dims.back() = sdy::DimensionShardingAttr::get(
          sharding.getContext(),
          sdy::axesToAttr(
              sharding.getContext(),
              divisiblePrefix(size, sdy::axesFromAttr(dim.getAxes(), value)),
              value),
          dim.getIsClosed());
    }
    return changed ? sharding.withDimShardings(dims) : sharding;
  }

  /// Trims one entry per value.
  bool trim(SmallVectorImpl<TensorShardingAttr> &shardings, TypeRange types) {
    bool changed = false;
    if (shardings.size() != types.size())
      return false;
    for (auto [sharding, type] : llvm::zip_equal(shardings, types)) {
      TensorShardingAttr trimmed = (*this)(sharding, type);
      changed |= trimmed != sharding;
      sharding = trimmed;
    }
    return changed;
  }

private:
  sdy::MeshLookup meshOf;
};

struct UpdateNonDivisibleInputOutputShardingsPass
    : impl::UpdateNonDivisibleInputOutputShardingsBase<
          UpdateNonDivisibleInputOutputShardingsPass> {
  void runOnOperation() override {
    const auto &contents = getAnalysis<ModuleContents>();
    markAnalysesPreserved<ModuleContents, OpIndex>();
    Trimmer trimmed(getOperation());
    for (const auto &function : getAnalysis<CallsByFunction>().functions()) {
      func::FuncOp func = function.op;
      sdy::BorderAttributes border(func);
      for (auto [i, type] : llvm::enumerate(func.getArgumentTypes()))
        border.setArgument(i, sdy::kShardingAttr,
                           trimmed(border.argumentAs<TensorShardingAttr>(
                                       i, sdy::kShardingAttr),
                                   type));
      for (auto [i, type] : llvm::enumerate(func.getResultTypes()))
        border.setResult(
            i, sdy::kShardingAttr,
            trimmed(border.resultAs<TensorShardingAttr>(i, sdy::kShardingAttr),
                    type));
      border.write();
    }
    if (!contents.calls && !contents.dataFlow)
      return;
    auto isConcerned = [](OperationName name) {
      return isNamed<func::CallOp>(name) || hasDataFlow(name);
    };
    for (Operation *op : getAnalysis<OpIndex>().inOrder(isConcerned)) {
      if (auto call = dyn_cast<func::CallOp>(op)) {
        SmallVector<TensorShardingAttr> shardings = sdy::getShardings(call);
        if (trimmed.trim(shardings, call.getResultTypes()))
          sdy::setShardings(call, shardings);
        continue;
      }
      auto flow = dyn_cast<sdy::ShardableDataFlowOpInterface>(op);
      if (!flow || !flow.shouldKeepEdgeOwnerShardingsDivisible())
        continue;
      SmallVector<TensorShardingAttr> arguments =
          flow.getBlockArgumentEdgeOwnerShardings();
      if (trimmed.trim(
              arguments,
              ValueRange(flow.getBlockArgumentEdgeOwners()).getTypes()))
        flow.setBlockArgumentEdgeOwnerShardings(arguments);
      SmallVector<TensorShardingAttr> results =
          flow.getOpResultEdgeOwnerShardings();
      if (trimmed.trim(results,
                       ValueRange(flow.getOpResultEdgeOwners()).getTypes()))
        flow.setOpResultEdgeOwnerShardings(results);
    }
  }
};

} // namespace
} // namespace shardwright
