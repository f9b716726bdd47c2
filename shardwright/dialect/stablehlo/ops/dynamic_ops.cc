//===- dynamic_ops.cc - generated code of dynamic-shape ops -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/dynamic.h"
#include "shardwright/dialect/stablehlo/infer/infer.h"
#include "shardwright/dialect/stablehlo/text/assembly.h"
#include "shardwright/dialect/stablehlo/text/old_spellings.h"

#define GET_OP_CLASSES
#include "shardwright/dialect/stablehlo/dynamic.cpp.inc"

void shardwright::stablehlo::StablehloDialect::registerDynamicOps() {
  addOpsWithOldSpellings<
#define GET_OP_LIST
#include "shardwright/dialect/stablehlo/dynamic.cpp.inc"
      >(this);
}
