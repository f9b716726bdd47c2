//===- compare.h - comparison of arrays -------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_READERS_COMPARE_H
#define SHARDWRIGHT_RUNTIME_READERS_COMPARE_H

#include "shardwright/runtime/readers/array_reader.h"

namespace shardwright {

/// |got - expected| <= atol + rtol * |expected| for every element, as
/// numpy.allclose with equal_nan: NaN equals NaN, an infinity itself.
struct Comparison {
  int64_t elements = 0;
  int64_t mismatches = 0;
  /// Over elements that are finite in both arrays; relative if expected is not
  /// 0.
  double maxAbs = 0, maxRel = 0;
  /// Index of the first mismatch and the values there.
  llvm::SmallVector<int64_t, 4> firstBad;
  std::string gotThere, expectedThere;

  bool ok() const { return mismatches == 0; }
};

/// The largest finite |element|, or 0 if there is none. The error of sums that
/// cancel is of this scale, not of the element's scale.
llvm::Expected<double> largestMagnitude(ArrayReader &array);

/// Compares in windows. Fails if type or shape differ, or if reading fails.
llvm::Expected<Comparison> compareArrays(ArrayReader &got,
                                         ArrayReader &expected, double rtol,
                                         double atol);

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_READERS_COMPARE_H
