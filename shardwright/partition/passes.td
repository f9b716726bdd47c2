//===- passes.td - passes of the partitioner ------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "mlir/Pass/PassBase.td"

class Partition_Pass<string name> : Pass<name, "::mlir::ModuleOp"> {
  let dependentDialects = ["::shardwright::sdy::SdyDialect",
                           "::shardwright::stablehlo::StablehloDialect",
                           "::mlir::func::FuncDialect"];
}

defvar TargetOption = Option<"target", "target", "std::string", "\"cpu\"",
  "the compiler of the program of one device: cpu, or XLA's for gpu or tpu">;

class CostOptions {
  list<Option> options = [
    Option<"alpha", "alpha", "double", "0",
           "fixed cost of one communicating step, in bytes">,
    Option<"touch", "touch", "double", "0.05",
           "cost of reading or writing one byte locally, in bytes sent">,
    Option<"flop", "flop", "double", "0.05",
           "cost of one multiply-add of a contraction, in bytes sent">,
    Option<"effort", "effort", "int", "1",
           "0: recipes, 1: searches, 2: longer ones and direct exchanges">,
    Option<"machine", "machine", "std::string", "\"\"",
           "JSON file of a machine, seconds on which replace alpha, touch and flop">];
}

class LocalizeOptions {
  list<Option> options = [
    Option<"machine", "machine", "std::string", "\"\"",
           "JSON file of the machine on which collectives are joined where that saves time">,
    TargetOption];
}

def InsertCollectivesPass : Partition_Pass<"sw-insert-collectives"> {
  let summary = "choose how each op computes and make all communication explicit";
  let options = CostOptions<>.options;
}

def LocalizePass : Partition_Pass<"sw-localize"> {
  let summary = "turn a program with explicit collectives into that of one device";
  let options = LocalizeOptions<>.options;
}

def PartitionPass : Partition_Pass<"sw-partition"> {
  let summary = "sw-insert-collectives, then sw-localize";
  let options = !listconcat(CostOptions<>.options, [TargetOption]);
}

//===----------------------------------------------------------------------===//
// Rewrites that the two stages run inside of them, each by itself.
//===----------------------------------------------------------------------===//

def InlineCallsPass : Partition_Pass<"sw-inline-calls"> {
  let summary = "replace calls by the bodies of their callees";
  let description = [{
    Recursion is an error; private functions that nothing refers to any more are erased.
    First step of `sw-insert-collectives`.

    ```mlir
    %0 = call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>   // before
    %0 = stablehlo.cosine %x : tensor<8xf32>              // after
    ```
  }];
}

def ComposeSlicesPass : Partition_Pass<"sw-compose-slices"> {
  let summary = "take slices of pads and concatenations from what these are made of";
  let description = [{
    Only along sharded dimensions, where the detour would move rows between shards. Concatenations of
    slices of one value become one window of it. Before: no calls. Part of `sw-insert-collectives`.

    ```mlir
    %0 = stablehlo.concatenate %x, %y, dim = 0            // before
    %1 = stablehlo.slice %0 [0:8]
    %1 = %x                                               // after, where %x has 8 rows
    ```
  }];
}

def ReduceUnmergedPass : Partition_Pass<"sw-reduce-unmerged"> {
  let summary = "reduce the dimensions that a reshape merged, instead of the merged one";
  let description = [{
    Where a dimension behind the first of the merged ones is sharded: the merged dimension has no such shards.
    Part of `sw-insert-collectives`.

    ```mlir
    %0 = stablehlo.reshape %x : (tensor<4x8xf32>) -> tensor<32xf32>        // before
    %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.maximum across dimensions = [0]
    %1 = stablehlo.reduce(%x init: %c) applies stablehlo.maximum across dimensions = [0, 1]  // after
    ```
  }];
}

def ScatterAsUpdatePass : Partition_Pass<"sw-scatter-as-update"> {
  let summary = "turn scatters that replace one known window into dynamic_update_slice";
  let description = [{
    `x.at[1:3].set(w)`: shards write the window without a copy of the whole value. Part of `sw-insert-collectives`.

    ```mlir
    %0 = "stablehlo.scatter"(%x, %one, %w) ...                             // before
    %0 = stablehlo.dynamic_update_slice %x, %w, %one                       // after
    ```
  }];
}

def DelayReductionsPass : Partition_Pass<"sw-delay-reductions"> {
  let summary = "add partial sums before they are reduced, and reduce sums of loops after the loop";
  let description = [{
    Before: all communication is explicit (`sw-insert-collectives`, which runs this at its end). All-reduces of
    which each device keeps a part become reduce-scatters.

    ```mlir
    %2 = sdy.all_reduce {"x"} %0                                           // before
    %3 = sdy.all_reduce {"x"} %1
    %4 = stablehlo.add %2, %3
    %2 = stablehlo.add %0, %1                                              // after
    %4 = sdy.all_reduce {"x"} %2
    ```
  }];
}

def HoistCollectivesPass : Partition_Pass<"sw-hoist-collectives"> {
  let summary = "move collectives that give the same in every iteration in front of the loop";
  let description = [{
    Before: the program of one device (`sw-localize`, which runs this at its end). A loop keeps at most as many
    bytes of such results as its largest op reads and writes.

    ```mlir
    stablehlo.while ... do { %0 = stablehlo.all_gather(%w) ... }           // before
    %0 = stablehlo.all_gather(%w)                                          // after
    stablehlo.while ... do { ... }
    ```
  }];
}

def ShareEqualOpsPass : Partition_Pass<"sw-share-equal-ops"> {
  let summary = "replace ops without effects by equal ones before them, and erase unused ones";
  let description = [{
    Before: the program of one device (`sw-localize`, which runs this at its end). Looks into regions: an op may be
    replaced by one around its region.

    ```mlir
    %0 = stablehlo.cosine %x                                               // before
    %1 = stablehlo.cosine %x
    %0 = stablehlo.cosine %x                                               // after; uses of %1 are of %0
    ```
  }];
}

def CombineCollectivesPass : Partition_Pass<"sw-combine-collectives"> {
  let summary = "make one collective of several that need not wait for each other";
  let description = [{
    Before: the program of one device (`sw-localize`, which runs this at its end, with the two passes above in
    front of it).

    ```mlir
    %0 = "stablehlo.all_reduce"(%a) ...                                    // before
    %1 = "stablehlo.all_reduce"(%b) ...
    %0:2 = "stablehlo.all_reduce"(%a, %b) ...                              // after
    ```
  }];
}

def TileScattersPass : Partition_Pass<"sw-tile-scatters"> {
  let summary = "give reduce_scatters results of full tiles, which XLA for TPUs needs";
  let description = [{
    Before: the program of one device (`sw-localize`, which runs this at its end for `target=tpu`).

    ```mlir
    %0 = "stablehlo.reduce_scatter"(%x) ... : (tensor<8x6144xf32>) -> tensor<1x6144xf32>    // before
    %0 = stablehlo.reshape %x : (tensor<8x6144xf32>) -> tensor<64x768xf32>                  // after
    %1 = "stablehlo.reduce_scatter"(%0) ... : (tensor<64x768xf32>) -> tensor<8x768xf32>
    %2 = stablehlo.reshape %1 : (tensor<8x768xf32>) -> tensor<1x6144xf32>
    ```
  }];
}
