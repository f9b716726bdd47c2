//===- dot_layout.cc - dot_general as strides -----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/dot/dot_layout.h"

#include "shardwright/support/shape.h"

#include "llvm/ADT/STLExtras.h"

namespace shardwright::cpu {

/// Several dimensions merged into one.
struct Merged {
  bool fits = true;
  int64_t size = 1, stride = 1;
};

static Merged merge(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> shape,
                    llvm::ArrayRef<int64_t> strides) {
  Merged m;
  bool first = true;
  int64_t next = 0; // required stride of the previous dimension
  for (size_t i = dims.size(); i-- > 0;) {
    int64_t size = shape[dims[i]], stride = strides[dims[i]];
    m.size *= size;
    if (size == 1)
      continue;
    if (first)
      m.stride = stride;
    else if (stride != next)
      m.fits = false;
    next = stride * size;
    first = false;
  }
  return m;
}

static Shape logicalStrides(llvm::ArrayRef<int64_t> shape,
                            llvm::ArrayRef<int64_t> order) {
  if (order.empty())
    return rowMajorStrides(shape);
  Shape inMemory(shape.size());
  for (auto [i, p] : llvm::enumerate(order))
    inMemory[p] = shape[i];
  Shape strides = rowMajorStrides(inMemory), result(shape.size());
  for (auto [i, p] : llvm::enumerate(order))
    result[i] = strides[p];
  return result;
}

static Shape freeDims(size_t rank, llvm::ArrayRef<int64_t> batch,
                      llvm::ArrayRef<int64_t> contract) {
  Shape dims;
  for (int64_t d = 0; d < static_cast<int64_t>(rank); ++d)
    if (!llvm::is_contained(batch, d) && !llvm::is_contained(contract, d))
      dims.push_back(d);
  return dims;
}

/// Contracted dimensions in memory order of the lhs; the rhs must have the same
/// order.
static std::pair<Shape, Shape> contractOrder(const DotDims &dims) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (auto [l, r] : llvm::zip_equal(dims.lhsContract, dims.rhsContract))
    pairs.push_back({l, r});
  llvm::sort(pairs);
  std::pair<Shape, Shape> result;
  for (auto [l, r] : pairs) {
    result.first.push_back(l);
    result.second.push_back(r);
  }
  return result;
}

bool dotOperandFits(llvm::ArrayRef<int64_t> shape,
                    llvm::ArrayRef<int64_t> order, const DotDims &dims,
                    bool isLhs) {
  Shape strides = logicalStrides(shape, order);
  auto [lhs, rhs] = contractOrder(dims);
  const Shape &contract = isLhs ? lhs : rhs;
  Shape kept =
      freeDims(shape.size(), isLhs ? dims.lhsBatch : dims.rhsBatch, contract);
  return merge(contract, shape, strides).fits &&
         merge(kept, shape, strides).fits;
}

Shape dotOperandOrder(size_t rank, const DotDims &dims, bool isLhs) {
  auto [lhs, rhs] = contractOrder(dims);
  const Shape &contract = isLhs ? lhs : rhs;
  const Shape &batch = isLhs ? dims.lhsBatch : dims.rhsBatch;
  Shape order = batch;
  Shape kept = freeDims(rank, batch, contract);
  llvm::append_range(order, isLhs ? kept : contract);
  llvm::append_range(order, isLhs ? contract : kept);
  return order;
}

/// Dimensions of the result: batch, free dimensions of the lhs, then of the
/// rhs.
struct ResultDims {
  Shape batch, m, n;
};

static ResultDims resultDims(size_t lhsRank, size_t rhsRank,
                             const DotDims &dims) {
  ResultDims r;
  int64_t next = 0;
  auto take = [&](Shape &into, size_t count) {
    for (size_t i = 0; i < count; ++i)
      into.push_back(next++);
  };
  take(r.batch, dims.lhsBatch.size());
  take(r.m, lhsRank - dims.lhsBatch.size() - dims.lhsContract.size());
  take(r.n, rhsRank - dims.rhsBatch.size() - dims.rhsContract.size());
  return r;
}

/// Strides of the result's dimensions if it is stored transposed.
static Shape resultStrides(llvm::ArrayRef<int64_t> shape,
                           llvm::ArrayRef<int64_t> permutation) {
  if (permutation.empty())
    return rowMajorStrides(shape);
  Shape stored;
  for (int64_t p : permutation)
    stored.push_back(shape[p]);
  Shape strides = rowMajorStrides(stored), result(shape.size());
  for (auto [i, p] : llvm::enumerate(permutation))
    result[p] = strides[i];
  return result;
}

bool dotResultFits(llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<int64_t> permutation,
                   llvm::ArrayRef<int64_t> lhsShape,
                   llvm::ArrayRef<int64_t> rhsShape, const DotDims &dims) {
  ResultDims r = resultDims(lhsShape.size(), rhsShape.size(), dims);
  Shape strides = resultStrides(shape, permutation);
  Merged m = merge(r.m, shape, strides), n = merge(r.n, shape, strides);
  // Matrix kernels need contiguous rows of the result.
  return m.fits && n.fits && (n.stride == 1 || n.size == 1);
}

DotSpec makeDotSpec(llvm::ArrayRef<int64_t> lhsShape,
                    llvm::ArrayRef<int64_t> lhsOrder,
                    llvm::ArrayRef<int64_t> rhsShape,
                    llvm::ArrayRef<int64_t> rhsOrder,
                    llvm::ArrayRef<int64_t> outOrder, const DotDims &dims) {
  DotSpec spec;
  Shape lhsStrides = logicalStrides(lhsShape, lhsOrder);
  Shape rhsStrides = logicalStrides(rhsShape, rhsOrder);
  auto [lhsContract, rhsContract] = contractOrder(dims);
  Shape lhsFree = freeDims(lhsShape.size(), dims.lhsBatch, lhsContract);
  Shape rhsFree = freeDims(rhsShape.size(), dims.rhsBatch, rhsContract);
  ResultDims r = resultDims(lhsShape.size(), rhsShape.size(), dims);
  Shape outShape;
  for (int64_t d : dims.lhsBatch)
    outShape.push_back(lhsShape[d]);
  for (int64_t d : lhsFree)
    outShape.push_back(lhsShape[d]);
  for (int64_t d : rhsFree)
    outShape.push_back(rhsShape[d]);
  Shape outStrides = resultStrides(outShape, outOrder);
  for (auto [l, rd, o] :
       llvm::zip_equal(dims.lhsBatch, dims.rhsBatch, r.batch)) {
    spec.batch.push_back(lhsShape[l]);
    spec.lhsBatchStrides.push_back(lhsStrides[l]);
    spec.rhsBatchStrides.push_back(rhsStrides[rd]);
    spec.outBatchStrides.push_back(outStrides[o]);
  }
  Merged lm = merge(lhsFree, lhsShape, lhsStrides);
  Merged lk = merge(lhsContract, lhsShape, lhsStrides);
  Merged rk = merge(rhsContract, rhsShape, rhsStrides);
  Merged rn = merge(rhsFree, rhsShape, rhsStrides);
  spec.m = lm.size;
  spec.n = rn.size;
  spec.k = lk.size;
  spec.lhsStrideM = lm.stride;
  spec.lhsStrideK = lk.stride;
  spec.rhsStrideK = rk.stride;
  spec.rhsStrideN = rn.stride;
  spec.outStrideM = merge(r.m, outShape, outStrides).stride;
  spec.outStrideN = merge(r.n, outShape, outStrides).stride;
  return spec;
}

} // namespace shardwright::cpu
