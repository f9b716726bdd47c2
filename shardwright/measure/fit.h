//===- fit.h - numbers of a machine from measured times ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_MEASURE_FIT_H
#define SHARDWRIGHT_MEASURE_FIT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <vector>

namespace shardwright {

/// A positive number to find, between two limits.
struct FitParameter {
  double *value = nullptr;
  double least = 0, most = 0;
};

/// The sum of the squared logarithms of predicted / measured.
double fitError(llvm::ArrayRef<double> measured,
                llvm::function_ref<double(size_t i)> predict);

/// Changes the parameters so that `fitError` becomes small: an error of 10%
/// counts the same for a short and a long time. `predict` gives the predicted
/// time of program `i` with the current values. Deterministic.
void fitParameters(llvm::ArrayRef<FitParameter> parameters,
                   llvm::ArrayRef<double> measured,
                   llvm::function_ref<double(size_t i)> predict);

} // namespace shardwright

#endif // SHARDWRIGHT_MEASURE_FIT_H
