//===- remove_size_one_axes.cc - remove axes of size 1 --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/index/module_contents.h"
#include "shardwright/propagate/index/op_index.h"
#include "shardwright/propagate/index/sharding_walk.h"
#include "shardwright/propagate/passes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright {

#define GEN_PASS_DEF_REMOVESIZEONEAXES
#include "shardwright/propagate/passes.h.inc"

namespace {

/// Merges sub-axes that were separated only by axes of size 1.
SmallVector<sdy::AxisRefAttr>
withoutSizeOneAxes(ArrayRef<sdy::AxisRefAttr> axes, const Mesh &mesh,
                   MLIRContext *context) {
  AxisList kept;
  for (AxisRef axis : sdy::axesFromAttr(axes, mesh))
    if (axis.size != 1)
      appendMerged(kept, axis);
  return sdy::axesToAttr(context, kept, mesh);
}

sdy::TensorShardingAttr withoutSizeOneAxes(sdy::TensorShardingAttr sharding,
                                           sdy::MeshAttr mesh) {
  const Mesh sizes = sdy::meshFromAttr(mesh);
  auto filter = [&](ArrayRef<sdy::AxisRefAttr> axes) {
    return withoutSizeOneAxes(axes, sizes, sharding.getContext());
  };
  SmallVector<sdy::DimensionShardingAttr> dims;
  for (sdy::DimensionShardingAttr dim : sharding.getDimShardings()) {
    SmallVector<sdy::AxisRefAttr> axes = filter(dim.getAxes());
    // An empty closed dimension must not have a priority.
    std::optional<int64_t> priority = dim.getPriority();
    if (axes.empty() && dim.getIsClosed())
      priority.reset();
    dims.push_back(sdy::DimensionShardingAttr::get(
        sharding.getContext(), axes, dim.getIsClosed(), priority));
  }
  return sdy::TensorShardingAttr::get(
             sharding.getContext(), sharding.getMeshOrRef(), dims,
             filter(sharding.getReplicatedAxes()), {}, sdy::ReductionOp::SUM)
      .withUnreducedAxes(filter(sharding.getUnreducedAxes()),
                         sharding.getReductionOp());
}

/// Removes axes of size 1 from a collective's parameters. False if no axes are
/// left, so that it does nothing.
bool shrinkCollective(Operation *op, const Mesh &mesh) {
  MLIRContext *context = op->getContext();
  bool isAnyLeft = false;
  auto list = [&](sdy::AxisRefListAttr axes) {
    auto kept = withoutSizeOneAxes(axes.getValue(), mesh, context);
    isAnyLeft |= !kept.empty();
    return sdy::AxisRefListAttr::get(context, kept);
  };
  auto lists = [&](sdy::ListOfAxisRefListsAttr dims) {
    SmallVector<sdy::AxisRefListAttr> kept;
    for (sdy::AxisRefListAttr axes : dims.getValue())
      kept.push_back(list(axes));
    return sdy::ListOfAxisRefListsAttr::get(context, kept);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](sdy::AllGatherOp o) {
        o.setGatheringAxesAttr(lists(o.getGatheringAxes()));
      })
      .Case([&](sdy::AllSliceOp o) {
        o.setSlicingAxesAttr(lists(o.getSlicingAxes()));
      })
      .Case([&](sdy::ReduceScatterOp o) {
        o.setReduceScatterAxesAttr(lists(o.getReduceScatterAxes()));
      })
      .Case([&](sdy::ShardedToUnreducedOp o) {
        o.setAxesAttr(lists(o.getAxes()));
      })
      .Case([&](sdy::AllReduceOp o) {
        o.setReductionAxesAttr(list(o.getReductionAxes()));
      })
      .Case([&](sdy::ReplicatedToUnreducedOp o) {
        o.setAxesAttr(list(o.getAxes()));
      })
      .Case([&](sdy::AllToAllOp o) {
        SmallVector<sdy::AllToAllParamAttr> moves;
        for (sdy::AllToAllParamAttr move : o.getParams().getValue())
          if (auto kept = withoutSizeOneAxes(move.getAxes(), mesh, context);
              !kept.empty())
            moves.push_back(sdy::AllToAllParamAttr::get(
                context, kept, move.getSrcDim(), move.getTgtDim()));
        isAnyLeft = !moves.empty();
        if (isAnyLeft)
          o.setParamsAttr(sdy::AllToAllParamListAttr::get(context, moves));
      })
      .Default([&](Operation *) { isAnyLeft = true; });
  return isAnyLeft;
}

struct RemoveSizeOneAxesPass
    : impl::RemoveSizeOneAxesBase<RemoveSizeOneAxesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    markAnalysesPreserved<ModuleContents>();
    auto hasSizeOne = [](sdy::MeshAttr mesh) {
      return llvm::any_of(mesh.getAxes(), [](sdy::MeshAxisAttr axis) {
        return axis.getSize() == 1;
      });
    };
    if (llvm::none_of(module.getOps<sdy::MeshOp>(),
                      [&](sdy::MeshOp op) { return hasSizeOne(op.getMesh()); }))
      return markAnalysesPreserved<OpIndex>();
    SymbolTable symbols(module);
    transformShardings(module, [&](sdy::TensorShardingAttr sharding) {
      sdy::MeshAttr mesh = sdy::getMeshAttr(symbols, sharding.getMeshOrRef());
      return mesh && hasSizeOne(mesh) ? withoutSizeOneAxes(sharding, mesh)
                                      : sharding;
    });
    bool isAnyErased = false;
    module.walk([&](sdy::CollectiveOpInterface op) {
      sdy::MeshAttr mesh =
          sdy::getMeshAttr(symbols, op.getOutSharding().getMeshOrRef());
      if (!mesh || !hasSizeOne(mesh) ||
          shrinkCollective(op, sdy::meshFromAttr(mesh)))
        return;
      op->getResult(0).replaceAllUsesWith(op.getTensor());
      op->erase();
      isAnyErased = true;
    });
    if (!isAnyErased)
      markAnalysesPreserved<OpIndex>();
  }
};

} // namespace
} // namespace shardwright
