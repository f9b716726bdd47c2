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

DotSpec makeDotSpec(llvm::ArrayRef<int64_t> lhsShape,
                    llvm::ArrayRef<int64_t> lhsOrder,
                    llvm::ArrayRef<int64_t> rhsShape,
                    llvm::ArrayRef<int64_t> rhsOrder,
                    llvm::ArrayRef<int64_t> outOrder, const DotDims &dims) {
  DotSpec spec;
  Shape lhsStrides = dotOperandStrides(lhsShape, lhsOrder);
  Shape rhsStrides = dotOperandStrides(rhsShape, rhsOrder);
  auto [lhsContract, rhsContract] = dotContractOrder(dims);
  Shape lhsFree = dotFreeDims(lhsShape.size(), dims.lhsBatch, lhsContract);
  Shape rhsFree = dotFreeDims(rhsShape.size(), dims.rhsBatch, rhsContract);
  DotResultDims r = dotResultDims(lhsShape.size(), rhsShape.size(), dims);
  Shape outShape;
  for (int64_t d : dims.lhsBatch)
    outShape.push_back(lhsShape[d]);
  for (int64_t d : lhsFree)
    outShape.push_back(lhsShape[d]);
  for (int64_t d : rhsFree)
    outShape.push_back(rhsShape[d]);
  Shape outStrides = dotResultStrides(outShape, outOrder);
  for (auto [l, rd, o] :
       llvm::zip_equal(dims.lhsBatch, dims.rhsBatch, r.batch)) {
    spec.batch.push_back(lhsShape[l]);
    spec.lhsBatchStrides.push_back(lhsStrides[l]);
    spec.rhsBatchStrides.push_back(rhsStrides[rd]);
    spec.outBatchStrides.push_back(outStrides[o]);
  }
  MergedDims lm = mergeDims(lhsFree, lhsShape, lhsStrides);
  MergedDims lk = mergeDims(lhsContract, lhsShape, lhsStrides);
  MergedDims rk = mergeDims(rhsContract, rhsShape, rhsStrides);
  MergedDims rn = mergeDims(rhsFree, rhsShape, rhsStrides);
  spec.m = lm.size;
  spec.n = rn.size;
  spec.k = lk.size;
  spec.lhsStrideM = lm.stride;
  spec.lhsStrideK = lk.stride;
  spec.rhsStrideK = rk.stride;
  spec.rhsStrideN = rn.stride;
  spec.outStrideM = mergeDims(r.m, outShape, outStrides).stride;
  spec.outStrideN = mergeDims(r.n, outShape, outStrides).stride;
  return spec;
}

} // namespace shardwright::cpu
