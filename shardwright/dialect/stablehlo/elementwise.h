//===- elementwise.h - elementwise ops of StableHLO ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_STABLEHLO_ELEMENTWISE_H
#define SHARDWRIGHT_DIALECT_STABLEHLO_ELEMENTWISE_H

#include "shardwright/dialect/stablehlo/dialect.h"

#define GET_OP_CLASSES
#include "shardwright/dialect/stablehlo/unary.h.inc"
#define GET_OP_CLASSES
#include "shardwright/dialect/stablehlo/binary.h.inc"

#endif // SHARDWRIGHT_DIALECT_STABLEHLO_ELEMENTWISE_H
