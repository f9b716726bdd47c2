//===- blocking_threads.h - threads for blocking work -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_SUPPORT_BLOCKING_THREADS_H
#define SHARDWRIGHT_SUPPORT_BLOCKING_THREADS_H

#include "llvm/ADT/FunctionExtras.h"

namespace shardwright::cpu {

/// Maximum number of concurrent blocking tasks; further tasks are queued.
constexpr int mostBlockingThreads = 1024;

/// Runs `work`, which may block, on a thread of its own. Threads are reused,
/// and end after some seconds without work. If the system grants no more
/// threads, `work` is queued for an existing one. Returns false, without
/// running `work`, if there is none.
[[nodiscard]] bool runBlocking(llvm::unique_function<void()> work);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_SUPPORT_BLOCKING_THREADS_H
