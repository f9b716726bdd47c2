//===- patterns.h - the families of rewrites -----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// One function per family of rewrites, each in the file of its name.

#ifndef SHARDWRIGHT_SIMPLIFY_PATTERNS_H
#define SHARDWRIGHT_SIMPLIFY_PATTERNS_H

#include "shardwright/simplify/rewrite.h"

namespace shardwright::simplifier {

void addFoldElementwise(Patterns &patterns, int64_t limit);
void addFoldShape(Patterns &patterns, int64_t limit);
void addArithmetic(Patterns &patterns);
void addLogic(Patterns &patterns);
void addConversion(Patterns &patterns);
void addReshape(Patterns &patterns);
void addSlice(Patterns &patterns);
void addConcatenate(Patterns &patterns);
void addDynamicIndex(Patterns &patterns);
void addContraction(Patterns &patterns);
void addReduction(Patterns &patterns, int64_t limit);
void addControlFlow(Patterns &patterns);
void addLoop(Patterns &patterns);
void addDynamicShape(Patterns &patterns);

} // namespace shardwright::simplifier

#endif // SHARDWRIGHT_SIMPLIFY_PATTERNS_H
