//===- buffer.h - an array on one device ------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_BUFFER_H
#define SHARDWRIGHT_RUNTIME_BUFFER_H

#include "shardwright/backend/storage.h"

#include "llvm/ADT/FunctionExtras.h"

namespace shardwright {

/// A dense row-major array on one device, or its promise: `ready` tells when
/// the elements are there, and whether they came. Client makes buffers of
/// arrays of the host. Elements never change. Copies of a Buffer are the same
/// buffer: deleting or donating one ends all of them, and every later use is an
/// error that says so. Thread-safe.
class Buffer {
public:
  /// Elements already there, or to come with `ready`.
  Buffer(DeviceId device, MemoryKind memory, ElementType type,
         llvm::ArrayRef<int64_t> shape, std::shared_ptr<DeviceStorage> storage,
         Event ready = Event::ready());

  DeviceId device() const;
  MemoryKind memory() const;
  ElementType type() const;
  llvm::ArrayRef<int64_t> shape() const;
  int64_t elements() const;
  int64_t bytes() const;
  const Event &ready() const;

  bool isDeleted() const;
  bool isDonated() const;
  /// The memory goes when the last user of it is done.
  void remove();

  /// Waits for the elements. They lie in the buffer's own memory, of which the
  /// result shares ownership, where the host can address that; else in a copy.
  /// Errors: deleted, donated, or the work that should have made them failed.
  llvm::Expected<std::shared_ptr<const void>> await() const;
  /// Waits, and copies `bytes()` bytes.
  llvm::Error copyTo(void *host) const;
  /// Calls `work` with the elements once they are there, as `await` gives them;
  /// on any thread. The event happens when `work` has returned, and fails
  /// without it when there will be no elements. Errors: deleted or donated.
  llvm::Expected<Event>
  whenOnHost(llvm::unique_function<void(const void *)> work) const;
  /// The same elements on another device or in other memory; shared where that
  /// device can read them as they are.
  llvm::Expected<Buffer> on(DeviceId device, MemoryKind memory) const;
  /// The same elements in memory of their own, once they are there.
  llvm::Expected<Buffer> copy() const;

  /// For a run: the memory, whether or not the elements are there yet.
  llvm::Expected<std::shared_ptr<DeviceStorage>> storage() const;
  /// What a run gets that may overwrite the elements.
  struct Donation {
    std::shared_ptr<DeviceStorage> storage;
    /// Nobody else reads it: no other buffer, tensor, run or caller.
    bool isExclusive = false;
  };
  /// Ends this buffer.
  llvm::Expected<Donation> donate();
  /// For a run that could not begin: the buffer is as it was before `donate`.
  void takeBack(std::shared_ptr<DeviceStorage> storage);

private:
  llvm::Expected<Buffer> copyTo(MemoryPlace place) const;
  struct State;
  std::shared_ptr<State> state;
};

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_BUFFER_H
