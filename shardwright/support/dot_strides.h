//===- dot_strides.h - strides of matrix products ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which transposes of the operands and of the result of a dot_general a matrix
// product with strides can express, so that they need no memory.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_SUPPORT_DOT_STRIDES_H
#define SHARDWRIGHT_SUPPORT_DOT_STRIDES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <utility>

namespace shardwright {

/// Dimensions, sizes or strides of a dot_general.
using DotList = llvm::SmallVector<int64_t, 4>;

struct DotDims {
  DotList lhsBatch, rhsBatch, lhsContract, rhsContract;
};

/// `order`: the permutation by which the operand is transposed; empty: none.
bool dotOperandFits(llvm::ArrayRef<int64_t> shape,
                    llvm::ArrayRef<int64_t> order, const DotDims &dims,
                    bool isLhs);
/// A permutation of an operand's dimensions that always fits.
DotList dotOperandOrder(size_t rank, const DotDims &dims, bool isLhs);
/// True if the result may be stored transposed by `permutation`.
bool dotResultFits(llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<int64_t> permutation,
                   llvm::ArrayRef<int64_t> lhsShape,
                   llvm::ArrayRef<int64_t> rhsShape, const DotDims &dims);

/// Several dimensions merged into one.
struct MergedDims {
  bool fits = true;
  int64_t size = 1, stride = 1;
};
MergedDims mergeDims(llvm::ArrayRef<int64_t> dims,
                     llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<int64_t> strides);

/// Strides of the dimensions of an operand that is transposed by `order`.
DotList dotOperandStrides(llvm::ArrayRef<int64_t> shape,
                          llvm::ArrayRef<int64_t> order);
/// The dimensions that are neither batched nor contracted.
DotList dotFreeDims(size_t rank, llvm::ArrayRef<int64_t> batch,
                    llvm::ArrayRef<int64_t> contract);
/// Contracted dimensions in memory order of the lhs; the rhs must have the same
/// order.
std::pair<DotList, DotList> dotContractOrder(const DotDims &dims);

/// Dimensions of the result: batch, free dimensions of the lhs, then of the
/// rhs.
struct DotResultDims {
  DotList batch, m, n;
};
DotResultDims dotResultDims(size_t lhsRank, size_t rhsRank,
                            const DotDims &dims);
/// Strides of the result's dimensions if it is stored transposed.
DotList dotResultStrides(llvm::ArrayRef<int64_t> shape,
                         llvm::ArrayRef<int64_t> permutation);

} // namespace shardwright

#endif // SHARDWRIGHT_SUPPORT_DOT_STRIDES_H
