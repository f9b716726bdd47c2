//===- fault_injection.h - failures that tests ask for ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For tests alone: no option, variable or file reaches it. Without a fault each
// question costs one load of a variable that nobody writes.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_SUPPORT_FAULT_INJECTION_H
#define SHARDWRIGHT_SUPPORT_FAULT_INJECTION_H

#include <atomic>
#include <cstdint>

namespace shardwright::cpu {

enum class FaultKind {
  Allocation, ///< of host memory: arrays, shards, arenas (host_memory.h)
  Kernel,     ///< a kernel of one device, after it has run
  Collective, ///< a device that comes to a collective
};

/// While it lives, the event of this kind number `after` (0: the next; on
/// `device` only, when that is not negative) fails, once. One at a time in a
/// process; events of all threads count.
class InjectedFault {
public:
  explicit InjectedFault(FaultKind kind, int32_t device = -1,
                         int64_t after = 0);
  ~InjectedFault();
  InjectedFault(const InjectedFault &) = delete;
  InjectedFault &operator=(const InjectedFault &) = delete;

  bool happened() const;
};

/// While it lives, the machine has so many bytes of memory (host_memory.h). One
/// at a time in a process.
class PretendedMemory {
public:
  explicit PretendedMemory(int64_t bytes);
  ~PretendedMemory();
  PretendedMemory(const PretendedMemory &) = delete;
  PretendedMemory &operator=(const PretendedMemory &) = delete;
};
/// 0: as much as it has.
int64_t pretendedMemory();

/// The text of errors that come from an injected fault.
constexpr char injectedFaultText[] = "injected fault";

namespace detail {
extern std::atomic<bool> faultIsSet;
bool isFaultDue(FaultKind kind, int32_t device);
} // namespace detail

/// Whether this event is to fail; counts it.
inline bool isFaultDue(FaultKind kind, int32_t device = -1) {
  return __builtin_expect(detail::faultIsSet.load(std::memory_order_relaxed),
                          false) &&
         detail::isFaultDue(kind, device);
}

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_SUPPORT_FAULT_INJECTION_H
