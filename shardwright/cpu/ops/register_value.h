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

// A register holds one element as a scalar or, in a vectorised loop, as a
// vector of lanes. A complex element is a struct {real, imaginary} of two
// scalars or vectors.

inline bool isPair(llvm::Type *type) { return type->isStructTy(); }
/// Number of lanes; 0: a scalar.
unsigned lanesOf(llvm::Value *x);
inline bool isVector(llvm::Value *x) { return lanesOf(x) != 0; }
/// The register type of `lanes` elements (0: a scalar).
llvm::Type *withLanes(llvm::Type *type, unsigned lanes);
/// The real (0) or imaginary (1) part of a complex value.
llvm::Value *part(llvm::IRBuilder<> &b, llvm::Value *x, unsigned number);
llvm::Value *pair(llvm::IRBuilder<> &b, llvm::Value *re, llvm::Value *im);
/// Broadcasts a scalar to all lanes; returns x if it is a vector already.
llvm::Value *splatTo(llvm::IRBuilder<> &b, unsigned lanes, llvm::Value *x);
/// `condition` is i1, or a vector of i1 with as many lanes as the values.
llvm::Value *selectValue(llvm::IRBuilder<> &b, llvm::Value *condition,
                         llvm::Value *x, llvm::Value *y);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_OPS_REGISTER_VALUE_H
