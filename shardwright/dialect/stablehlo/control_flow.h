//===- control_flow.h - branches, loops, tuples, tokens and calls -------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_STABLEHLO_CONTROL_FLOW_H
#define SHARDWRIGHT_DIALECT_STABLEHLO_CONTROL_FLOW_H

#include "shardwright/dialect/stablehlo/dialect.h"

#define GET_OP_CLASSES
#include "shardwright/dialect/stablehlo/control_flow.h.inc"

#endif // SHARDWRIGHT_DIALECT_STABLEHLO_CONTROL_FLOW_H
