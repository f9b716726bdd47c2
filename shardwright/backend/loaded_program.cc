//===- loaded_program.cc - programs on devices ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/backend/loaded_program.h"

namespace shardwright {

GatheredRun::~GatheredRun() = default;

llvm::Expected<std::shared_ptr<GatheredRun>>
LoadedProgram::gather(Backend &, llvm::ArrayRef<DeviceId>,
                      std::optional<int32_t>) {
  return llvm::createStringError(
      "UNIMPLEMENTED: devices of backend " + backendName() +
      " cannot start a program one by one; start it on all of its devices in "
      "one call");
}

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
