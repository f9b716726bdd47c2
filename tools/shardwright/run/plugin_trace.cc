//===- plugin_trace.cc - run --trace with a plugin ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin_trace.h"

#include "session.h"

#include "shardwright/pjrt_client/plugin_client.h"
#include "shardwright/report/profile_json.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace shardwright;

static bool refuse(Error error) {
  badInput("--trace: " + toString(std::move(error)),
           "leave --trace out, or use a plugin whose profiler works");
  return false;
}

bool PluginTrace::prepare(
    std::shared_ptr<pjrt_client::PluginBackend> pluginBackend) {
  backend = std::move(pluginBackend);
  auto made = pjrt_client::PluginProfile::create(
      backend->client()->sharedPlugin(), pjrt_client::defaultProfileOptions());
  if (!made)
    return refuse(made.takeError());
  profile = std::move(*made);
  return true;
}

bool PluginTrace::start() {
  if (!profile)
    return true;
  if (Error error = profile->start())
    return refuse(std::move(error));
  return true;
}

/// Writes a file where TensorBoard looks for profiles in a folder.
static bool writeForTensorBoard(const std::string &folder, StringRef bytes) {
  SmallString<128> path(folder);
  sys::path::append(path, "plugins", "profile", "run");
  if (std::error_code error = sys::fs::create_directories(path)) {
    badInput("cannot make the directory '" + path + "': " + error.message(),
             "check the directory and its permissions");
    return false;
  }
  sys::path::append(path, "host.xplane.pb");
  return writeFile(path, [&](raw_ostream &os) { os << bytes; });
}

bool PluginTrace::finish(const std::string &path) {
  if (Error error = profile->stop())
    return refuse(std::move(error));
  Expected<std::string> bytes = profile->collect();
  if (!bytes)
    return refuse(bytes.takeError());
  Expected<DeviceProfile> events = DeviceProfile::read(*bytes);
  if (!events)
    return refuse(events.takeError());
  return writeFile(path, [&](raw_ostream &os) { writeProfile(*events, os); }) &&
         (path == "-" || writeForTensorBoard(path + ".profile", *bytes));
}
