//===- dot_layout.h - dot_general as strides --------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A DotSpec has one stride for all free dimensions of an operand and one for
// all contracted dimensions, so each group must be mergeable into one dimension
// in memory. An operand may be stored transposed: its *order* maps its
// dimensions to dimensions in memory (empty: identity).
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_DOT_DOT_LAYOUT_H
#define SHARDWRIGHT_CPU_DOT_DOT_LAYOUT_H

#include "shardwright/cpu/program/program.h"
#include "shardwright/support/dot_strides.h"

#include "llvm/ADT/ArrayRef.h"

namespace shardwright::cpu {

/// `lhsShape` and `rhsShape` are the operand shapes of the dot_general;
/// `outOrder` is the permutation of the stored result (empty: identity).
DotSpec makeDotSpec(llvm::ArrayRef<int64_t> lhsShape,
                    llvm::ArrayRef<int64_t> lhsOrder,
                    llvm::ArrayRef<int64_t> rhsShape,
                    llvm::ArrayRef<int64_t> rhsOrder,
                    llvm::ArrayRef<int64_t> outOrder, const DotDims &dims);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_DOT_DOT_LAYOUT_H
