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
           "JSON file of a machine, whose weights replace alpha, touch and flop">];
}

def InsertCollectivesPass : Partition_Pass<"sw-insert-collectives"> {
  let summary = "choose how each op computes and make all communication explicit";
  let options = CostOptions<>.options;
}

def LocalizePass : Partition_Pass<"sw-localize"> {
  let summary = "turn a program with explicit collectives into that of one device";
}

def PartitionPass : Partition_Pass<"sw-partition"> {
  let summary = "sw-insert-collectives, then sw-localize";
  let options = CostOptions<>.options;
}
