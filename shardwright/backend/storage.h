//===- storage.h - the memory of one array on one device --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_BACKEND_STORAGE_H
#define SHARDWRIGHT_BACKEND_STORAGE_H

#include "shardwright/backend/array_type.h"
#include "shardwright/backend/device.h"
#include "shardwright/support/event.h"

#include <memory>

namespace shardwright {

struct StorageTransfer;

/// The memory of one array. Only the backend that created it accesses the
/// elements. Other code holds it by shared_ptr, and the last holder frees the
/// memory. It may outlive its backend. The holder must know when the elements
/// are available: functions that read them wait for an event `after`, and the
/// caller must keep the storage until the event that they return is set.
/// Thread-safe.
class DeviceStorage {
public:
  virtual ~DeviceStorage();
  DeviceStorage(const DeviceStorage &) = delete;
  DeviceStorage &operator=(const DeviceStorage &) = delete;

  /// The address where the host can read the elements in place, and write them
  /// before their first read. Null if it cannot; then use copyToHost.
  void *hostView() const { return view; }
  int64_t bytes() const { return size; }

  /// True if a program that is the only holder of this object may write to it,
  /// because no outside code can access the memory.
  virtual bool mayOverwrite() const = 0;
  /// True if programs on that device may read it in place.
  virtual bool isReadableAt(MemoryPlace place) const = 0;
  /// Copies bytes [offset, offset + size) to the host. `to` must stay valid
  /// until the event is set; the event fails if `after` fails.
  virtual Event copyToHost(void *to, int64_t offset, int64_t size,
                           const Event &after) const = 0;
  /// Copies the elements to other memory. Fails if that memory is exhausted.
  virtual llvm::Expected<StorageTransfer> copyTo(MemoryPlace place,
                                                 const Event &after) const = 0;

protected:
  DeviceStorage(void *view, int64_t bytes) : view(view), size(bytes) {}

  void *view;
  int64_t size;
};

/// Storage whose elements are available, or have failed, with `ready`.
struct StorageTransfer {
  std::shared_ptr<DeviceStorage> storage;
  Event ready;
};

/// An array in host memory. `byteStrides` is empty for dense, row-major arrays.
struct HostArray {
  const void *data = nullptr;
  ElementType type = ElementType::F32;
  llvm::ArrayRef<int64_t> shape;
  llvm::ArrayRef<int64_t> byteStrides;

  bool isDense() const;
};

} // namespace shardwright

#endif // SHARDWRIGHT_BACKEND_STORAGE_H
