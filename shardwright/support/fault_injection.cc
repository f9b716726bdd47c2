//===- fault_injection.cc - failures injected by tests --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/support/fault_injection.h"

#include <cassert>
#include <mutex>

using namespace shardwright::cpu;

std::atomic<bool> shardwright::cpu::detail::faultIsSet{false};

namespace {
std::mutex mutex;
FaultKind kindSet;
int32_t deviceSet;
int64_t eventsLeft; ///< before the failing one; negative: it has happened
} // namespace

InjectedFault::InjectedFault(FaultKind kind, int32_t device, int64_t after) {
  std::lock_guard lock(mutex);
  assert(!detail::faultIsSet && "one fault at a time");
  kindSet = kind;
  deviceSet = device;
  eventsLeft = after;
  detail::faultIsSet = true;
}

InjectedFault::~InjectedFault() {
  std::lock_guard lock(mutex);
  detail::faultIsSet = false;
}

bool InjectedFault::happened() const {
  std::lock_guard lock(mutex);
  return eventsLeft < 0;
}

static std::atomic<int64_t> memoryPretended{0};

PretendedMemory::PretendedMemory(int64_t bytes) {
  assert(memoryPretended == 0 && "one at a time");
  memoryPretended = bytes;
}

PretendedMemory::~PretendedMemory() { memoryPretended = 0; }

int64_t shardwright::cpu::pretendedMemory() {
  return memoryPretended.load(std::memory_order_relaxed);
}

bool shardwright::cpu::detail::isFaultDue(FaultKind kind, int32_t device) {
  std::lock_guard lock(mutex);
  if (!faultIsSet || kind != kindSet || eventsLeft < 0 ||
      (deviceSet >= 0 && device != deviceSet))
    return false;
  return eventsLeft-- == 0;
}
