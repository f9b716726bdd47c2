//===- start_thread.h - threads that may be refused -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_SUPPORT_START_THREAD_H
#define SHARDWRIGHT_SUPPORT_START_THREAD_H

#include "shardwright/support/fault_injection.h"

#include <system_error>
#include <thread>

namespace shardwright::cpu {

/// Runs `work` on a new thread. Returns false if the system grants none, for
/// which std::thread throws an exception.
template <typename F>
[[nodiscard]] bool startThread(std::thread &thread, F work) {
  if (isFaultDue(FaultKind::Thread))
    return false;
  try {
    thread = std::thread(std::move(work));
    return true;
  } catch (const std::system_error &) {
    return false;
  }
}

/// As above, for a thread that nobody waits for.
template <typename F> [[nodiscard]] bool startThread(F work) {
  std::thread thread;
  if (!startThread(thread, std::move(work)))
    return false;
  thread.detach();
  return true;
}

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_SUPPORT_START_THREAD_H
