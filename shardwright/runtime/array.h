//===- array.h - a dense array in host memory -------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_ARRAY_H
#define SHARDWRIGHT_RUNTIME_ARRAY_H

#include "shardwright/backend/array_type.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace shardwright {

/// Dense row-major elements in a shared, 64-byte aligned buffer. Copies of an
/// Array share the buffer; only a sole holder may write to it.
class Array {
public:
  Array() = default;
  /// `data` holds elements() * byteWidth(type) bytes. The shape must be valid;
  /// use `allocate` for unchecked shapes.
  Array(ElementType type, llvm::ArrayRef<int64_t> shape,
        std::shared_ptr<void> data);

  /// Allocates an uninitialised array. Fails if a size is negative or
  /// overflows, or if memory is exhausted.
  static llvm::Expected<Array> allocate(ElementType type,
                                        llvm::ArrayRef<int64_t> shape);

  ElementType type() const { return elementType; }
  llvm::ArrayRef<int64_t> shape() const { return dims; }
  int64_t elements() const { return count; }
  int64_t bytes() const { return count * byteWidth(elementType); }
  void *data() { return buffer.get(); }
  const void *data() const { return buffer.get(); }
  const std::shared_ptr<void> &storage() const { return buffer; }
  std::string str() const { return shardwright::str(elementType, dims); }

private:
  ElementType elementType = ElementType::F32;
  llvm::SmallVector<int64_t, 4> dims;
  int64_t count = 0;
  std::shared_ptr<void> buffer;
};

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_ARRAY_H
