//===- dot_strides.cc - strides of matrix products ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/support/dot_strides.h"

#include "shardwright/support/shape.h"

#include "llvm/ADT/STLExtras.h"

namespace shardwright {

MergedDims mergeDims(llvm::ArrayRef<int64_t> dims,
                     llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<int64_t> strides) {
  MergedDims m;
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

DotList dotOperandStrides(llvm::ArrayRef<int64_t> shape,
                          llvm::ArrayRef<int64_t> order) {
  if (order.empty())
    return rowMajorStrides(shape);
  DotList inMemory(shape.size());
  for (auto [i, p] : llvm::enumerate(order))
    inMemory[p] = shape[i];
  DotList strides = rowMajorStrides(inMemory), result(shape.size());
  for (auto [i, p] : llvm::enumerate(order))
    result[i] = strides[p];
  return result;
}

DotList dotFreeDims(size_t rank, llvm::ArrayRef<int64_t> batch,
                    llvm::ArrayRef<int64_t> contract) {
  DotList dims;
  for (int64_t d = 0; d < static_cast<int64_t>(rank); ++d)
    if (!llvm::is_contained(batch, d) && !llvm::is_contained(contract, d))
      dims.push_back(d);
  return dims;
}

std::pair<DotList, DotList> dotContractOrder(const DotDims &dims) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (auto [l, r] : llvm::zip_equal(dims.lhsContract, dims.rhsContract))
    pairs.push_back({l, r});
  llvm::sort(pairs);
  std::pair<DotList, DotList> result;
  for (auto [l, r] : pairs) {
    result.first.push_back(l);
    result.second.push_back(r);
  }
  return result;
}

bool dotOperandFits(llvm::ArrayRef<int64_t> shape,
                    llvm::ArrayRef<int64_t> order, const DotDims &dims,
                    bool isLhs) {
  DotList strides = dotOperandStrides(shape, order);
  auto [lhs, rhs] = dotContractOrder(dims);
  const DotList &contract = isLhs ? lhs : rhs;
  DotList kept = dotFreeDims(shape.size(),
                             isLhs ? dims.lhsBatch : dims.rhsBatch, contract);
  return mergeDims(contract, shape, strides).fits &&
         mergeDims(kept, shape, strides).fits;
}

DotList dotOperandOrder(size_t rank, const DotDims &dims, bool isLhs) {
  auto [lhs, rhs] = dotContractOrder(dims);
  const DotList &contract = isLhs ? lhs : rhs;
  const DotList &batch = isLhs ? dims.lhsBatch : dims.rhsBatch;
  DotList order = batch;
  DotList kept = dotFreeDims(rank, batch, contract);
  llvm::append_range(order, isLhs ? kept : contract);
  llvm::append_range(order, isLhs ? contract : kept);
  return order;
}

DotResultDims dotResultDims(size_t lhsRank, size_t rhsRank,
                            const DotDims &dims) {
  DotResultDims r;
  int64_t next = 0;
  auto take = [&](DotList &into, size_t count) {
    for (size_t i = 0; i < count; ++i)
      into.push_back(next++);
  };
  take(r.batch, dims.lhsBatch.size());
  take(r.m, lhsRank - dims.lhsBatch.size() - dims.lhsContract.size());
  take(r.n, rhsRank - dims.rhsBatch.size() - dims.rhsContract.size());
  return r;
}

DotList dotResultStrides(llvm::ArrayRef<int64_t> shape,
                         llvm::ArrayRef<int64_t> permutation) {
  if (permutation.empty())
    return rowMajorStrides(shape);
  DotList stored;
  for (int64_t p : permutation)
    stored.push_back(shape[p]);
  DotList strides = rowMajorStrides(stored), result(shape.size());
  for (auto [i, p] : llvm::enumerate(permutation))
    result[p] = strides[i];
  return result;
}

bool dotResultFits(llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<int64_t> permutation,
                   llvm::ArrayRef<int64_t> lhsShape,
                   llvm::ArrayRef<int64_t> rhsShape, const DotDims &dims) {
  DotResultDims r = dotResultDims(lhsShape.size(), rhsShape.size(), dims);
  DotList strides = dotResultStrides(shape, permutation);
  MergedDims m = mergeDims(r.m, shape, strides),
             n = mergeDims(r.n, shape, strides);
  // Matrix kernels need contiguous rows of the result.
  return m.fits && n.fits && (n.stride == 1 || n.size == 1);
}

} // namespace shardwright
