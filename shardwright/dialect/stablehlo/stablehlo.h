//===- stablehlo.h - every op of the stablehlo dialect ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_STABLEHLO_STABLEHLO_H
#define SHARDWRIGHT_DIALECT_STABLEHLO_STABLEHLO_H

#include "shardwright/dialect/stablehlo/collectives.h"
#include "shardwright/dialect/stablehlo/contraction.h"
#include "shardwright/dialect/stablehlo/control_flow.h"
#include "shardwright/dialect/stablehlo/dialect.h"
#include "shardwright/dialect/stablehlo/dynamic.h"
#include "shardwright/dialect/stablehlo/elementwise.h"
#include "shardwright/dialect/stablehlo/reduction.h"
#include "shardwright/dialect/stablehlo/shape.h"

#endif // SHARDWRIGHT_DIALECT_STABLEHLO_STABLEHLO_H
