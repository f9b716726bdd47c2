//===- register_value.h - scalars, vectors and pairs ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_OPS_REGISTER_VALUE_H
#define SHARDWRIGHT_CPU_OPS_REGISTER_VALUE_H

#include "llvm/IR/IRBuilder.h"

namespace shardwright::cpu {

// One element in a register is a scalar or, in a vectorised loop, a vector of
// lanes. A complex element is a structure {real, imaginary} of two such.

inline bool isPair(llvm::Type *type) { return type->isStructTy(); }
/// 0: a scalar.
unsigned lanesOf(llvm::Value *x);
inline bool isVector(llvm::Value *x) { return lanesOf(x) != 0; }
/// The register type of `lanes` elements (0: of one).
llvm::Type *withLanes(llvm::Type *type, unsigned lanes);
/// Part 0 or 1 of a complex value.
llvm::Value *part(llvm::IRBuilder<> &b, llvm::Value *x, unsigned number);
llvm::Value *pair(llvm::IRBuilder<> &b, llvm::Value *re, llvm::Value *im);
/// A scalar in all lanes; x itself when it is a vector already.
llvm::Value *splatTo(llvm::IRBuilder<> &b, unsigned lanes, llvm::Value *x);
/// `condition` is i1, or a vector of as many as the others.
llvm::Value *selectValue(llvm::IRBuilder<> &b, llvm::Value *condition,
                         llvm::Value *x, llvm::Value *y);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_OPS_REGISTER_VALUE_H
