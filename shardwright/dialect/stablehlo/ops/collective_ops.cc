//===- collective_ops.cc - generated code of collectives ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/collectives.h"
#include "shardwright/dialect/stablehlo/infer/infer.h"
#include "shardwright/dialect/stablehlo/text/assembly.h"

#define GET_OP_CLASSES
#include "shardwright/dialect/stablehlo/collectives.cpp.inc"

void shardwright::stablehlo::StablehloDialect::registerCollectiveOps() {
  addOperations<
#define GET_OP_LIST
#include "shardwright/dialect/stablehlo/collectives.cpp.inc"
      >();
}
