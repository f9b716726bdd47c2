//===- program_loops.cc - loops of a program ------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/program/program_loops.h"

#include "llvm/ADT/STLExtras.h"

namespace shardwright::cpu {

/// The earliest step that a step may jump to; the number of steps if it jumps
/// to none.
static int32_t earliestTarget(const Program &program, const Step &step) {
  switch (step.kind) {
  case StepKind::Jump:
  case StepKind::JumpIfFalse:
    return step.target;
  case StepKind::Switch: {
    const std::vector<int32_t> &targets = program.switchTargets[step.payload];
    return targets.empty() ? int32_t(program.steps.size())
                           : *llvm::min_element(targets);
  }
  default:
    return int32_t(program.steps.size());
  }
}

std::vector<ProgramLoop> programLoops(const Program &program) {
  struct Range {
    int32_t begin, jump;
  };
  std::vector<Range> ranges;
  for (auto [number, step] : llvm::enumerate(program.steps))
    if (int32_t target = earliestTarget(program, step);
        target >= 0 && target <= int32_t(number))
      ranges.push_back({target, int32_t(number)});
  llvm::sort(ranges, [](const Range &a, const Range &b) {
    return std::pair(a.begin, b.jump) < std::pair(b.begin, a.jump);
  });
  std::vector<ProgramLoop> loops;
  llvm::SmallVector<size_t, 4> around;
  for (auto [begin, jump] : ranges) {
    while (!around.empty() && loops[around.back()].end <= begin)
      around.pop_back();
    for (size_t loop : around)
      loops[loop].end = std::max(loops[loop].end, jump + 1);
    int32_t location = program.steps[jump].location;
    around.push_back(loops.size());
    loops.push_back(
        {begin, jump + 1,
         location < 0 ? std::string() : program.locations[location]});
  }
  return loops;
}

} // namespace shardwright::cpu
