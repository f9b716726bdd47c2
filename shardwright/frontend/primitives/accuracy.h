//===- accuracy.h - functions with an accuracy -----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_PRIMITIVES_ACCURACY_H
#define SHARDWRIGHT_FRONTEND_PRIMITIVES_ACCURACY_H

#include "shardwright/frontend/primitives/helpers.h"

namespace shardwright::frontend {

/// An elementwise primitive of floating-point operands that are broadcast
/// together. It has no derivative and no lowering yet.
Primitive floatPrimitive(const char *name, size_t numOperands);

/// `result_accuracy = ..`; empty without one, or with the default.
std::string accuracyAttribute(const Params &params);
/// The tangent of a function with an accuracy, where it is not that of the
/// function without one: other functions get the accuracy, too.
MaybeTensor accurateTangent(std::string_view name, const Tensor &x,
                            const Tensor &y, const Tensor &t,
                            const Params &params);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_PRIMITIVES_ACCURACY_H
