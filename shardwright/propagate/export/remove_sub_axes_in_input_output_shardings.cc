//===- remove_sub_axes_in_input_output_shardings.cc - whole axes at main's===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/border_attributes.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/index/module_contents.h"
#include "shardwright/propagate/index/op_index.h"
#include "shardwright/propagate/passes.h"

using namespace mlir;

namespace shardwright {

using sdy::TensorShardingAttr;

#define GEN_PASS_DEF_REMOVESUBAXESININPUTOUTPUTSHARDINGS
#include "shardwright/propagate/passes.h.inc"

namespace {

TensorShardingAttr withoutSubAxes(TensorShardingAttr sharding) {
  SmallVector<sdy::DimensionShardingAttr> dims;
  for (sdy::DimensionShardingAttr dim : sharding.getDimShardings()) {
    ArrayRef<sdy::AxisRefAttr> axes = dim.getAxes();
    auto *sub = llvm::find_if_not(
        axes, [](sdy::AxisRefAttr axis) { return axis.isFullAxis(); });
    if (!dim.getIsClosed() && sub != axes.end())
      dim = sdy::DimensionShardingAttr::get(
          sharding.getContext(), axes.take_front(sub - axes.begin()),
          /*isClosed=*/false, dim.getPriority());
    dims.push_back(dim);
  }
  return sharding.withDimShardings(dims);
}

struct RemoveSubAxesInInputOutputShardingsPass
    : impl::RemoveSubAxesInInputOutputShardingsBase<
          RemoveSubAxesInInputOutputShardingsPass> {
  void runOnOperation() override {
    markAnalysesPreserved<ModuleContents, OpIndex>();
    FailureOr<func::FuncOp> found = sdy::requireMainFunc(getOperation());
    if (failed(found))
      return signalPassFailure();
    func::FuncOp main = *found;
    sdy::BorderAttributes border(main);
    for (unsigned i = 0; i < border.numArguments(); ++i)
      if (auto s = border.argumentAs<TensorShardingAttr>(i, sdy::kShardingAttr))
        border.setArgument(i, sdy::kShardingAttr, withoutSubAxes(s));
    for (unsigned i = 0; i < border.numResults(); ++i)
      if (auto s = border.resultAs<TensorShardingAttr>(i, sdy::kShardingAttr))
        border.setResult(i, sdy::kShardingAttr, withoutSubAxes(s));
    border.write();
  }
};

} // namespace
} // namespace shardwright
