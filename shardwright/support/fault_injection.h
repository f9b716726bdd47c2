//===- fault_injection.h - failures injected by tests -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For tests only: no option, variable or file enables it. Without a fault each
// check costs one load of a variable that is never written.
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
  Collective, ///< the arrival of a device at a collective
  Thread,     ///< the start of a thread (start_thread.h)
};

/// During its lifetime, makes event number `after` of this kind fail once (0:
/// the next). Only events on `device` count, unless it is negative. Events of
/// all threads count. A process may have one such object at a time.
class InjectedFault {
public:
  explicit InjectedFault(FaultKind kind, int32_t device = -1,
                         int64_t after = 0);
  ~InjectedFault();
  InjectedFault(const InjectedFault &) = delete;
  InjectedFault &operator=(const InjectedFault &) = delete;

  bool happened() const;
};

/// During its lifetime, limits the machine's memory to this many bytes
/// (host_memory.h). A process may have one such object at a time.
class PretendedMemory {
public:
  explicit PretendedMemory(int64_t bytes);
  ~PretendedMemory();
  PretendedMemory(const PretendedMemory &) = delete;
  PretendedMemory &operator=(const PretendedMemory &) = delete;
};
/// The limit in bytes, or 0 if there is none.
int64_t pretendedMemory();

/// The text of errors that come from an injected fault.
constexpr char injectedFaultText[] = "injected fault";

namespace detail {
extern std::atomic<bool> faultIsSet;
bool isFaultDue(FaultKind kind, int32_t device);
} // namespace detail

/// Counts the event; true if it must fail.
inline bool isFaultDue(FaultKind kind, int32_t device = -1) {
  return __builtin_expect(detail::faultIsSet.load(std::memory_order_relaxed),
                          false) &&
         detail::isFaultDue(kind, device);
}

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_SUPPORT_FAULT_INJECTION_H
