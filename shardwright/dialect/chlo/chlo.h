//===- chlo.h - the chlo dialect and its ops ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// CHLO: mathematical functions and NumPy-style broadcasting ops that JAX emits.
// They are expanded to StableHLO (interop/chlo/chlo_legalize_to_stablehlo.cc)
// before any other stage.

#ifndef SHARDWRIGHT_DIALECT_CHLO_CHLO_H
#define SHARDWRIGHT_DIALECT_CHLO_CHLO_H

#include "mlir/IR/TypeUtilities.h"
#include "shardwright/dialect/stablehlo/control_flow.h"
#include "shardwright/dialect/stablehlo/dialect.h"

#include "shardwright/dialect/chlo/chlo_dialect.h.inc"
#include "shardwright/dialect/chlo/chlo_enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "shardwright/dialect/chlo/chlo_attrs.h.inc"

#define GET_OP_CLASSES
#include "shardwright/dialect/chlo/chlo_math.h.inc"
#define GET_OP_CLASSES
#include "shardwright/dialect/chlo/chlo_broadcast.h.inc"

#endif // SHARDWRIGHT_DIALECT_CHLO_CHLO_H
