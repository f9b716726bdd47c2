//===- evaluate.h - elementwise ops on single elements -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What each elementwise op gives for given elements, where that is certain to
// the bit: results that would be NaN (whose payload hardware chooses),
// functions that implementations round differently, and complex products are
// left alone.

#ifndef SHARDWRIGHT_SIMPLIFY_EVALUATE_H
#define SHARDWRIGHT_SIMPLIFY_EVALUATE_H

#include "shardwright/simplify/literal.h"

#include <functional>

namespace shardwright::simplifier {

/// From one element of each operand to the element of the result; nothing where
/// the result is not certain.
using Evaluator =
    std::function<std::optional<Element>(llvm::ArrayRef<Element>)>;

/// The evaluator of an elementwise op of one result (select and clamp
/// included), or an empty one.
Evaluator evaluatorOf(mlir::Operation *op);

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
