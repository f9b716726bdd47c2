//===- box_copy.h - copy a box between strided arrays -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_SUPPORT_BOX_COPY_H
#define SHARDWRIGHT_SUPPORT_BOX_COPY_H

#include "shardwright/support/shape.h"

namespace shardwright::cpu {

/// Copies a box of `extent` elements of `width` bytes. Strides are in bytes,
/// one per dimension, in any order (transposes). Source and destination must
/// not overlap.
void copyBox(void *dst, llvm::ArrayRef<int64_t> dstStrides, const void *src,
             llvm::ArrayRef<int64_t> srcStrides, llvm::ArrayRef<int64_t> extent,
             int64_t width);

using shardwright::rowMajorStrides;

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_SUPPORT_BOX_COPY_H
