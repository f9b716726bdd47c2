//===- clock.h - clocks for benchmarks --------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_BENCHMARKS_CLOCK_H
#define SHARDWRIGHT_BENCHMARKS_CLOCK_H

#include <chrono>
#include <ctime>

namespace shardwright {

/// Wall time in seconds since an arbitrary moment.
inline double wallSeconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// CPU time in seconds of all threads of this process.
inline double cpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

} // namespace shardwright

#endif // SHARDWRIGHT_BENCHMARKS_CLOCK_H
