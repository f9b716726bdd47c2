//===- dot_product.h - implementations of matrix products -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal to dot.cc: products whose sizes are known to be good.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_DOT_DOT_PRODUCT_H
#define SHARDWRIGHT_CPU_DOT_DOT_PRODUCT_H

#include "shardwright/support/element_type.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <optional>

namespace shardwright::cpu {

/// A batch of matrices in memory; strides in elements.
struct Matrices {
  char *data;
  ElementType type;
  int64_t rowStride, colStride, batchStride;

  Matrices transposed() const {
    return {data, type, colStride, rowStride, batchStride};
  }
  Matrices advanced(int64_t elements) const {
    Matrices moved = *this;
    if (data) // an empty matrix may have no memory
      moved.data += elements * byteWidth(type);
    return moved;
  }
};

/// c[b] = a[b] * b[b] of shapes (m, k) by (k, n). No size is 0.
struct Product {
  int64_t batches, m, n, k;
  Matrices a, b, c;

  Product transposed() const {
    return {batches, n, m, k, b.transposed(), a.transposed(), c.transposed()};
  }
};

/// Memory of the calling thread, aligned and not initialised, valid until the
/// next call for the same use. Null if memory is exhausted.
enum class Scratch : uint8_t {
  PackedLeft,
  PackedRight,
  PackedResult,
  FloatLeft,
  FloatRight,
  FloatResult,
  Library,
  BlockLeft,
  BlockRight,
  BlockResult,
  BatchLeft,
  BatchRight,
  BatchResult,
};
constexpr int numScratch = 13;
void *scratch(Scratch use, int64_t bytes);
/// Frees buffers that are too large to keep.
void trimScratch();

/// True if oneDNN has a fast kernel for these types on this machine.
bool hasLibraryProduct(const Product &p);
llvm::Error libraryProduct(Product p);

/// Up to so many multiply-adds, what a call of the library costs counts more
/// than how fast its kernel is.
constexpr int64_t smallProduct = 48 * 48 * 48;

/// Elements from one matrix to the next along each dimension of a batch.
struct BatchStrides {
  llvm::ArrayRef<int64_t> a, b, c;
};
/// True if `p` is one of several products of the library, so small that a call
/// for each takes longer than copies for one call of all.
bool isSmallBatch(const Product &p, llvm::ArrayRef<int64_t> batch);
/// All products of a batch of several dimensions in one call of the library.
/// `p` is the first of them.
llvm::Error smallBatchProduct(const Product &p, llvm::ArrayRef<int64_t> batch,
                              const BatchStrides &strides);

/// True if m or n is 1 and the types are f32, f64, bf16 or f16.
bool hasVectorProduct(const Product &p);
llvm::Error vectorProduct(const Product &p);

/// The accumulator type of the generic implementation.
enum class Accumulator : uint8_t {
  Float,
  Double,
  Word,
  LongWord,
  Complex,
  DoubleComplex
};
std::optional<Accumulator> accumulatorFor(ElementType lhs, ElementType rhs,
                                          ElementType out);
llvm::Error genericProduct(const Product &p, Accumulator accumulator);

/// Converts a real matrix to row-major floats, and back.
void toFloats(const Matrices &from, int64_t rows, int64_t cols, float *to);
void fromFloats(const float *from, int64_t rows, int64_t cols,
                const Matrices &to);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_DOT_DOT_PRODUCT_H
