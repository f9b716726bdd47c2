//===- array_reader.h - arrays that are read in parts -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An array that need not be in memory: a file, random numbers, or the results
// of other processes. Who reads it in windows needs memory for one window only.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_READERS_ARRAY_READER_H
#define SHARDWRIGHT_RUNTIME_READERS_ARRAY_READER_H

#include "shardwright/runtime/array.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace shardwright {

/// A part of an array.
struct Box {
  llvm::SmallVector<int64_t, 4> begin, extent;
};

/// Where an element is in memory with these strides.
int64_t offsetOf(llvm::ArrayRef<int64_t> index,
                 llvm::ArrayRef<int64_t> strides);

class ArrayReader {
public:
  ArrayReader(ElementType type, llvm::ArrayRef<int64_t> shape);
  virtual ~ArrayReader();

  ElementType type() const { return elementType; }
  llvm::ArrayRef<int64_t> shape() const { return dims; }
  int64_t elements() const { return count; }
  int64_t bytes() const { return count * byteWidth(elementType); }
  std::string str() const { return shardwright::str(elementType, dims); }

  /// Writes the elements of a box to memory with these strides in bytes.
  virtual llvm::Error read(const Box &box, void *to,
                           llvm::ArrayRef<int64_t> strides) = 0;

private:
  ElementType elementType;
  llvm::SmallVector<int64_t, 4> dims;
  int64_t count;
};

/// Reads an array in memory.
class WholeArrayReader final : public ArrayReader {
public:
  explicit WholeArrayReader(Array whole);
  llvm::Error read(const Box &box, void *to,
                   llvm::ArrayRef<int64_t> strides) override;

private:
  const Array array;
};

/// Splits an array into windows: boxes that are contiguous in the array, in
/// ascending order. The split depends on the shape and on the size limit only.
class Windows {
public:
  static constexpr int64_t bytesLimit = int64_t(64) << 20;

  /// Each window has `limit` bytes at most, or one element.
  Windows(llvm::ArrayRef<int64_t> shape, int64_t elementBytes,
          int64_t limit = bytesLimit);
  /// Sets `box` to the next window. False: there is none.
  bool next(Box &box);

private:
  llvm::SmallVector<int64_t, 4> shape, begin;
  /// The dimension that windows divide (-1: there is one window), and how much
  /// of it a window has. Earlier dimensions have size 1 in windows.
  int64_t dim = -1, step = 0;
  bool isDone = false;
};

/// Reads the whole array window by window; calls `use` with each.
llvm::Error readInWindows(
    ArrayReader &array,
    llvm::function_ref<llvm::Error(const Box &box, const Array &window)> use);

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_READERS_ARRAY_READER_H
