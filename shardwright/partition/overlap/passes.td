//===- passes.td - communication beside computing -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OVERLAP_PASSES_TD
#define SHARDWRIGHT_PARTITION_OVERLAP_PASSES_TD

include "mlir/Pass/PassBase.td"

class Overlap_Pass<string name> : Pass<name, "::mlir::ModuleOp"> {
  let dependentDialects = ["::shardwright::stablehlo::StablehloDialect",
                           "::mlir::func::FuncDialect"];
}

class MachineOptions {
  list<Option> options = [
    Option<"machine", "machine", "std::string", "\"\"",
           "JSON file of the machine (docs/machines.md)">,
    Option<"meshAxes", "mesh", "std::string", "\"\"",
           "axes of the mesh, as x=2,y=4: which links devices use">,
    Option<"force", "force", "bool", "false",
           "wherever it is possible, not only where the model says it wins">];
}

def OverlapCollectivesPass : Overlap_Pass<"sw-overlap-collectives"> {
  let summary = "compute while collectives are on their way";
  let description = [{
    In a program of one device, collectives become `async_start` and `async_done`, and
    the ops of each block get the order in which the device waits least by the machine
    model, within its memory.
    ```mlir
    %0 = "stablehlo.all_reduce"(%a) ...
    %1 = stablehlo.tanh %0
    %2 = stablehlo.dot_general %b, %c
    =>
    %0 = "stablehlo.async_start"(%a) ({ ... "stablehlo.all_reduce" ... })
    %2 = stablehlo.dot_general %b, %c
    %3 = "stablehlo.async_done"(%0)
    %1 = stablehlo.tanh %3
    ```
  }];
  let options = MachineOptions<>.options # [
    Option<"memory", "memory", "int64_t", "0",
           "bytes that values of a block may take; 0: what the machine has">];
}

def RingDotsPass : Overlap_Pass<"sw-ring-dots"> {
  let summary = "all_gather and dot, dot and reduce_scatter, piece by piece";
  let description = [{
    The pieces of the gathered operand go round the devices by permutes; each is
    multiplied while the next is on its way. Likewise the partial sums of a dot whose
    result is scattered. Only where the machine model says that it takes less time and
    nobody else uses the whole value. A gathered dimension that is contracted stays whole
    for floats: each device would add in another order, and copies of one value differ.
  }];
  let options = MachineOptions<>.options # [
    Option<"directions", "directions", "int", "0",
           "1: round in one direction, 2: in both, 0: what takes less">];
}

def PrintPeakMemoryPass : Overlap_Pass<"sw-print-peak-memory"> {
  let summary = "prints the predicted peak memory of a program of one device";
  let description = [{
    Changes nothing. Prints the bytes, the op at which they are reached, and the values that are alive there, the
    largest first, each with its class (`peak_memory.h`).
    ```
    peak: 1152 bytes at stablehlo.add
      512 argument #0 : tensor<128xf32>
      512 temporary of stablehlo.dot_general : tensor<128xf32>
      128 result #0 : tensor<32xf32>
    ```
  }];
}

#endif // SHARDWRIGHT_PARTITION_OVERLAP_PASSES_TD
