//===- memory_curve.h - predicted memory over the program -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OVERLAP_MEMORY_CURVE_H
#define SHARDWRIGHT_PARTITION_OVERLAP_MEMORY_CURVE_H

#include "shardwright/partition/overlap/peak_memory.h"

namespace shardwright {

/// The memory of one device while an op of @main, or of a loop or branch in it,
/// runs. A call counts with the peak of its function.
struct MemoryPoint {
  mlir::Operation *op = nullptr;
  std::array<int64_t, kMemoryClasses> bytesByClass{};

  int64_t bytes() const;
};

/// In the order of the program; each op of a loop once or, where its buffers
/// are copied, several times. The largest point has the bytes of
/// `predictPeak(local)`, which is `peak`, unless the program computes nothing.
std::vector<MemoryPoint> predictMemoryCurve(mlir::ModuleOp local,
                                            const PredictedPeak &peak);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OVERLAP_MEMORY_CURVE_H
