//===- blocking_threads.h - threads for work that waits ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_SUPPORT_BLOCKING_THREADS_H
#define SHARDWRIGHT_SUPPORT_BLOCKING_THREADS_H

#include "llvm/ADT/FunctionExtras.h"

namespace shardwright::cpu {

/// So many pieces of work that wait go on at one time; more wait for a thread.
constexpr int mostBlockingThreads = 1024;

/// Runs `work` soon, on a thread that no other work waits for: it may block as
/// long as it likes. Threads that are done serve the next, and go after some
/// seconds without work. Where the system grants no more threads, `work` waits
/// for one that there is; false, and nothing happens: there is none at all.
[[nodiscard]] bool runBlocking(llvm::unique_function<void()> work);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_SUPPORT_BLOCKING_THREADS_H
