//===- fit.cc - numbers of a machine from measured times ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/measure/fit.h"

#include <algorithm>
#include <cmath>

using namespace shardwright;

double shardwright::fitError(llvm::ArrayRef<double> measured,
                             llvm::function_ref<double(size_t)> predict) {
  double sum = 0;
  for (size_t i = 0; i < measured.size(); ++i) {
    double ratio =
        std::log(std::max(predict(i), 1e-12) / std::max(measured[i], 1e-12));
    sum += ratio * ratio;
  }
  return sum;
}

void shardwright::fitParameters(llvm::ArrayRef<FitParameter> parameters,
                                llvm::ArrayRef<double> measured,
                                llvm::function_ref<double(size_t)> predict) {
  // Coordinate descent with shrinking steps: a maximum of several terms has no
  // gradient where they change places, and there are few parameters.
  double best = fitError(measured, predict);
  for (double factor = 4; factor > 1.002; factor = std::pow(factor, 0.7)) {
    constexpr int kMostRounds = 20;
    for (int round = 0; round < kMostRounds; ++round) {
      bool isBetter = false;
      for (const FitParameter &parameter : parameters)
        for (double step : {factor, 1 / factor}) {
          double old = *parameter.value;
          *parameter.value =
              std::clamp(old * step, parameter.least, parameter.most);
          double error = fitError(measured, predict);
          if (error < best) {
            best = error;
            isBetter = true;
          } else {
            *parameter.value = old;
          }
        }
      if (!isBetter)
        break;
    }
  }
}
