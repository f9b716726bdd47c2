//===- host_storage.h - storage in host memory ------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_BACKEND_HOST_STORAGE_H
#define SHARDWRIGHT_BACKEND_HOST_STORAGE_H

#include "shardwright/backend/storage.h"

#include <functional>

namespace shardwright {

/// Storage for backends whose devices compute in host memory. Every device of
/// the process may read it, so a copy to another device can share it.
class HostStorage final : public DeviceStorage {
  struct Token {};

public:
  /// Fails for devices that cannot read the memory, such as those of other
  /// processes. Thread-safe. Null: all devices can.
  using DeviceCheck =
      std::shared_ptr<const std::function<llvm::Error(DeviceId)>>;

  /// Allocates memory aligned to 64 bytes; null if memory is exhausted.
  static std::shared_ptr<HostStorage> allocate(int64_t bytes,
                                               DeviceCheck check = nullptr);
  /// Takes over memory, which a program may overwrite once `memory` has no
  /// other holder. Kernels require alignment to 64 bytes.
  static std::shared_ptr<HostStorage> adopt(std::shared_ptr<void> memory,
                                            int64_t bytes,
                                            DeviceCheck check = nullptr);
  /// Uses memory of another owner, which programs never write to.
  static std::shared_ptr<HostStorage> borrow(std::shared_ptr<void> memory,
                                             int64_t bytes,
                                             DeviceCheck check = nullptr);

  enum class Claim : uint8_t { Own, Adopted, Borrowed };
  HostStorage(Token, void *view, int64_t bytes, Claim claim,
              std::shared_ptr<void> owner, DeviceCheck check);
  ~HostStorage() override;

  bool mayOverwrite() const override;
  bool isReadableAt(MemoryPlace place) const override;
  Event copyToHost(void *to, int64_t offset, int64_t size,
                   const Event &after) const override;
  llvm::Expected<StorageTransfer> copyTo(MemoryPlace place,
                                         const Event &after) const override;

private:
  Claim claim;
  std::shared_ptr<void> owner; ///< null: this object owns its memory
  DeviceCheck check;
};

} // namespace shardwright

#endif // SHARDWRIGHT_BACKEND_HOST_STORAGE_H
