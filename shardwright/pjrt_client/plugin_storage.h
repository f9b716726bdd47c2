//===- plugin_storage.h - arrays in a plugin's memory -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_CLIENT_PLUGIN_STORAGE_H
#define SHARDWRIGHT_PJRT_CLIENT_PLUGIN_STORAGE_H

#include "shardwright/backend/storage.h"
#include "shardwright/pjrt_client/plugin_client.h"

namespace shardwright::pjrt_client {

/// Owns a PJRT_Buffer.
class BufferHandle {
public:
  BufferHandle(std::shared_ptr<PluginClient> client, PJRT_Buffer *buffer)
      : client(std::move(client)), buffer(buffer) {}
  ~BufferHandle();
  BufferHandle(const BufferHandle &) = delete;
  BufferHandle &operator=(const BufferHandle &) = delete;

  const std::shared_ptr<PluginClient> client;
  PJRT_Buffer *const buffer;
};

/// An array in the memory of a device of a plugin, or the promise of one: the
/// plugin orders its own work by what it reads and writes.
class PluginStorage final : public DeviceStorage {
public:
  /// Takes over `buffer`. `ready` is set when the elements are available.
  PluginStorage(std::shared_ptr<PluginClient> client, PJRT_Buffer *buffer,
                ArrayType type, MemoryPlace place, Event ready,
                std::string layout = "");
  /// The result of a run that failed before it started.
  PluginStorage(std::shared_ptr<PluginClient> client, ArrayType type,
                MemoryPlace place, Event failed);

  bool mayOverwrite() const override { return true; }
  bool isReadableAt(MemoryPlace place) const override;
  Event copyToHost(void *to, int64_t offset, int64_t size,
                   const Event &after) const override;
  llvm::Expected<StorageTransfer> copyTo(MemoryPlace place,
                                         const Event &after) const override;

  /// Null for the result of a run that failed before it started.
  PJRT_Buffer *buffer() const { return handle ? handle->buffer : nullptr; }
  const PluginClient &client() const { return *owner; }
  const Event &ready() const { return ownReady; }
  DeviceId device() const { return place.device; }
  MemoryKind memory() const { return place.memory; }
  /// The layout in the plugin's memory; empty for its default.
  const std::string &layout() const { return ownLayout; }
  /// Copies the elements to memory of the same device in another layout, by way
  /// of the host.
  llvm::Expected<StorageTransfer> copyTo(const std::string &layout) const;

  /// Checks that the plugin's buffer has this type and shape. The elements need
  /// not be available.
  llvm::Error check() const;

private:
  llvm::Error noBuffer() const;

  std::shared_ptr<PluginClient> owner;
  std::shared_ptr<BufferHandle> handle;
  ArrayType type;
  MemoryPlace place;
  Event ownReady;
  std::string ownLayout;
};

/// Copies a host array to a device. With `keep`, reads the elements until the
/// transfer is done, and calls `keep` then; without, has read them when this
/// returns. `keep` is not called if this fails. `layout` is that in the
/// plugin's memory; empty: its default.
llvm::Expected<StorageTransfer>
copyToPlugin(std::shared_ptr<PluginClient> client, const HostArray &array,
             MemoryPlace place, llvm::unique_function<void()> keep = nullptr,
             const std::string &layout = "");

} // namespace shardwright::pjrt_client

#endif // SHARDWRIGHT_PJRT_CLIENT_PLUGIN_STORAGE_H
