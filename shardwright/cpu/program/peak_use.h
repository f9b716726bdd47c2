//===- peak_use.h - what is alive where memory is fullest -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_PROGRAM_PEAK_USE_H
#define SHARDWRIGHT_CPU_PROGRAM_PEAK_USE_H

#include "shardwright/cpu/program/program.h"

namespace shardwright::cpu {

/// What is alive at the (first) step where most bytes of the arena are.
struct PeakUse {
  struct Holder {
    SlotId slot;
    /// The last step up to then that wrote it; -1 if none did.
    int32_t writer = -1;
  };
  /// -1: nothing is ever alive.
  int32_t step = -1;
  /// Slots of the arena, the largest first.
  llvm::SmallVector<Holder, 8> holders;
};

PeakUse peakUse(const Program &program);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_PROGRAM_PEAK_USE_H
