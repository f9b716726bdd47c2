//===- host_storage.cc - storage in host memory ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/backend/host_storage.h"

#include "shardwright/support/host_memory.h"

#include <cstring>

using namespace shardwright;

HostStorage::HostStorage(Token, void *view, int64_t bytes, Claim claim,
                         std::shared_ptr<void> owner, DeviceCheck check)
    : DeviceStorage(view, bytes), claim(claim), owner(std::move(owner)),
      check(std::move(check)) {}

HostStorage::~HostStorage() {
  if (claim == Claim::Own)
    cpu::freeHost(view, size);
}

std::shared_ptr<HostStorage> HostStorage::allocate(int64_t bytes,
                                                   DeviceCheck check) {
  void *memory = cpu::allocateHostRaw(bytes);
  if (!memory)
    return nullptr;
  return std::make_shared<HostStorage>(Token(), memory, bytes, Claim::Own,
                                       nullptr, std::move(check));
}

std::shared_ptr<HostStorage> HostStorage::adopt(std::shared_ptr<void> memory,
                                                int64_t bytes,
                                                DeviceCheck check) {
  void *view = memory.get();
  return std::make_shared<HostStorage>(Token(), view, bytes, Claim::Adopted,
                                       std::move(memory), std::move(check));
}

std::shared_ptr<HostStorage> HostStorage::borrow(std::shared_ptr<void> memory,
                                                 int64_t bytes,
                                                 DeviceCheck check) {
  void *view = memory.get();
  return std::make_shared<HostStorage>(Token(), view, bytes, Claim::Borrowed,
                                       std::move(memory), std::move(check));
}

bool HostStorage::mayOverwrite() const {
  return claim == Claim::Own ||
         (claim == Claim::Adopted && owner.use_count() == 1);
}

bool HostStorage::isReadableAt(MemoryPlace place) const {
  return !check || !llvm::errorToBool((*check)(place.device));
}

/// Copies when `after` is ready; the returned event is set after the copy.
static Event copyAfter(const Event &after, void *to, const void *from,
                       int64_t bytes) {
  if (after.isReady() && !after.hasFailed()) {
    if (bytes > 0)
      std::memcpy(to, from, bytes);
    return Event::ready();
  }
  Event done;
  after.onReady([done, to, from, bytes](llvm::StringRef failure) mutable {
    if (!failure.empty())
      return done.set(llvm::createStringError(failure));
    if (bytes > 0)
      std::memcpy(to, from, bytes);
    done.set();
  });
  return done;
}

Event HostStorage::copyToHost(void *to, int64_t offset, int64_t size,
                              const Event &after) const {
  return copyAfter(after, to, static_cast<const char *>(view) + offset, size);
}

llvm::Expected<StorageTransfer> HostStorage::copyTo(MemoryPlace place,
                                                    const Event &after) const {
  if (check)
    if (llvm::Error e = (*check)(place.device))
      return e;
  std::shared_ptr<HostStorage> copy = allocate(size, check);
  if (!copy)
    return llvm::createStringError("not enough memory for a copy of " +
                                   llvm::Twine(size) + " bytes");
  Event ready = copyAfter(after, copy->view, view, size);
  if (!ready.isReady()) // keep the copy alive until it is complete
    ready.onReady([copy](llvm::StringRef) {});
  return StorageTransfer{std::move(copy), std::move(ready)};
}
