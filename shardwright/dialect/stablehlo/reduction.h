//===- reduction.h - ops that apply a region to elements or windows -----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_STABLEHLO_REDUCTION_H
#define SHARDWRIGHT_DIALECT_STABLEHLO_REDUCTION_H

#include "shardwright/dialect/stablehlo/control_flow.h" // ReturnOp
#include "shardwright/dialect/stablehlo/dialect.h"

#define GET_OP_CLASSES
#include "shardwright/dialect/stablehlo/reduction.h.inc"

#endif // SHARDWRIGHT_DIALECT_STABLEHLO_REDUCTION_H
