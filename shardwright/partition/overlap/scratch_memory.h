//===- scratch_memory.h - memory that ops need while they run ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OVERLAP_SCRATCH_MEMORY_H
#define SHARDWRIGHT_PARTITION_OVERLAP_SCRATCH_MEMORY_H

#include "mlir/IR/Operation.h"

namespace shardwright {

/// Bytes that the op needs beside its operands and results while it runs:
/// gathered patches and reordered kernels of convolutions, workspace of
/// LAPACK's functions and copies of matrices. An estimate where libraries
/// decide. 0 for other ops, and for tensors of dynamic shape.
int64_t scratchBytes(mlir::Operation *op);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OVERLAP_SCRATCH_MEMORY_H
