//===- complex_parts.h - complex tensors as two real ones --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_CHLO_COMPLEX_PARTS_H
#define SHARDWRIGHT_INTEROP_CHLO_COMPLEX_PARTS_H

#include "shardwright/interop/chlo/complex_functions.h"

namespace shardwright::chlo_expansion {

// The parts of a complex value, taken from the op that joined them if there is
// one; converted to f64 if `widen`.
Complex partsOf(MathBuilder &math, mlir::Value value, bool widen);

// The complex value of element type `element` with these parts.
mlir::Value joinParts(Complex z, mlir::Type element);

} // namespace shardwright::chlo_expansion

#endif // SHARDWRIGHT_INTEROP_CHLO_COMPLEX_PARTS_H
