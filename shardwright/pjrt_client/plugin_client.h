//===- plugin_client.h - a client of a plugin, and its devices --*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_CLIENT_PLUGIN_CLIENT_H
#define SHARDWRIGHT_PJRT_CLIENT_PLUGIN_CLIENT_H

#include "shardwright/backend/device.h"
#include "shardwright/pjrt_client/client_option.h"
#include "shardwright/pjrt_client/plugin.h"
#include "shardwright/support/event.h"

#include <array>
#include <mutex>
#include <vector>

namespace shardwright::pjrt_client {

/// A device of the plugin. Its DeviceId is its rank by the plugin's number.
struct PluginDevice {
  PJRT_Device *handle = nullptr;
  int32_t pluginId = 0;
  /// By MemoryKind; null: the device has no such memory, or cannot be
  /// addressed.
  std::array<PJRT_Memory *, 3> memories = {};
  std::vector<MemoryKind> kinds; ///< the first is the default
};

/// Owns a PJRT_Client. Storage and programs share it, so that it is destroyed
/// after them. Thread-safe.
class PluginClient {
public:
  static llvm::Expected<std::shared_ptr<PluginClient>>
  create(std::shared_ptr<const Plugin> plugin,
         llvm::ArrayRef<ClientOption> options);
  ~PluginClient();
  PluginClient(const PluginClient &) = delete;
  PluginClient &operator=(const PluginClient &) = delete;

  const Plugin &plugin() const { return *ownPlugin; }
  const std::shared_ptr<const Plugin> &sharedPlugin() const {
    return ownPlugin;
  }
  PJRT_Client *handle() const { return client; }
  llvm::StringRef platformName() const { return name; }
  llvm::StringRef platformVersion() const { return version; }

  llvm::ArrayRef<PluginDevice> devices() const { return ownDevices; }
  /// Views this object.
  const std::vector<DeviceInfo> &deviceInfos() const { return infos; }

  /// Counts a run that `drain` waits for.
  void addRun(const Event &done);
  /// Waits for all runs, unless it is called from an event of the plugin.
  void drain();

private:
  explicit PluginClient(std::shared_ptr<const Plugin> plugin)
      : ownPlugin(std::move(plugin)) {}
  llvm::Error readNames();
  llvm::Error readDevices();
  llvm::Error describe(PluginDevice &device, DeviceInfo &info) const;
  llvm::Error readMemories(PluginDevice &device) const;

  std::shared_ptr<const Plugin> ownPlugin;
  PJRT_Client *client = nullptr;
  std::string name, version;
  std::vector<PluginDevice> ownDevices;
  std::vector<DeviceInfo> infos;
  std::mutex mutex;
  std::vector<Event> runs; ///< some are done
};

} // namespace shardwright::pjrt_client

#endif // SHARDWRIGHT_PJRT_CLIENT_PLUGIN_CLIENT_H
