//===- remove_size_one_axes.cc - shardings without axes of size 1 ------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/module_contents.h"
#include "shardwright/propagate/op_index.h"
#include "shardwright/propagate/passes.h"
#include "shardwright/propagate/sharding_walk.h"

using namespace mlir;

namespace shardwright {

#define GEN_PASS_DEF_REMOVESIZEONEAXES
#include "shardwright/propagate/passes.h.inc"

namespace {

/// Null if the mesh has no axis of size 1.
sdy::TensorShardingAttr withoutSizeOneAxes(sdy::TensorShardingAttr sharding,
                                           sdy::MeshAttr mesh) {
  const Mesh sizes = sdy::meshFromAttr(mesh);
  // Sub-axes that only such an axis kept apart become one.
  auto filter = [&](ArrayRef<sdy::AxisRefAttr> axes) {
    AxisList kept;
    for (AxisRef axis : sdy::axesFromAttr(axes, sizes))
      if (axis.size != 1)
        appendMerged(kept, axis);
    return sdy::axesToAttr(sharding.getContext(), kept, sizes);
  };
  SmallVector<sdy::DimensionShardingAttr> dims;
  for (sdy::DimensionShardingAttr dim : sharding.getDimShardings()) {
    SmallVector<sdy::AxisRefAttr> axes = filter(dim.getAxes());
    // A priority on an empty closed dimension is no longer valid.
    std::optional<int64_t> priority = dim.getPriority();
    if (axes.empty() && dim.getIsClosed())
      priority.reset();
    dims.push_back(sdy::DimensionShardingAttr::get(
        sharding.getContext(), axes, dim.getIsClosed(), priority));
  }
  return sdy::TensorShardingAttr::get(sharding.getContext(),
                                      sharding.getMeshOrRef(), dims,
                                      filter(sharding.getReplicatedAxes()),
                                      filter(sharding.getUnreducedAxes()));
}

struct RemoveSizeOneAxesPass
    : impl::RemoveSizeOneAxesBase<RemoveSizeOneAxesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    markAnalysesPreserved<ModuleContents, OpIndex>();
    auto hasSizeOne = [](sdy::MeshAttr mesh) {
      return llvm::any_of(mesh.getAxes(), [](sdy::MeshAxisAttr axis) {
        return axis.getSize() == 1;
      });
    };
    if (llvm::none_of(module.getOps<sdy::MeshOp>(),
                      [&](sdy::MeshOp op) { return hasSizeOne(op.getMesh()); }))
      return;
    SymbolTable symbols(module);
    transformShardings(module, [&](sdy::TensorShardingAttr sharding) {
      sdy::MeshAttr mesh = sdy::getMeshAttr(symbols, sharding.getMeshOrRef());
      return mesh && hasSizeOne(mesh) ? withoutSizeOneAxes(sharding, mesh)
                                      : sharding;
    });
  }
};

} // namespace
} // namespace shardwright
