//===- loaded_program.cc - programs on devices ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/backend/loaded_program.h"

namespace shardwright {

std::vector<std::pair<std::string, double>> CostAnalysis::named() const {
  std::vector<std::pair<std::string, double>> out;
  auto add = [&](std::string name, double value) {
    if (value != 0)
      out.emplace_back(std::move(name), value);
  };
  add("flops", flops);
  add("transcendentals", transcendentals);
  add("bytes accessed", bytesAccessed);
  for (size_t i = 0; i < operands.size(); ++i) {
    add("bytes accessed" + std::to_string(i) + "{}", operands[i].bytes);
    add("utilization" + std::to_string(i) + "{}", operands[i].uses);
  }
  add("bytes accessedout{}", bytesWritten);
  return out;
}

} // namespace shardwright
