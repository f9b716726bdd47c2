//===- program.cc - a compiled per-device program -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/program/program.h"

#include <atomic>
#include <limits>

using namespace shardwright;
using namespace shardwright::cpu;

int64_t Slot::elements() const {
  int64_t n = 1;
  for (int64_t size : shape)
    if (size <= 0)
      return 0;
  // Saturates; such a slot fails when its arena is allocated.
  for (int64_t size : shape)
    if (__builtin_mul_overflow(n, size, &n))
      return std::numeric_limits<int64_t>::max() / 16;
  return n;
}

/// Total number of failures. Checking it after each kernel is cheaper than
/// checking a thread-local.
static std::atomic<int64_t> kernelFailures{0};
static thread_local std::unique_ptr<std::string> kernelFailure;

void cpu::failKernel(llvm::StringRef message) {
  kernelFailure = std::make_unique<std::string>(message);
  ++kernelFailures;
}

std::unique_ptr<std::string> cpu::takeKernelFailure() {
  if (kernelFailures.load(std::memory_order_relaxed) == 0)
    return nullptr;
  return std::move(kernelFailure);
}
