//===- passes.td - passes of the simplifier ------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "mlir/Pass/PassBase.td"

def SimplifyPass : Pass<"sw-simplify"> {
  let summary = "rewrite StableHLO to an equal program that is smaller or cheaper";
  let description = [{
    What `-canonicalize` does with StableHLO, and common subexpressions, until
    nothing changes. Results stay the same to the bit.
  }];
  let dependentDialects = ["::shardwright::stablehlo::StablehloDialect"];
  let options = [
    Option<"foldLimit", "fold-limit", "int64_t", "4096",
           "compute constants of at most this many elements; a splat counts as one">];
}
