//===- contraction_ops.cc - generated code of contractions --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/contraction.h"
#include "shardwright/dialect/stablehlo/infer/infer.h"
#include "shardwright/dialect/stablehlo/text/assembly.h"
#include "shardwright/dialect/stablehlo/text/old_spellings.h"

#define GET_OP_CLASSES
#include "shardwright/dialect/stablehlo/contraction.cpp.inc"

void shardwright::stablehlo::StablehloDialect::registerContractionOps() {
  addOpsWithOldSpellings<
#define GET_OP_LIST
#include "shardwright/dialect/stablehlo/contraction.cpp.inc"
      >(this);
}
