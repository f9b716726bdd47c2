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

class Executable;

/// A dense row-major array on one device, or its promise: the event `ready`
/// says when the elements are available or have failed. Client creates buffers
/// from host arrays. Elements never change. Copies of a Buffer are the same
/// buffer: deleting or donating one deletes all of them, and every later use is
/// an error. Thread-safe.
class Buffer {
public:
  /// The elements are available now or with `ready`.
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

  /// Neither deleted nor donated.
  bool isLive() const;
  bool isDeleted() const;
  bool isDonated() const;
  /// The memory is freed when its last user is done.
  void remove();

  /// Waits for the elements. Returns shared ownership of the buffer's memory if
  /// the host can address it, else of a copy. Fails if the buffer is deleted or
  /// donated, or if the work that produces the elements failed.
  llvm::Expected<std::shared_ptr<const void>> await() const;
  /// Waits for the elements, then copies `bytes()` bytes.
  llvm::Error copyTo(void *host) const;
  /// Calls `work` with the elements, as returned by `await`, once they are
  /// available, on any thread. The event is set when `work` has returned, and
  /// fails without calling `work` if the elements failed. Fails if the buffer
  /// is deleted or donated.
  llvm::Expected<Event>
  whenOnHost(llvm::unique_function<void(const void *)> work) const;
  /// The same elements on another device or in other memory; shared if that
  /// device can read them in place.
  llvm::Expected<Buffer> on(DeviceId device, MemoryKind memory) const;
  /// A copy of the elements, made once they are available.
  llvm::Expected<Buffer> copy() const;

  /// The memory for a run, even if the elements are not available yet.
  llvm::Expected<std::shared_ptr<DeviceStorage>> storage() const;
  /// The memory for a run that may overwrite the elements.
  struct Donation {
    std::shared_ptr<DeviceStorage> storage;
    /// No other buffer, tensor, run or caller reads it.
    bool isExclusive = false;
  };
  /// Deletes this buffer.
  llvm::Expected<Donation> donate();
  /// Undoes `donate` for a run that could not start.
  void takeBack(std::shared_ptr<DeviceStorage> storage);

private:
  friend class Executable;
  llvm::Expected<Buffer> copyTo(MemoryPlace place) const;
  struct State;
  std::shared_ptr<State> state;
};

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_BUFFER_H
