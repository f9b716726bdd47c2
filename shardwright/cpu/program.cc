//===- program.cc - a compiled per-device program -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/program.h"

#include <limits>

using namespace shardwright;
using namespace shardwright::cpu;

int64_t Slot::elements() const {
  int64_t n = 1;
  for (int64_t size : shape)
    if (size <= 0)
      return 0;
  // Saturates: a slot that large fails when its arena is allocated.
  for (int64_t size : shape)
    if (__builtin_mul_overflow(n, size, &n))
      return std::numeric_limits<int64_t>::max() / 16;
  return n;
}
