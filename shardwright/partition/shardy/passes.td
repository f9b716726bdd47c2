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

def ReshardToCollectives
    : Pass<"sdy-reshard-to-collectives", "::mlir::func::FuncOp"> {
  let summary = "turns explicit reshards into collectives over mesh axes";
  let description = [{
    At most two rounds of slice, permute, all-to-all and gather.
    ```mlir
    %0 = sdy.reshard %a <@mesh, [{}, {"x"} ]> : tensor<8x8xf32>  // %a {"x"}, {}
    =>
    %0 = sdy.all_to_all [{"x"}: 0->1] %a out_sharding=<@mesh, [{}, {"x"} ]>
    ```
    Reshards between meshes with other axes stay.
  }];
  let dependentDialects = ["::shardwright::sdy::SdyDialect"];
  let options = [
    Option<"keepRedundantReshards", "keep-redundant-reshards", "bool", "false",
           "keep reshards that change nothing">];
}

def RemoveAllGatherReduceScatterForCMV1
    : Pass<"sdy-remove-all-gather-reduce-scatter-for-cmv1", "::mlir::func::FuncOp"> {
  let summary = "leaves the collectives around dots to a collective matmul";
  let description = [{
    A dot takes the inputs of all_gathers that only it uses; without such, the
    sharding of a reduce_scatter that is its only user. Its shardings disagree
    then: what follows must know how to compute such a dot.
  }];
  let dependentDialects = ["::shardwright::sdy::SdyDialect"];
}

#endif // SHARDWRIGHT_PARTITION_SHARDY_PASSES_TD
