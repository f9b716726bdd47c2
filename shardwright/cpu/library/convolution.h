//===- convolution.h - a convolution as sizes and strides -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_LIBRARY_CONVOLUTION_H
#define SHARDWRIGHT_CPU_LIBRARY_CONVOLUTION_H

#include "shardwright/cpu/library/library_op.h"

namespace shardwright::cpu {

/// A convolution without dimension numbers: every role has a stride, in
/// elements, into the dense arrays. Spatial vectors have one entry per spatial
/// dimension.
struct Convolution {
  ElementType type, outType;
  /// Of the full operands.
  int64_t batch, inFeatures, outFeatures;
  int64_t featureGroups, batchGroups;
  Shape in, kernel, out;
  Shape stride, low, high, inDilation, kernelDilation, reversed;

  int64_t inBatchStride, inFeatureStride, kernelInStride, kernelOutStride,
      outBatchStride, outFeatureStride;
  Shape inStride, kernelStride, outStride;

  size_t spatial() const { return in.size(); }
  int64_t groups() const { return featureGroups * batchGroups; }
  /// Sizes of one group.
  int64_t groupIn() const { return inFeatures / featureGroups; }
  int64_t groupOut() const { return outFeatures / groups(); }
  int64_t outBatch() const { return batch / batchGroups; }
  double flops() const;
};

/// Gathers patches and multiplies them with the kernel: any shape, any type.
llvm::Expected<LibraryOp> makeGenericConvolution(const Convolution &c);

/// Calls oneDNN; nullopt if oneDNN has no fast kernel.
std::optional<LibraryOp> makeOneDnnConvolution(const Convolution &c);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_LIBRARY_CONVOLUTION_H
