//===- array_type.h - type and shape of an array ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_BACKEND_ARRAY_TYPE_H
#define SHARDWRIGHT_BACKEND_ARRAY_TYPE_H

#include "shardwright/support/element_type.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <string>

namespace shardwright {

/// Formats type and shape as in messages: `f32[8,16]`.
std::string str(ElementType type, llvm::ArrayRef<int64_t> shape);

/// Bytes of a dense array. Fails if a size is negative, or if the product of
/// the non-zero sizes overflows.
llvm::Expected<int64_t> checkedBytes(ElementType type,
                                     llvm::ArrayRef<int64_t> shape);
/// The error "array f32[8,16]: not enough memory, 512 bytes".
llvm::Error noMemoryFor(ElementType type, llvm::ArrayRef<int64_t> shape);

/// Type and shape of a dense row-major array.
struct ArrayType {
  ElementType type = ElementType::F32;
  llvm::SmallVector<int64_t, 4> shape;

  int64_t elements() const {
    int64_t n = 1;
    for (int64_t size : shape)
      n *= size;
    return n;
  }
  int64_t bytes() const { return elements() * byteWidth(type); }
};

} // namespace shardwright

#endif // SHARDWRIGHT_BACKEND_ARRAY_TYPE_H
