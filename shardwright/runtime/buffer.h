//===- buffer.h - an array on one device ------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_BUFFER_H
#define SHARDWRIGHT_RUNTIME_BUFFER_H

#include "shardwright/runtime/event.h"
#include "shardwright/support/element_type.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <functional>

namespace shardwright {

/// All are host memory here; programs and frameworks tell them apart.
enum class MemoryKind : uint8_t { Device, PinnedHost, UnpinnedHost };
/// `device`, `pinned_host`, `unpinned_host`.
llvm::StringRef str(MemoryKind kind);
std::optional<MemoryKind> memoryKindNamed(llvm::StringRef name);

/// A dense row-major array on one virtual device, or its promise: `ready` tells
/// when the elements are there, and whether they came. Elements never change.
/// Copies of a Buffer are the same buffer: deleting or donating one ends all of
/// them, and every later use is an error that says so. Thread-safe.
class Buffer {
public:
  /// Elements already there, or to come with `ready`. Kernels want `data`
  /// aligned to 64 bytes.
  Buffer(int32_t device, MemoryKind memory, ElementType type,
         llvm::ArrayRef<int64_t> shape, std::shared_ptr<void> data,
         Event ready = Event::ready());

  /// A copy of host memory, whose elements stand `byteStrides` apart (empty:
  /// dense, row-major).
  static llvm::Expected<Buffer> copyOf(const void *host, ElementType type,
                                       llvm::ArrayRef<int64_t> shape,
                                       llvm::ArrayRef<int64_t> byteStrides,
                                       int32_t device,
                                       MemoryKind memory = MemoryKind::Device);
  /// The host memory itself where it is dense and aligned to 64 bytes, else a
  /// copy. It must not change until `release` is called, which happens once;
  /// not at all on an error (no memory for a copy).
  static llvm::Expected<Buffer> viewOf(const void *host, ElementType type,
                                       llvm::ArrayRef<int64_t> shape,
                                       int32_t device,
                                       std::function<void()> release,
                                       MemoryKind memory = MemoryKind::Device);

  int32_t device() const;
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

  /// The elements once they are there; shares ownership. Errors: deleted,
  /// donated, or the work that should have made them failed.
  llvm::Expected<std::shared_ptr<const void>> await() const;
  /// Waits, and copies `bytes()` bytes.
  llvm::Error copyTo(void *host) const;
  /// The same elements on another device or in other memory; shared, since
  /// they never change.
  llvm::Expected<Buffer> on(int32_t device, MemoryKind memory) const;

  /// The same elements in memory of their own, once they are there.
  llvm::Expected<Buffer> copy() const;

  /// For a run: the memory, whether or not the elements are there yet.
  llvm::Expected<std::shared_ptr<void>> storage() const;
  /// What a run gets that may overwrite the elements.
  struct Donation {
    std::shared_ptr<void> memory;
    /// Nobody else reads it: no other buffer, tensor, run or caller.
    bool isExclusive = false;
  };
  /// Ends this buffer.
  llvm::Expected<Donation> donate();
  /// For a run that could not begin: the buffer is as it was before `donate`.
  void takeBack(std::shared_ptr<void> memory);

private:
  struct State;
  std::shared_ptr<State> state;
};

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_BUFFER_H
