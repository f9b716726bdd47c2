//===- run_times.cc - median and spread of run times ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/run_times.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <vector>

namespace shardwright {

Spread spreadOf(llvm::ArrayRef<double> numbers) {
  if (numbers.empty())
    return {};
  std::vector<double> sorted = numbers.vec();
  llvm::sort(sorted);
  auto at = [&](double fraction) {
    double position = fraction * double(sorted.size() - 1);
    size_t below = size_t(std::floor(position));
    size_t above = std::min(below + 1, sorted.size() - 1);
    double weight = position - double(below);
    return sorted[below] * (1 - weight) + sorted[above] * weight;
  };
  return {sorted.front(), at(0.25), at(0.5), at(0.75), sorted.back()};
}

} // namespace shardwright
