//===- plugin_profile.cc - a plugin's own profiler ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_client/plugin_profile.h"

#include "shardwright/mesh/hlo/proto_wire.h"
#include "shardwright/pjrt_abi/error_codes.h"
#include "shardwright/pjrt_abi/extensions.h"
#include "shardwright/support/error.h"

#include <chrono>
#include <cstring>
#include <new>

using namespace shardwright;
using namespace shardwright::pjrt_client;

/// The table of the plugin's profiler; null if it has none.
static const PLUGIN_Profiler_Api *profilerTable(const Plugin &plugin) {
  constexpr size_t kLeastSize =
      offsetof(PJRT_Profiler_Extension, profiler_api) + sizeof(void *);
  auto *extension = reinterpret_cast<const PJRT_Profiler_Extension *>(
      plugin.extension(PJRT_Extension_Type_Profiler, kLeastSize));
  return extension
             ? static_cast<const PLUGIN_Profiler_Api *>(extension->profiler_api)
             : nullptr;
}

bool pjrt_client::hasProfiler(const Plugin &plugin) {
  return profilerTable(plugin);
}

std::string pjrt_client::defaultProfileOptions() {
  ProtoWriter options;
  options.varint(2, 2); // host_tracer_level
  options.varint(3, 1); // device_tracer_level
  options.varint(5, 1); // version
  options.varint(7, 1); // enable_hlo_proto
  options.varint(8, std::chrono::system_clock::now().time_since_epoch() /
                        std::chrono::nanoseconds(1)); // start_timestamp_ns
  return options.take();
}

llvm::Error PluginProfile::take(const char *function,
                                PLUGIN_Profiler_Error *error) const {
  if (!error)
    return llvm::Error::success();
  int code = PJRT_Error_Code_UNKNOWN;
  auto destroy = [&](PLUGIN_Profiler_Error *which) {
    PLUGIN_Profiler_Error_Destroy_Args args = {sizeof(args), nullptr, which};
    if (api.error_destroy)
      api.error_destroy(&args);
  };
  PLUGIN_Profiler_Error_GetCode_Args codeArgs = {sizeof(codeArgs), nullptr,
                                                 error, code};
  if (api.error_get_code) {
    if (PLUGIN_Profiler_Error *second = api.error_get_code(&codeArgs))
      destroy(second);
    else
      code = codeArgs.code;
  }
  auto message = makeStruct<PLUGIN_Profiler_Error_Message_Args>();
  message.error = error;
  if (api.error_message)
    api.error_message(&message);
  llvm::StringRef words;
  if (message.message && message.message_size <= kMaxText)
    words = {message.message, message.message_size};
  std::string text = (pjrt::codeName(PJRT_Error_Code(code)) + ": " +
                      (words.empty() ? "the plugin does not say why" : words))
                         .str();
  destroy(error);
  return fail(plugin->name(), ": ", function, ": ", text);
}

template <typename Args>
llvm::Error PluginProfile::call(const char *function,
                                PLUGIN_Profiler_Error *(*pointer)(Args *),
                                Args &args) const {
  if (!pointer)
    return fail(plugin->name(), ": the plugin's profiler does not have ",
                function);
  PLUGIN_Profiler_Error *error;
  {
    CallWatch watch(*plugin, function);
    error = pointer(&args);
  }
  return take(function, error);
}

llvm::Expected<std::unique_ptr<PluginProfile>>
PluginProfile::create(std::shared_ptr<const Plugin> plugin,
                      llvm::StringRef options) {
  const PLUGIN_Profiler_Api *theirs = profilerTable(*plugin);
  if (!theirs)
    return fail(plugin->name(),
                ": the plugin has no profiler (PJRT_Profiler_Extension)");
  PLUGIN_Profiler_Api table = {};
  std::memcpy(static_cast<void *>(&table), theirs,
              std::min(theirs->struct_size, sizeof(table)));
  std::unique_ptr<PluginProfile> made(
      new PluginProfile(std::move(plugin), table));
  auto args = makeStruct<PLUGIN_Profiler_Create_Args>();
  args.options = options.data();
  args.options_size = options.size();
  if (llvm::Error e = made->call("PLUGIN_Profiler_Create", table.create, args))
    return e;
  if (!args.profiler)
    return made->plugin->wrong("PLUGIN_Profiler_Create", "no profiler");
  made->handle = args.profiler;
  return made;
}

PluginProfile::~PluginProfile() {
  if (!handle)
    return;
  auto args = makeStruct<PLUGIN_Profiler_Args>();
  args.profiler = handle;
  llvm::consumeError(call("PLUGIN_Profiler_Destroy", api.destroy, args));
}

llvm::Error PluginProfile::start() {
  auto args = makeStruct<PLUGIN_Profiler_Args>();
  args.profiler = handle;
  return call("PLUGIN_Profiler_Start", api.start, args);
}

llvm::Error PluginProfile::stop() {
  auto args = makeStruct<PLUGIN_Profiler_Args>();
  args.profiler = handle;
  return call("PLUGIN_Profiler_Stop", api.stop, args);
}

llvm::Expected<std::string> PluginProfile::collect() {
  constexpr const char *function = "PLUGIN_Profiler_CollectData";
  constexpr size_t kMaxBytes = size_t(1) << 31; // of any message of protobuf
  auto args = makeStruct<PLUGIN_Profiler_CollectData_Args>();
  args.profiler = handle;
  if (llvm::Error e = call(function, api.collect_data, args))
    return e;
  size_t size = args.buffer_size_in_bytes;
  if (size > kMaxBytes)
    return plugin->wrong(function, llvm::Twine(size) + " bytes");
  if (!size)
    return std::string();
  if (args.buffer)
    return std::string(reinterpret_cast<const char *>(args.buffer), size);
  // Plugins that do not keep the data say its size first. They may write a
  // byte more.
  std::unique_ptr<uint8_t[]> memory(new (std::nothrow) uint8_t[size + 1]());
  if (!memory)
    return fail(plugin->name(), ": no memory for a profile of ", size,
                " bytes");
  args.buffer = memory.get();
  if (llvm::Error e = call(function, api.collect_data, args))
    return e;
  if (!args.buffer || args.buffer_size_in_bytes > size)
    return plugin->wrong(function, llvm::Twine(args.buffer_size_in_bytes) +
                                       " bytes after " + llvm::Twine(size));
  return std::string(reinterpret_cast<const char *>(args.buffer),
                     args.buffer_size_in_bytes);
}
