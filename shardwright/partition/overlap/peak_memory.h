//===- peak_memory.h - predicted peak memory of one device ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The peak memory of the program of one device, from the lifetimes of its
// values; no code is generated. Arguments and results are alive during the
// whole run, as their holders allocate them. An argument that is donated to a
// result counts once. Other values are alive from the step that writes them to
// the last one that reads them (block_steps.h). Loops carry values in place.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OVERLAP_PEAK_MEMORY_H
#define SHARDWRIGHT_PARTITION_OVERLAP_PEAK_MEMORY_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/StringRef.h"

#include <array>
#include <vector>

namespace shardwright {

enum class MemoryClass : uint8_t {
  Argument,
  Result,
  /// An argument that is donated, and the result in its place.
  State,
  /// A value that a loop fills slice by slice, like the activations that the
  /// backward pass of a scan reads.
  Residual,
  /// The result of a collective that gathers.
  Gathered,
  Temporary,
};
constexpr int kMemoryClasses = 6;
/// `argument`, `result`, `state`, `residual`, `gathered`, `temporary`.
llvm::StringRef str(MemoryClass kind);

/// A value in memory at the peak.
struct HeldValue {
  /// The value that was written first; later ones may be in the same memory.
  mlir::Value value;
  MemoryClass kind = MemoryClass::Temporary;
  /// Of temporary memory with its alignment.
  int64_t bytes = 0;
  /// The index of the result or of the argument of @main; -1 for others.
  int64_t index = -1;
};

struct PredictedPeak {
  int64_t bytes = 0;
  /// The op at which it is reached; null if there are only arguments and
  /// results.
  mlir::Operation *op = nullptr;
  /// The largest first, then arguments and results before others, in program
  /// order. They add up to `bytes`.
  std::vector<HeldValue> values;

  std::array<int64_t, kMemoryClasses> bytesByClass() const;
};

/// The peak of one run of @main (or the only function) of a local module. Of
/// other modules, what the ops say: global shapes count in full. Nothing if
/// there is no such function. Linear in the number of ops.
PredictedPeak predictPeak(mlir::ModuleOp local);

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

#endif // SHARDWRIGHT_PARTITION_OVERLAP_PEAK_MEMORY_H
