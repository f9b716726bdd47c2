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

/// The memory of one array. Only the backend that made it looks inside; others
/// hold it by shared_ptr, and the memory is free when the last holder goes. It
/// may outlive its backend. Whether the elements are there yet is for the
/// holder to know: functions that read them take an event `after` that says so,
/// and the caller keeps the storage until the event that they return has
/// happened. Thread-safe.
class DeviceStorage {
public:
  virtual ~DeviceStorage();
  DeviceStorage(const DeviceStorage &) = delete;
  DeviceStorage &operator=(const DeviceStorage &) = delete;

  /// Where the host can read, and before anything else reads them write, the
  /// elements in place. Null: it cannot; copyToHost reads them.
  void *hostView() const { return view; }
  int64_t bytes() const { return size; }

  /// True if a program that is the only holder of this object may write into
  /// it: nobody outside has a claim on the memory.
  virtual bool mayOverwrite() const = 0;
  /// True if programs on that device may read it as it is.
  virtual bool isReadableAt(MemoryPlace place) const = 0;
  /// Copies bytes [offset, offset + size) to the host. `to` stays valid until
  /// the event has happened, which fails if `after` fails.
  virtual Event copyToHost(void *to, int64_t offset, int64_t size,
                           const Event &after) const = 0;
  /// The same elements in other memory. Errors: no memory there.
  virtual llvm::Expected<StorageTransfer> copyTo(MemoryPlace place,
                                                 const Event &after) const = 0;

protected:
  DeviceStorage(void *view, int64_t bytes) : view(view), size(bytes) {}

  void *view;
  int64_t size;
};

/// Storage whose elements are there, or failed to come, with `ready`.
struct StorageTransfer {
  std::shared_ptr<DeviceStorage> storage;
  Event ready;
};

/// An array in memory of the host. Elements stand `byteStrides` apart; empty:
/// dense, row-major.
struct HostArray {
  const void *data = nullptr;
  ElementType type = ElementType::F32;
  llvm::ArrayRef<int64_t> shape;
  llvm::ArrayRef<int64_t> byteStrides;

  bool isDense() const;
};

} // namespace shardwright

#endif // SHARDWRIGHT_BACKEND_STORAGE_H
