//===- plugin_trace.h - run --trace with a plugin ------------- -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TOOLS_PLUGIN_TRACE_H
#define SHARDWRIGHT_TOOLS_PLUGIN_TRACE_H

#include "shardwright/pjrt_client/plugin_backend.h"
#include "shardwright/pjrt_client/plugin_profile.h"

namespace shardwright {

/// Records what the devices of a plugin do, with the plugin's own profiler.
class PluginTrace {
public:
  /// Checks that the plugin has a profiler. False: the error has been printed.
  bool prepare(std::shared_ptr<pjrt_client::PluginBackend> backend);
  /// Starts to record, if it is prepared. False: the error has been printed.
  bool start();
  /// Stops, and writes the profile as a Chrome trace to `path`, and as the
  /// plugin recorded it below `path`.profile. False: the error has been
  /// printed.
  bool finish(const std::string &path);
  bool isPrepared() const { return backend != nullptr; }

private:
  /// Keeps the plugin's client alive while it is profiled.
  std::shared_ptr<pjrt_client::PluginBackend> backend;
  std::unique_ptr<pjrt_client::PluginProfile> profile;
};

} // namespace shardwright

#endif // SHARDWRIGHT_TOOLS_PLUGIN_TRACE_H
