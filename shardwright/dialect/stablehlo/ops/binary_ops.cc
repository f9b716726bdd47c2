//===- binary_ops.cc - generated code of binary elementwise ops ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/elementwise.h"
#include "shardwright/dialect/stablehlo/infer/infer.h"
#include "shardwright/dialect/stablehlo/text/assembly.h"

#define GET_OP_CLASSES
#include "shardwright/dialect/stablehlo/binary.cpp.inc"

void shardwright::stablehlo::StablehloDialect::registerBinaryOps() {
  addOperations<
#define GET_OP_LIST
#include "shardwright/dialect/stablehlo/binary.cpp.inc"
      >();
}
