//===- run_times.h - median and spread of run times -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_RUN_TIMES_H
#define SHARDWRIGHT_REPORT_RUN_TIMES_H

#include "llvm/ADT/ArrayRef.h"

namespace shardwright {

/// Of a list of numbers. Quartiles interpolate linearly between neighbours, as
/// numpy.percentile does.
struct Spread {
  double least = 0, lowerQuartile = 0, median = 0, upperQuartile = 0, most = 0;
};

/// All zero for an empty list.
Spread spreadOf(llvm::ArrayRef<double> numbers);

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_RUN_TIMES_H
