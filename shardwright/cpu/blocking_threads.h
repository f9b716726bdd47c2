//===- blocking_threads.h - threads for work that waits ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_BLOCKING_THREADS_H
#define SHARDWRIGHT_CPU_BLOCKING_THREADS_H

#include "llvm/ADT/FunctionExtras.h"

namespace shardwright::cpu {

/// Runs `work` soon, on a thread that no other work waits for: it may block as
/// long as it likes. Threads that are done serve the next, and go after some
/// seconds without work.
void runBlocking(llvm::unique_function<void()> work);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_BLOCKING_THREADS_H
