//===- lowering_devices.h - devices of the module being written -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_TRACE_LOWERING_DEVICES_H
#define SHARDWRIGHT_FRONTEND_TRACE_LOWERING_DEVICES_H

#include <cstdint>

namespace shardwright::frontend {

/// The number of devices of the module that this thread writes; 1 if it writes
/// none.
int64_t loweringDevices();
/// True if this thread has written the module before, and writes it again.
bool isRepeatedLowering();

/// Sets these for a scope.
class ScopedLoweringDevices {
public:
  explicit ScopedLoweringDevices(int64_t count, bool isRepeated = false);
  ~ScopedLoweringDevices();
  ScopedLoweringDevices(const ScopedLoweringDevices &) = delete;
  ScopedLoweringDevices &operator=(const ScopedLoweringDevices &) = delete;

private:
  int64_t before;
  bool wasRepeated;
};

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_TRACE_LOWERING_DEVICES_H
