//===- peak_use.cc - slots alive at the memory peak -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/program/peak_use.h"

#include "shardwright/cpu/program/memory_plan.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace shardwright;
using namespace shardwright::cpu;

PeakUse cpu::peakUse(const Program &program) {
  auto ranges = liveRanges(program);
  std::vector<int64_t> change(program.steps.size() + 1, 0);
  for (SlotId s = 0; s < SlotId(ranges.size()); ++s)
    for (LiveRange r : ranges[s]) {
      change[r.begin] += program.slots[s].bytes();
      change[r.end] -= program.slots[s].bytes();
    }
  PeakUse peak;
  int64_t now = 0, most = 0;
  for (int32_t i = 0; i < int32_t(program.steps.size()); ++i)
    if ((now += change[i]) > most) {
      most = now;
      peak.step = i;
    }
  llvm::DenseMap<SlotId, int32_t> writers;
  for (int32_t i = 0; i <= peak.step; ++i)
    for (SlotId out : program.steps[i].outputs)
      writers[baseOf(program, out)] = i;
  for (SlotId s = 0; s < SlotId(ranges.size()); ++s)
    if (llvm::any_of(ranges[s], [&](LiveRange r) {
          return r.begin <= peak.step && peak.step < r.end;
        })) {
      auto it = writers.find(s);
      peak.holders.push_back({s, it == writers.end() ? -1 : it->second});
    }
  llvm::sort(peak.holders, [&](PeakUse::Holder a, PeakUse::Holder b) {
    return std::pair(-program.slots[a.slot].bytes(), a.slot) <
           std::pair(-program.slots[b.slot].bytes(), b.slot);
  });
  return peak;
}
