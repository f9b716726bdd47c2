//===- passes.td - Shardy's way to explicit reshards ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_SHARDY_PASSES_TD
#define SHARDWRIGHT_PARTITION_SHARDY_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExplicitGatherScatterBatching
    : Pass<"sdy-explicit-gather-scatter-batching", "::mlir::func::FuncOp"> {
  let summary = "makes an implicit batch dimension of gather and scatter explicit";
  let description = [{
    An index component that is an iota along dimension 0, where the operand has the
    same size, says that dimension 0 is a batch: it becomes one, and the component
    goes.
  }];
  let dependentDialects = ["::shardwright::sdy::SdyDialect"];
}

def InsertExplicitReshards
    : Pass<"sdy-insert-explicit-reshards", "::mlir::func::FuncOp"> {
  let summary = "makes the shardings of each op's operands and results agree";
  let description = [{
    By default only what the partitioner after us cannot do: reductions of
    unreduced values, concatenations and calls whose shardings differ, and dots
    whose result asks for the axes of their contraction. In full, every op.
    ```mlir
    %0 = stablehlo.add %a, %b            // %a {"x"}, %b {"y"}, %0 {"x"}
    =>
    %0 = sdy.reshard %b <@mesh, [{"x"} ]> : tensor<8xf32>
    %1 = stablehlo.add %a, %0
    ```
  }];
  let dependentDialects = ["::shardwright::sdy::SdyDialect"];
  let options = [
    Option<"enableFullVersion", "enable-full-version", "bool", "false",
           "reshard wherever an op's shardings disagree">];
}

#endif // SHARDWRIGHT_PARTITION_SHARDY_PASSES_TD
