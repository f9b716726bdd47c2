//===- shape.h - arithmetic on the sizes of arrays --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_SUPPORT_SHAPE_H
#define SHARDWRIGHT_SUPPORT_SHAPE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace shardwright {

/// The number of elements of an array; 1 without dimensions.
inline int64_t product(llvm::ArrayRef<int64_t> sizes) {
  int64_t n = 1;
  for (int64_t size : sizes)
    n *= size;
  return n;
}

/// Strides of a dense row-major array whose elements are `unit` apart: in
/// elements, or, if `unit` is the width of one, in bytes.
inline llvm::SmallVector<int64_t, 4>
rowMajorStrides(llvm::ArrayRef<int64_t> shape, int64_t unit = 1) {
  llvm::SmallVector<int64_t, 4> strides(shape.size(), unit);
  for (int i = static_cast<int>(shape.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}

/// The inverse of `permutation`.
inline llvm::SmallVector<int64_t, 4>
inversePermutation(llvm::ArrayRef<int64_t> permutation) {
  llvm::SmallVector<int64_t, 4> inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i)
    inverse[permutation[i]] = static_cast<int64_t>(i);
  return inverse;
}

} // namespace shardwright

#endif // SHARDWRIGHT_SUPPORT_SHAPE_H
