//===- broadcast_ops.cc - generated code of chlo_broadcast.td -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/chlo/infer.h"

#define GET_OP_CLASSES
#include "shardwright/dialect/chlo/chlo_broadcast.cpp.inc"

void shardwright::chlo::ChloDialect::registerBroadcastOps() {
  addOperations<
#define GET_OP_LIST
#include "shardwright/dialect/chlo/chlo_broadcast.cpp.inc"
      >();
}
