//===- passes.td - Shardy's way to explicit reshards ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_SHARDY_PASSES_TD
#define SHARDWRIGHT_PARTITION_SHARDY_PASSES_TD

include "shardwright/rules/shardy_version.td"
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
           "reshard wherever an op's shardings disagree">,
    Option<"markPartialResults", "mark-partial-result-with-unreduced-axes",
           "bool", "false",
           "state the axes of a partial result as the op's unreduced axes, with "
           "enable-full-version">,
    ShardyOption];
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
    A dimension that both shardings pad, to different sizes, is gathered whole and
    then sliced. Reshards between meshes with other axes stay.
  }];
  let dependentDialects = ["::shardwright::sdy::SdyDialect",
                           "::shardwright::stablehlo::StablehloDialect"];
  let options = [
    Option<"keepRedundantReshards", "keep-redundant-reshards", "bool", "false",
           "keep reshards that change nothing">,
    ShardyOption];
}

def OptimizeCollectives : Pass<"sdy-optimize-collectives", "::mlir::func::FuncOp"> {
  let summary = "replaces a permute before all-to-alls by a smaller all-to-all";
  let description = [{
    A permute that reorders the axes of one dimension, so that the outer ones can
    leave it, is not needed if the dimension is split at its shards.
    ```mlir
    %0 = sdy.collective_permute %a out_sharding=<@mesh, [{"y", "x"}, {} ]> : tensor<8x8xf32>  // %a {"x", "y"}
    %1 = sdy.all_to_all [{"x"}: 0->1] %0 out_sharding=<@mesh, [{"y"}, {"x"} ]> : tensor<8x8xf32>
    =>
    %0 = stablehlo.reshape %a : (tensor<8x8xf32>) -> tensor<2x2x2x8xf32>  // {"x"}, {"y"}, {}, {}
    %1 = sdy.all_to_all [{"x"}: 0->3] %0 ...
    %2 = sdy.all_to_all [{"y"}: 1->0] %1 ...
    %3 = stablehlo.reshape %2 : (tensor<2x2x2x8xf32>) -> tensor<8x8xf32>
    ```
  }];
  let dependentDialects = ["::shardwright::sdy::SdyDialect",
                           "::shardwright::stablehlo::StablehloDialect"];
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

def ConvertGlobalToLocal
    : Pass<"sdy-convert-global-to-local", "::mlir::ModuleOp"> {
  let summary = "makes of a program with explicit collectives that of one device";
  let description = [{
    Types become those of one shard, and sdy collectives StableHLO collectives over
    groups of devices. Shardings stay for `sdy-drop-sharding-and-mesh`. What needs
    rows of other devices is refused: `sdy-resolve-permutation-factors` fetches them.
    ```mlir
    %0 = sdy.all_gather [{"x"}, {} ] %a out_sharding=<@mesh, [{}, {} ]> : tensor<8x8xf32>
    =>
    %0 = "stablehlo.all_gather"(%a) ... : (tensor<4x8xf32>) -> tensor<8x8xf32>
    ```
    The shardings of main's arguments and results also become attributes of the
    module, `sdy.parameters_shardings` and `sdy.output_shardings`.

    Otherwise than Shardy's, a reduction is completed by its own reducer, a
    reduce_scatter along several dimensions is one, loops, calls and random numbers
    may be sharded, and what cannot be done is an error instead of a crash.
  }];
  let dependentDialects = ["::shardwright::sdy::SdyDialect",
                           "::shardwright::stablehlo::StablehloDialect"];
  let options = [
    Option<"perDimAllGather", "per-dim-all-gather", "bool", "false",
           "an all_gather for each dimension, the last first">,
    Option<"combineMultiDimensionReduceScatter",
           "combine-multi-dimension-reduce-scatter", "bool", "true",
           "one reduce_scatter for several dimensions (Shardy: false), instead of "
           "an all_reduce and a slice">,
    Option<"enableRgv3", "enable-rgv3", "bool", "true",
           "say replica groups by mesh axes, as Shardy does since 0.12">,
    ShardyOption,
    Option<"replicaCount", "replica-count", "int64_t", "1",
           "more than 1: the devices are replicas">,
    Option<"partitionCount", "partition-count", "int64_t", "1",
           "more than 1: the devices are partitions">];
}

def ResolvePermutationFactors
    : Pass<"sdy-resolve-permutation-factors", "::mlir::ModuleOp"> {
  let summary = "lets no op read rows of other shards";
  let description = [{
    A slice or pad along a sharded dimension becomes a manual computation in which
    each device fetches the rows that it needs; a reversal is done in each shard, on
    a mesh whose devices are reversed; reshapes that do not divide fetch rows where
    shards are runs of them. All others, and everything with
    `enable-halo-exchange=false`, are computed with these dimensions whole; with
    `sw-shardy=0.10.2` all but reversals.
  }];
  let dependentDialects = ["::shardwright::sdy::SdyDialect",
                           "::shardwright::stablehlo::StablehloDialect",
                           "::mlir::func::FuncDialect"];
  let options = [
    Option<"enableHaloExchange", "enable-halo-exchange", "bool", "true",
           "fetch rows instead of whole dimensions where it can be done">,
    Option<"rngBitGeneratorUnsafe", "rng-bit-generator-unsafe", "bool", "true",
           "keep sharded results of rng_bit_generator (Shardy's local form then "
           "draws other bits on each device; ours draws the same bits)">,
    Option<"replicaCount", "replica-count", "int64_t", "1",
           "more than 1: the devices are replicas">,
    Option<"partitionCount", "partition-count", "int64_t", "1",
           "more than 1: the devices are partitions">,
    ShardyOption];
}

def PadForDivisibility
    : Pass<"sdy-pad-for-divisibility"> {
  let summary = "gives sharded dimensions the size of full shards";
  let description = [{
    Rows beyond the end hold anything; whatever would sum them up masks them first.
    Arguments and results of functions must be divisible.
    ```mlir
    %0 = stablehlo.negate %a : tensor<5xf32>   // {"x"} of size 2
    =>
    %0 = stablehlo.negate %a : tensor<6xf32>
    ```
    A pass on the module, or, as in jaxlib 0.10.2, on a function.

    Otherwise than Shardy's, every reduction masks, and padding that would move rows
    to other shards moves them.
  }];
  let dependentDialects = ["::shardwright::sdy::SdyDialect",
                           "::shardwright::stablehlo::StablehloDialect",
                           "::mlir::func::FuncDialect"];
  let options = [
    Option<"replicaCount", "replica-count", "int64_t", "1",
           "more than 1: the devices are replicas">,
    Option<"partitionCount", "partition-count", "int64_t", "1",
           "more than 1: the devices are partitions">];
}

def VerifyUnreducedAxes : Pass<"sdy-verify-unreduced-axes", "::mlir::func::FuncOp"> {
  let summary = "says where partial sums are taken for whole ones";
  let description = [{
    A value with unreduced axes loses them at an `sdy.reshard`, a constraint or a
    collective, and nowhere else; contractions and sums may have results with
    more of them.
  }];
  let dependentDialects = ["::shardwright::sdy::SdyDialect"];
}

def ResolveSingleDeviceSharding
    : Pass<"sdy-resolve-single-device-sharding", "::mlir::func::FuncOp"> {
  let summary = "lets one device alone do the ops that are for it";
  let description = [{
    Each op with a result on one device becomes a branch that only this device
    takes, and its results are summed up with the others' zeros. Reshards to that
    device and back go; `sdy-insert-explicit-reshards` in full puts them there.
  }];
  let dependentDialects = ["::shardwright::sdy::SdyDialect",
                           "::shardwright::stablehlo::StablehloDialect"];
  let options = [
    Option<"replicaCount", "replica-count", "int64_t", "1",
           "more than 1: the devices are replicas">,
    Option<"partitionCount", "partition-count", "int64_t", "1",
           "more than 1: the devices are partitions">];
}

def PerInstructionPartitioning
    : Pass<"sdy-per-instruction-partitioning", "::mlir::ModuleOp"> {
  let summary = "makes selected ops local, each in a manual computation";
  let description = [{
    For finding out which op a partitioner gets wrong. Ops of functions' own
    blocks that have a sharded operand or result, and are not local or annotations
    already, are numbered over the module from 0, before the filter. Called
    functions are copied.
    ```mlir
    %0 = stablehlo.negate %a : tensor<8xf32>   // {"x"} of size 2
    =>
    %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"} ]>]
        out_shardings=[<@mesh, [{"x"} ]>] manual_axes={"x"} (%b: tensor<4xf32>) {
      %1 = stablehlo.negate %b : tensor<4xf32>
      sdy.return %1 : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::shardwright::sdy::SdyDialect",
                           "::shardwright::stablehlo::StablehloDialect",
                           "::mlir::func::FuncDialect"];
  let options = [
    Option<"filter", "filter", "std::string", "",
           "selectLow=N, selectHigh=N (inclusive) and parts of names, with "
           "commas between; empty: all">,
    Option<"enableHaloExchange", "enable-halo-exchange", "bool", "true",
           "fetch rows instead of whole dimensions where it can be done">,
    Option<"rngBitGeneratorUnsafe", "rng-bit-generator-unsafe", "bool", "true",
           "keep sharded results of rng_bit_generator (Shardy's local form then "
           "draws other bits on each device; ours draws the same bits)">,
    Option<"replicaCount", "replica-count", "int64_t", "1",
           "more than 1: the devices are replicas">,
    Option<"partitionCount", "partition-count", "int64_t", "1",
           "more than 1: the devices are partitions">,
    ShardyOption];
}

#endif // SHARDWRIGHT_PARTITION_SHARDY_PASSES_TD
