//===- host_storage.h - storage that is memory of the host ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_BACKEND_HOST_STORAGE_H
#define SHARDWRIGHT_BACKEND_HOST_STORAGE_H

#include "shardwright/backend/storage.h"

namespace shardwright {

/// For backends whose devices compute in host memory. Every device may read
/// it, so that a copy to another device can share it.
class HostStorage final : public DeviceStorage {
  struct Token {};

public:
  /// Fresh memory, aligned to 64 bytes. Null: not enough of it.
  static std::shared_ptr<HostStorage> allocate(int64_t bytes);
  /// Memory that its owner gives away: a program may overwrite it once nobody
  /// else holds `memory`. Kernels want it aligned to 64 bytes.
  static std::shared_ptr<HostStorage> adopt(std::shared_ptr<void> memory,
                                            int64_t bytes);
  /// Memory of somebody else, who keeps it as it is; programs never write it.
  static std::shared_ptr<HostStorage> borrow(std::shared_ptr<void> memory,
                                             int64_t bytes);

  enum class Claim : uint8_t { Own, Adopted, Borrowed };
  HostStorage(Token, void *view, int64_t bytes, Claim claim,
              std::shared_ptr<void> owner);
  ~HostStorage() override;

  bool mayOverwrite() const override;
  bool isReadableAt(MemoryPlace) const override { return true; }
  Event copyToHost(void *to, int64_t offset, int64_t size,
                   const Event &after) const override;
  llvm::Expected<StorageTransfer> copyTo(MemoryPlace place,
                                         const Event &after) const override;

private:
  Claim claim;
  std::shared_ptr<void> owner; ///< null: this object owns its memory
};

} // namespace shardwright

#endif // SHARDWRIGHT_BACKEND_HOST_STORAGE_H
