//===- peak_use.h - slots alive at the memory peak --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_PROGRAM_PEAK_USE_H
#define SHARDWRIGHT_CPU_PROGRAM_PEAK_USE_H

#include "shardwright/cpu/program/program.h"

namespace shardwright::cpu {

/// The slots that are alive at the (first) step with the most live arena bytes.
struct PeakUse {
  struct Holder {
    SlotId slot;
    /// The last preceding step that wrote the slot; -1 if none did.
    int32_t writer = -1;
  };
  /// The step, or -1 if no slot is ever alive.
  int32_t step = -1;
  /// Live arena slots, largest first.
  llvm::SmallVector<Holder, 8> holders;
};

PeakUse peakUse(const Program &program);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_PROGRAM_PEAK_USE_H
