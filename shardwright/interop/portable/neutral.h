//===- neutral.h - values of absent attributes ------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_PORTABLE_NEUTRAL_H
#define SHARDWRIGHT_INTEROP_PORTABLE_NEUTRAL_H

#include "shardwright/dialect/vhlo/vhlo.h"

namespace shardwright {

/// Returns the value that VHLO writes for an attribute that StableHLO omits or
/// that an earlier version of the op did not have; null for mandatory ones.
/// `windowDims`: the number of window dimensions of the op, if it has a window.
/// `isTyped`: the op is a custom call with a dictionary.
mlir::Attribute neutralValue(mlir::MLIRContext *context, vhlo::AttrKind kind,
                             int64_t windowDims = 0, bool isTyped = false);

/// True if `attr` is equivalent to an absent attribute.
bool isNeutral(mlir::Attribute attr, vhlo::AttrKind kind);

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_PORTABLE_NEUTRAL_H
