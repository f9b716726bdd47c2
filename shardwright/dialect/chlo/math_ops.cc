//===- math_ops.cc - generated code of chlo_math.td ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/chlo/infer.h"

#define GET_OP_CLASSES
#include "shardwright/dialect/chlo/chlo_math.cpp.inc"

void shardwright::chlo::ChloDialect::registerMathOps() {
  addOperations<
#define GET_OP_LIST
#include "shardwright/dialect/chlo/chlo_math.cpp.inc"
      >();
}
