//===- box_copy.h - copy a box between strided arrays -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_SUPPORT_BOX_COPY_H
#define SHARDWRIGHT_SUPPORT_BOX_COPY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace shardwright::cpu {

/// Copies a box of `extent` elements of `width` bytes. Strides are in bytes,
/// one a dimension, and may be in any order (transposes). The two sides do not
/// overlap.
void copyBox(void *dst, llvm::ArrayRef<int64_t> dstStrides, const void *src,
             llvm::ArrayRef<int64_t> srcStrides, llvm::ArrayRef<int64_t> extent,
             int64_t width);

/// Byte strides of a dense row-major array.
llvm::SmallVector<int64_t, 4> rowMajorStrides(llvm::ArrayRef<int64_t> shape,
                                              int64_t width);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_SUPPORT_BOX_COPY_H
