//===- rewrite_passes.cc - rewrites of the stages as passes ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stages run these rewrites on lists of ops that they have collected
// before. These passes collect the lists by a walk, so that each rewrite can be
// inspected and tested separately.
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/used_channels.h"
#include "shardwright/partition/partition.h"

#include "shardwright/partition/combine/combine_collectives.h"
#include "shardwright/partition/combine/hoist_collectives.h"
#include "shardwright/partition/combine/join_collectives.h"
#include "shardwright/partition/combine/share_equal_ops.h"
#include "shardwright/partition/combine/tile_scatters.h"
#include "shardwright/partition/insert/delay_reductions.h"
#include "shardwright/partition/insert/fuse_collectives.h"
#include "shardwright/partition/insert/reduce_unmerged.h"
#include "shardwright/partition/layout/layout.h"
#include "shardwright/partition/prepare/compose_slices.h"
#include "shardwright/partition/prepare/inline_calls.h"
#include "shardwright/partition/prepare/scatter_as_update.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace shardwright {

#define GEN_PASS_DEF_INLINECALLSPASS
#define GEN_PASS_DEF_COMPOSESLICESPASS
#define GEN_PASS_DEF_REDUCEUNMERGEDPASS
#define GEN_PASS_DEF_SCATTERASUPDATEPASS
#define GEN_PASS_DEF_DELAYREDUCTIONSPASS
#define GEN_PASS_DEF_HOISTCOLLECTIVESPASS
#define GEN_PASS_DEF_SHAREEQUALOPSPASS
#define GEN_PASS_DEF_COMBINECOLLECTIVESPASS
#define GEN_PASS_DEF_TILESCATTERSPASS
#include "shardwright/partition/passes.h.inc"

namespace {

using mlir::func::FuncOp;

/// All ops of the kind, in program order.
template <typename OpT> llvm::SmallVector<OpT> collect(mlir::Operation *root) {
  llvm::SmallVector<OpT> found;
  root->walk<mlir::WalkOrder::PreOrder>([&](OpT op) { found.push_back(op); });
  return found;
}

struct InlineCallsPass : impl::InlineCallsPassBase<InlineCallsPass> {
  using Base::Base;
  void runOnOperation() override {
    if (mlir::failed(inlineCalls(getOperation())))
      signalPassFailure();
  }
};

struct ComposeSlicesPass : impl::ComposeSlicesPassBase<ComposeSlicesPass> {
  using Base::Base;
  void runOnOperation() override {
    llvm::SmallVector<mlir::Operation *> joins;
    getOperation().walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
      if (mlir::isa<stablehlo::PadOp, stablehlo::ConcatenateOp>(op))
        joins.push_back(op);
    });
    composeSlices(getOperation(), joins);
    widenSlices(joins);
  }
};

struct ReduceUnmergedPass : impl::ReduceUnmergedPassBase<ReduceUnmergedPass> {
  using Base::Base;
  void runOnOperation() override {
    for (auto reduce : collect<stablehlo::ReduceOp>(getOperation()))
      reduceUnmerged(reduce);
  }
};

struct ScatterAsUpdatePass
    : impl::ScatterAsUpdatePassBase<ScatterAsUpdatePass> {
  using Base::Base;
  void runOnOperation() override {
    for (auto scatter : collect<stablehlo::ScatterOp>(getOperation()))
      updateInPlaceOfScatter(scatter);
  }
};

struct DelayReductionsPass
    : impl::DelayReductionsPassBase<DelayReductionsPass> {
  using Base::Base;
  void runOnOperation() override {
    mlir::FailureOr<MeshTable> meshes = MeshTable::create(getOperation());
    if (mlir::failed(meshes))
      return signalPassFailure();
    for (auto func : getOperation().getOps<FuncOp>()) {
      llvm::SmallVector<mlir::Operation *> sums;
      func.walk<mlir::WalkOrder::PostOrder>([&](mlir::Operation *op) {
        if (addsUp(op))
          sums.push_back(op);
      });
      auto reduces = collect<sdy::AllReduceOp>(func);
      delayReductions(*meshes, sums, reduces);
      fuseCollectives(reduces, *meshes);
    }
  }
};

struct HoistCollectivesPass
    : impl::HoistCollectivesPassBase<HoistCollectivesPass> {
  using Base::Base;
  void runOnOperation() override {
    for (auto func : getOperation().getOps<FuncOp>())
      hoistCollectives(func);
  }
};

struct ShareEqualOpsPass : impl::ShareEqualOpsPassBase<ShareEqualOpsPass> {
  using Base::Base;
  void runOnOperation() override {
    for (auto func : getOperation().getOps<FuncOp>())
      if (!func.isExternal())
        shareEqualOps(func);
  }
};

struct CombineCollectivesPass
    : impl::CombineCollectivesPassBase<CombineCollectivesPass> {
  using Base::Base;
  void runOnOperation() override {
    for (auto func : getOperation().getOps<FuncOp>()) {
      llvm::SmallVector<mlir::Operation *> collectives;
      func.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
        if (mayBeJoined(op))
          collectives.push_back(op);
      });
      combineCollectives(func, collectives, MachineModel().joinLimits());
    }
  }
};

struct TileScattersPass : impl::TileScattersPassBase<TileScattersPass> {
  using Base::Base;
  void runOnOperation() override {
    int64_t nextChannel = stablehlo::UsedChannels(getOperation()).firstUnused();
    for (auto func : getOperation().getOps<FuncOp>())
      tileScatters(func, nextChannel);
  }
};

} // namespace
} // namespace shardwright
