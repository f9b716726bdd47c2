//===- dot_layout.h - dot_general as strides --------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A DotSpec has one stride for all free dimensions of an operand and one for
// all contracted ones, so those must lie in memory as one dimension would. An
// operand may be the transpose of what is in memory: its *order* then says
// which dimension in memory each of its dimensions is (empty: the same).
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_DOT_DOT_LAYOUT_H
#define SHARDWRIGHT_CPU_DOT_DOT_LAYOUT_H

#include "shardwright/cpu/program/program.h"

#include "llvm/ADT/ArrayRef.h"

namespace shardwright::cpu {

struct DotDims {
  Shape lhsBatch, rhsBatch, lhsContract, rhsContract;
};

bool dotOperandFits(llvm::ArrayRef<int64_t> shape,
                    llvm::ArrayRef<int64_t> order, const DotDims &dims,
                    bool isLhs);
/// A permutation of an operand's dimensions that always fits.
Shape dotOperandOrder(size_t rank, const DotDims &dims, bool isLhs);
/// May the result be stored transposed by `permutation`?
bool dotResultFits(llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<int64_t> permutation,
                   llvm::ArrayRef<int64_t> lhsShape,
                   llvm::ArrayRef<int64_t> rhsShape, const DotDims &dims);

/// `lhsShape` and `rhsShape` are the operands' as dot_general sees them;
/// `outOrder` the permutation of the stored result (empty: none).
DotSpec makeDotSpec(llvm::ArrayRef<int64_t> lhsShape,
                    llvm::ArrayRef<int64_t> lhsOrder,
                    llvm::ArrayRef<int64_t> rhsShape,
                    llvm::ArrayRef<int64_t> rhsOrder,
                    llvm::ArrayRef<int64_t> outOrder, const DotDims &dims);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_DOT_DOT_LAYOUT_H
