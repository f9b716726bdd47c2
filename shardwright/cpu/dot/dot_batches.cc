//===- dot_batches.cc - batches of small matrix products ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// oneDNN multiplies a batch of dense matrices in one call. A call takes longer
// than a product of 16 rows and columns, and as long as the copies of four of
// them. Heads of attention are such matrices, and their rows interleave.
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/dot/dot_product.h"
#include "shardwright/support/box_copy.h"

#include "llvm/ADT/SmallVector.h"

#include <algorithm>

using namespace shardwright;
using namespace shardwright::cpu;

namespace {

/// An operand of all products of a batch of several dimensions.
struct Operand {
  Matrices matrix; ///< of the first product
  int64_t rows, cols;
  llvm::ArrayRef<int64_t> batchStrides;
};

} // namespace

/// True if the matrices follow each other, each in a block of its own.
static bool isDense(const Operand &operand, llvm::ArrayRef<int64_t> batch) {
  const Matrices &x = operand.matrix;
  bool isRowMajor = x.colStride == 1 && x.rowStride == operand.cols;
  bool isColMajor = x.rowStride == 1 && x.colStride == operand.rows;
  return batch.size() == 1 && (isRowMajor || isColMajor) &&
         operand.batchStrides[0] == operand.rows * operand.cols;
}

/// Copies between the matrices and dense ones, whose rows or columns are
/// contiguous as those of the matrices are.
static void copy(const Operand &operand, llvm::ArrayRef<int64_t> batch,
                 const Matrices &dense, bool isToDense) {
  int64_t width = byteWidth(dense.type);
  llvm::SmallVector<int64_t, 6> sizes(batch), strides,
      denseStrides(batch.size());
  int64_t stride = dense.batchStride * width;
  for (size_t i = batch.size(); i-- > 0;) {
    denseStrides[i] = stride;
    stride *= batch[i];
  }
  for (int64_t step : operand.batchStrides)
    strides.push_back(step * width);
  sizes.append({operand.rows, operand.cols});
  strides.append(
      {operand.matrix.rowStride * width, operand.matrix.colStride * width});
  denseStrides.append({dense.rowStride * width, dense.colStride * width});
  if (isToDense)
    copyBox(dense.data, denseStrides, operand.matrix.data, strides, sizes,
            width);
  else
    copyBox(operand.matrix.data, strides, dense.data, denseStrides, sizes,
            width);
}

/// Dense matrices in scratch; without memory if there is none.
static Matrices denseLike(const Operand &operand, int64_t batches,
                          Scratch use) {
  const Matrices &x = operand.matrix;
  int64_t elements = operand.rows * operand.cols;
  auto *data =
      static_cast<char *>(scratch(use, batches * elements * byteWidth(x.type)));
  bool isColMajor = x.rowStride == 1 && x.colStride != 1;
  return isColMajor ? Matrices{data, x.type, 1, operand.rows, elements}
                    : Matrices{data, x.type, operand.cols, 1, elements};
}

static int64_t numProducts(llvm::ArrayRef<int64_t> batch) {
  int64_t number = 1;
  for (int64_t size : batch)
    number *= size;
  return number;
}

bool cpu::isSmallBatch(const Product &p, llvm::ArrayRef<int64_t> batch) {
  return numProducts(batch) > 1 && p.m > 1 && p.n > 1 &&
         p.m * p.n * p.k <= smallProduct && hasLibraryProduct(p);
}

/// All products in one call.
static llvm::Error multiplyAtOnce(const Product &p,
                                  llvm::ArrayRef<int64_t> batch,
                                  const BatchStrides &strides) {
  Operand a{p.a, p.m, p.k, strides.a}, b{p.b, p.k, p.n, strides.b},
      c{p.c, p.m, p.n, strides.c};
  Product dense = p;
  dense.batches = numProducts(batch);
  auto pack = [&](const Operand &operand, Matrices &to, Scratch use,
                  bool isRead) {
    to.batchStride = operand.batchStrides.back();
    if (isDense(operand, batch))
      return true;
    to = denseLike(operand, dense.batches, use);
    if (to.data && isRead)
      copy(operand, batch, to, /*isToDense=*/true);
    return to.data != nullptr;
  };
  if (!pack(a, dense.a, Scratch::BatchLeft, true) ||
      !pack(b, dense.b, Scratch::BatchRight, true) ||
      !pack(c, dense.c, Scratch::BatchResult, false))
    return llvm::createStringError("not enough memory");
  if (llvm::Error e = libraryProduct(dense))
    return e;
  if (dense.c.data != p.c.data)
    copy(c, batch, dense.c, /*isToDense=*/false);
  return llvm::Error::success();
}

llvm::Error cpu::smallBatchProduct(const Product &p,
                                   llvm::ArrayRef<int64_t> batch,
                                   const BatchStrides &strides) {
  // What is copied stays in caches.
  constexpr int64_t mostElements = 1 << 16;
  int64_t elements = p.m * p.k + p.k * p.n + p.m * p.n;
  int64_t atOnce = std::max<int64_t>(mostElements / elements, 1);
  if (numProducts(batch) <= atOnce)
    return multiplyAtOnce(p, batch, strides);
  bool isLast = batch.size() == 1;
  int64_t step = isLast ? atOnce : 1;
  for (int64_t i = 0; i < batch[0]; i += step) {
    Product part = p;
    part.a = p.a.advanced(i * strides.a[0]);
    part.b = p.b.advanced(i * strides.b[0]);
    part.c = p.c.advanced(i * strides.c[0]);
    llvm::Error e =
        isLast
            ? multiplyAtOnce(part, {std::min(step, batch[0] - i)}, strides)
            : smallBatchProduct(part, batch.drop_front(),
                                {strides.a.drop_front(), strides.b.drop_front(),
                                 strides.c.drop_front()});
    if (e)
      return e;
  }
  return llvm::Error::success();
}
