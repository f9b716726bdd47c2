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
#include "shardwright/runtime/box.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace shardwright {

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
  /// True if windows should be read, each once and in order: reading another
  /// box takes as long as reading all before it, or is not possible.
  virtual bool isSequential() const { return false; }

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

/// Reads the whole array, window by window.
llvm::Expected<Array> readWhole(ArrayReader &array);

/// A box and where its elements go.
struct BoxTarget {
  Box box;
  void *to;
  llvm::SmallVector<int64_t, 4> strides; ///< in bytes
};

/// Reads all the boxes, in windows if the reader is sequential.
llvm::Error readBoxes(ArrayReader &array, llvm::ArrayRef<BoxTarget> targets);

/// Calls `use` for each run of elements of a box that are contiguous in an
/// array of this shape and in memory with these strides: with the number of the
/// first one in the array, the number of elements, and where the first one
/// goes.
llvm::Error forEachRun(
    llvm::ArrayRef<int64_t> shape, const Box &box, int64_t elementBytes,
    void *to, llvm::ArrayRef<int64_t> strides,
    llvm::function_ref<llvm::Error(int64_t first, int64_t count, char *at)>
        use);

/// Reads the whole array window by window; calls `use` with each.
llvm::Error readInWindows(
    ArrayReader &array,
    llvm::function_ref<llvm::Error(const Box &box, const Array &window)> use);

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_READERS_ARRAY_READER_H
