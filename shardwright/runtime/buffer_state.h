//===- buffer_state.h - the state of a buffer -------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal to runtime: a run reads the buffers of its arguments directly.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_BUFFER_STATE_H
#define SHARDWRIGHT_RUNTIME_BUFFER_STATE_H

#include "shardwright/runtime/buffer.h"

#include <mutex>

namespace shardwright {

struct Buffer::State {
  enum class Life : uint8_t { Live, Deleted, Donated };

  State(DeviceId device, MemoryKind memory, ElementType type,
        llvm::ArrayRef<int64_t> sizes, std::shared_ptr<DeviceStorage> storage,
        Event ready)
      : device(device), memory(memory), type(type), shape(sizes),
        ready(std::move(ready)), storage(std::move(storage)) {
    for (int64_t size : sizes)
      elements *= size;
  }

  const DeviceId device;
  const MemoryKind memory;
  const ElementType type;
  const llvm::SmallVector<int64_t, 4> shape;
  int64_t elements = 1;
  const Event ready;

  // Guarded by the mutex.
  mutable std::mutex mutex;
  Life life = Life::Live;
  std::shared_ptr<DeviceStorage> storage;

  /// The storage, or the error that the buffer is not live. Requires the mutex.
  llvm::Expected<std::shared_ptr<DeviceStorage>> use() const;
};

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_BUFFER_STATE_H
