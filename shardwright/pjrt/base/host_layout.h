//===- host_layout.h - layouts of client arrays -----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_BASE_HOST_LAYOUT_H
#define SHARDWRIGHT_PJRT_BASE_HOST_LAYOUT_H

#include "shardwright/pjrt_abi/buffer.h"
#include "shardwright/support/element_type.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace shardwright::pjrt {

/// minor_to_major of a row-major array: rank-1, ..., 1, 0. Never freed.
llvm::ArrayRef<int64_t> rowMajorOrder(size_t rank);

/// Null is row-major.
bool isRowMajor(const PJRT_Buffer_MemoryLayout *layout, size_t rank);

/// Byte strides of an array with this layout in host memory. Fails for tiles,
/// and for layouts that do not match the shape.
llvm::Expected<llvm::SmallVector<int64_t, 6>>
byteStrides(const PJRT_Buffer_MemoryLayout *layout,
            llvm::ArrayRef<int64_t> shape, int64_t elementBytes);

/// None if a size is negative or the product overflows.
std::optional<int64_t> bytesOf(ElementType type, llvm::ArrayRef<int64_t> shape);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_BASE_HOST_LAYOUT_H
