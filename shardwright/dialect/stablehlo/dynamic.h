//===- dynamic.h - ops whose shapes are values --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_STABLEHLO_DYNAMIC_H
#define SHARDWRIGHT_DIALECT_STABLEHLO_DYNAMIC_H

#include "shardwright/dialect/stablehlo/dialect.h"

#define GET_OP_CLASSES
#include "shardwright/dialect/stablehlo/dynamic.h.inc"

#endif // SHARDWRIGHT_DIALECT_STABLEHLO_DYNAMIC_H
