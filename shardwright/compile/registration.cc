//===- registration.cc - dialects and passes of Shardwright ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/compile/registration.h"

#include "shardwright/cpu/lower/cpu_passes.h"
#include "shardwright/dialect/chlo/chlo.h"
#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/dialect/vhlo/vhlo.h"
#include "shardwright/interop/bounded/bounded_passes.h"
#include "shardwright/interop/chlo/chlo_passes.h"
#include "shardwright/interop/expand/expand_passes.h"
#include "shardwright/interop/flatten_tuples.h"
#include "shardwright/interop/gspmd/export_gspmd.h"
#include "shardwright/interop/gspmd/import_gspmd.h"
#include "shardwright/interop/import_custom_calls.h"
#include "shardwright/interop/portable/portable.h"
#include "shardwright/interop/region/region_passes.h"
#include "shardwright/interop/round_trip/round_trip.h"
#include "shardwright/partition/overlap/overlap.h"
#include "shardwright/partition/partition.h"
#include "shardwright/partition/shardy/pipelines.h"
#include "shardwright/pjrt_client/replicas_form.h"
#include "shardwright/propagate/passes.h"
#include "shardwright/reduce/reduce_pass.h"
#include "shardwright/reduce/reduction_patterns.h"
#include "shardwright/rules/mlir/mlir_rules.h"
#include "shardwright/rules/rule_interface.h"
#include "shardwright/rules/rule_passes.h"
#include "shardwright/simplify/simplify.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/DialectRegistry.h"

namespace shardwright {

void registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::func::FuncDialect, mlir::quant::QuantDialect,
                  stablehlo::StablehloDialect, chlo::ChloDialect,
                  vhlo::VhloDialect>();
  sdy::registerSdyDialect(registry);
  registerShardingRules(registry);
  registerMlirDialectRules(registry);
  registerReductionPatterns(registry);
}

void registerPasses() {
  registerChloPasses();
  registerGspmdPasses();
  registerExportGspmdPasses();
  registerRegionPasses();
  registerRoundTripPasses();
  registerPortablePasses();
  registerBoundedPasses();
  registerExpandPasses();
  registerFlattenTuplesPass();
  registerSimplifyPasses();
  registerImportCustomCallsPass();
  registerRulesPasses();
  registerPartitionPasses();
  registerOverlapPasses();
  registerSdyPropagatePasses();
  registerShardyPipelines();
  registerReducePass();
  pjrt_client::registerReplicasFormPass();
  cpu::registerCpuPasses();
}

} // namespace shardwright
