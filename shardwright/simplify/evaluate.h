//===- evaluate.h - elementwise ops on single elements -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The result of each elementwise op on given elements, if every implementation
// returns the same bits. There is no result for NaN (hardware chooses its
// payload), for functions that implementations round differently, and for
// complex products.

#ifndef SHARDWRIGHT_SIMPLIFY_EVALUATE_H
#define SHARDWRIGHT_SIMPLIFY_EVALUATE_H

#include "shardwright/simplify/literal.h"

#include <functional>

namespace shardwright::simplifier {

/// Maps one element of each operand to the element of the result, or to nothing
/// if implementations may differ.
using Evaluator =
    std::function<std::optional<Element>(llvm::ArrayRef<Element>)>;

/// The evaluator of an elementwise op of one result (select and clamp
/// included), or an empty one.
Evaluator evaluatorOf(mlir::Operation *op);

/// The bits of `value`, or nothing for NaN: its payload depends on the
/// hardware.
std::optional<Element> unlessNaN(const llvm::APFloat &value);

std::optional<Element> evaluateUnary(mlir::Operation *op, ElementKind kind,
                                     Element x);
std::optional<Element> evaluateBinary(mlir::Operation *op, ElementKind kind,
                                      Element x, Element y);
std::optional<Element> evaluateConvert(ElementKind from, ElementKind to,
                                       Element x);
std::optional<Element> reducePrecision(ElementKind kind, Element x,
                                       unsigned exponentBits,
                                       unsigned mantissaBits);

} // namespace shardwright::simplifier

#endif // SHARDWRIGHT_SIMPLIFY_EVALUATE_H
