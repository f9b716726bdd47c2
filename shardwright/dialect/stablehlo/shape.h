//===- shape.h - constants, shapes and data movement of StableHLO -------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_STABLEHLO_SHAPE_H
#define SHARDWRIGHT_DIALECT_STABLEHLO_SHAPE_H

#include "shardwright/dialect/stablehlo/dialect.h"

#define GET_OP_CLASSES
#include "shardwright/dialect/stablehlo/shape.h.inc"

#endif // SHARDWRIGHT_DIALECT_STABLEHLO_SHAPE_H
