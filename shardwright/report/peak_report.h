//===- peak_report.h - the predicted peak memory in words -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_PEAK_REPORT_H
#define SHARDWRIGHT_REPORT_PEAK_REPORT_H

#include "shardwright/partition/overlap/peak_memory.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"

#include <string>

namespace shardwright {

/// The predicted peak memory of one device. Independent of the module.
struct PeakReport {
  struct Value {
    MemoryClass kind;
    int64_t bytes;
    /// `x`, `%12 = dot_general (file.py:12)`
    std::string what;
    std::string type; ///< of one device, `4x16xf32`
  };
  int64_t bytes = 0;
  std::string place; ///< the op at the peak; may be empty
  std::array<int64_t, kMemoryClasses> bytesByClass{};
  /// What is alive at the peak: the largest values, and how many there are.
  std::vector<Value> largest;
  int64_t numValues = 0;

  /// Values that reports name.
  static constexpr int64_t kMostNamed = 5;
};

/// Returns the name of argument (true) or result (false) `index` of the
/// program.
using BoundaryNames = llvm::function_ref<std::string(bool, int64_t)>;
/// Returns the user's name of a value that is no result, or an empty string.
using InnerNames = llvm::function_ref<std::string(mlir::Value)>;
PeakReport describePeak(const PredictedPeak &peak, BoundaryNames names,
                        InnerNames innerNames);

/// Writes the peak, its place and the largest values; a few lines.
void writeText(const PeakReport &peak, llvm::raw_ostream &os);
llvm::json::Object toJson(const PeakReport &peak);

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_PEAK_REPORT_H
