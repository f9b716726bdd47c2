//===- lowering_devices.cc - devices of the module being written ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/trace/lowering_devices.h"

#include <utility>

namespace shardwright::frontend {

static thread_local int64_t devices = 1;
static thread_local bool repeated = false;

int64_t loweringDevices() { return devices; }
bool isRepeatedLowering() { return repeated; }
ScopedLoweringDevices::ScopedLoweringDevices(int64_t count, bool isRepeated)
    : before(std::exchange(devices, count)),
      wasRepeated(std::exchange(repeated, isRepeated)) {}
ScopedLoweringDevices::~ScopedLoweringDevices() {
  devices = before;
  repeated = wasRepeated;
}

} // namespace shardwright::frontend
