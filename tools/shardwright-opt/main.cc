//===- main.cc - shardwright-opt: run passes on textual or bytecode IR ----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

#include "shardwright/dialect/chlo/chlo.h"
#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/dialect.h"
#include "shardwright/rules/rule_interface.h"
#include "shardwright/rules/rule_passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect>();
  registry.insert<shardwright::chlo::ChloDialect,
                  shardwright::stablehlo::StablehloDialect,
                  mlir::quant::QuantDialect>();
  shardwright::sdy::registerSdyDialect(registry);
  shardwright::registerShardingRules(registry);
  mlir::registerTransformsPasses();
  shardwright::registerRulesPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "Shardwright optimizer driver\n", registry));
}
