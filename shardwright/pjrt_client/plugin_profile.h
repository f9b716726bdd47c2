//===- plugin_profile.h - a plugin's own profiler ------------- -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_CLIENT_PLUGIN_PROFILE_H
#define SHARDWRIGHT_PJRT_CLIENT_PLUGIN_PROFILE_H

#include "shardwright/pjrt_abi/profiler.h"
#include "shardwright/pjrt_client/plugin.h"

namespace shardwright::pjrt_client {

/// True if the plugin has a profiler (PJRT_Profiler_Extension).
bool hasProfiler(const Plugin &plugin);

/// Options of a profiler as a serialised tensorflow.ProfileOptions: devices and
/// the plugin's own threads, from now on.
std::string defaultProfileOptions();

/// A recording by the plugin's own profiler, which it reads its devices with.
/// The plugin destroys it with this object. Not thread-safe.
class PluginProfile {
public:
  /// Fails if the plugin has no profiler.
  static llvm::Expected<std::unique_ptr<PluginProfile>>
  create(std::shared_ptr<const Plugin> plugin, llvm::StringRef options);
  ~PluginProfile();
  PluginProfile(const PluginProfile &) = delete;
  PluginProfile &operator=(const PluginProfile &) = delete;

  llvm::Error start();
  llvm::Error stop();
  /// What was recorded, as a serialised tensorflow.profiler.XSpace.
  llvm::Expected<std::string> collect();

private:
  PluginProfile(std::shared_ptr<const Plugin> plugin,
                const PLUGIN_Profiler_Api &api)
      : plugin(std::move(plugin)), api(api) {}
  template <typename Args>
  llvm::Error call(const char *function,
                   PLUGIN_Profiler_Error *(*pointer)(Args *), Args &args) const;
  llvm::Error take(const char *function, PLUGIN_Profiler_Error *error) const;

  std::shared_ptr<const Plugin> plugin;
  /// As far as the plugin has it; later functions are null.
  PLUGIN_Profiler_Api api;
  PLUGIN_Profiler *handle = nullptr;
};

} // namespace shardwright::pjrt_client

#endif // SHARDWRIGHT_PJRT_CLIENT_PLUGIN_PROFILE_H
