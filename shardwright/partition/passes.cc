//===- passes.cc - passes of the partitioner ------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/partition.h"

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

#include <algorithm>

namespace shardwright {

#define GEN_PASS_DEF_INSERTCOLLECTIVESPASS
#define GEN_PASS_DEF_LOCALIZEPASS
#define GEN_PASS_DEF_PARTITIONPASS
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "shardwright/partition/passes.h.inc"

namespace {

PartitionOptions makeOptions(double alpha, double touch, double flop,
                             int effort) {
  PartitionOptions options;
  options.costs.alpha = alpha;
  options.costs.touch = touch;
  options.costs.flop = flop;
  options.effort = Effort(std::clamp(effort, 0, 2));
  return options;
}

struct InsertCollectivesPass
    : impl::InsertCollectivesPassBase<InsertCollectivesPass> {
  using Base::Base;
  void runOnOperation() override {
    if (mlir::failed(insertCollectives(
            getOperation(), makeOptions(alpha, touch, flop, effort))))
      signalPassFailure();
  }
};

struct LocalizePass : impl::LocalizePassBase<LocalizePass> {
  using Base::Base;
  void runOnOperation() override {
    if (mlir::failed(localize(getOperation())))
      signalPassFailure();
  }
};

struct PartitionPass : impl::PartitionPassBase<PartitionPass> {
  using Base::Base;
  void runOnOperation() override {
    if (mlir::failed(insertCollectives(
            getOperation(), makeOptions(alpha, touch, flop, effort))) ||
        mlir::failed(localize(getOperation())))
      signalPassFailure();
  }
};

} // namespace

void buildPartitionPipeline(mlir::OpPassManager &pm) {
  pm.addPass(createInsertCollectivesPass());
  pm.addPass(createLocalizePass());
}

void registerPartitionPasses() { registerPartitionTablePasses(); }

} // namespace shardwright
