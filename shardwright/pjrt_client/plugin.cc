//===- plugin.cc - a loaded PJRT plugin -----------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_client/plugin.h"

#include "shardwright/pjrt_abi/error_codes.h"
#include "shardwright/support/error.h"

#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <dlfcn.h>
#include <map>
#include <mutex>

using namespace shardwright;
using namespace shardwright::pjrt_client;

/// Older plugins have other structs.
static constexpr int kOldestMinor = 54;

bool pjrt_client::isNamed(const PJRT_NamedValue &value, llvm::StringRef name) {
  return value.name && value.name_size == name.size() &&
         llvm::StringRef(value.name, name.size()) == name;
}

size_t pjrt_client::tableSizeOf(int minorVersion) {
  // The minor version with which functions came, and the end of the table
  // then. Tables only grow.
  struct Growth {
    int minor;
    size_t end;
  };
#define UP_TO(minor, function)                                                 \
  Growth { minor, offsetof(PJRT_Api, PJRT_##function) + sizeof(void *) }
  static constexpr Growth growth[] = {
      UP_TO(76, Client_CreateUninitializedBuffer),
      UP_TO(79, Client_FulfillAliasBuffer),
      UP_TO(82, LoadedExecutable_GetDeviceAssignment),
      UP_TO(84, Client_CreateErrorBuffer),
      UP_TO(85, Buffer_CopyRawToHostFuture),
      UP_TO(86, Device_PoisonExecution),
      UP_TO(87, AsyncTrackingEvent_Destroy),
      UP_TO(88, Executable_GetCompileOptions),
      UP_TO(92, Buffer_DonateWithControlDependency),
      UP_TO(96, Device_GetAttributes),
      UP_TO(98, LoadedExecutable_AddressableDeviceLogicalIds),
      UP_TO(101, Buffer_Bitcast),
      UP_TO(102, TopologyDescription_Fingerprint),
      UP_TO(112, Executable_ParameterMemoryKinds),
  };
#undef UP_TO
  for (const Growth &step : growth)
    if (minorVersion < step.minor)
      return step.end;
  return sizeof(PJRT_Api);
}

llvm::Error Plugin::wrong(const char *function, const llvm::Twine &what) const {
  return fail(ownName, ": ", function, " returned ", what,
              "; the plugin does not keep to the interface of PJRT");
}

llvm::Error Plugin::missing(const char *function) const {
  return fail(ownName, ": the plugin (PJRT 0.", minorVersion(),
              ") does not have ", function);
}

llvm::Expected<std::string> Plugin::text(const char *function, const char *data,
                                         size_t size) const {
  if (!data && size)
    return wrong(function, "a null string");
  if (size > kMaxText)
    return wrong(function, "a string of " + llvm::Twine(size) + " bytes");
  return std::string(data ? data : "", size);
}

llvm::Error Plugin::take(const char *function, PJRT_Error *error) const {
  if (!error)
    return llvm::Error::success();
  PJRT_Error_Code code = PJRT_Error_Code_UNKNOWN;
  auto destroy = [&](PJRT_Error *which) {
    auto args = makeStruct<PJRT_Error_Destroy_Args>();
    args.error = which;
    table.PJRT_Error_Destroy(&args);
  };
  auto codeArgs = makeStruct<PJRT_Error_GetCode_Args>();
  codeArgs.error = error;
  if (PJRT_Error *second = table.PJRT_Error_GetCode(&codeArgs))
    destroy(second);
  else
    code = codeArgs.code;
  auto message = makeStruct<PJRT_Error_Message_Args>();
  message.error = error;
  table.PJRT_Error_Message(&message);
  llvm::StringRef words;
  if (message.message && message.message_size <= kMaxText)
    words = {message.message, message.message_size};
  std::string text = (pjrt::codeName(code) + ": " +
                      (words.empty() ? "the plugin does not say why" : words))
                         .str();
  destroy(error);
  return fail(ownName, ": ", function, ": ", text);
}

const PJRT_Extension_Base *Plugin::extension(PJRT_Extension_Type type,
                                             size_t leastSize) const {
  // A chain that is longer than the number of types goes in a circle.
  int left = 256;
  for (const PJRT_Extension_Base *e = table.extension_start; e && left--;
       e = e->next)
    if (e->type == type)
      return e->struct_size >= leastSize ? e : nullptr;
  return nullptr;
}

llvm::Error Plugin::readTable(const PJRT_Api *theirs) {
  given = theirs;
  if (!theirs)
    return fail(ownName, ": GetPjrtApi returned a null pointer");
  constexpr size_t header = offsetof(PJRT_Api, PJRT_Error_Destroy);
  if (theirs->struct_size < header)
    return fail(ownName, ": the function table has ", theirs->struct_size,
                " bytes, expected at least ", header,
                "; it is not a PJRT plugin");
  const PJRT_Api_Version &version = theirs->pjrt_api_version;
  if (version.major_version != 0 || version.minor_version < kOldestMinor)
    return fail(ownName, ": the plugin has version ", version.major_version,
                ".", version.minor_version,
                " of the PJRT interface, expected 0.", kOldestMinor,
                " or later; use another release of the plugin");
  std::memcpy(static_cast<void *>(&table), theirs,
              std::min({theirs->struct_size, sizeof(table),
                        tableSizeOf(version.minor_version)}));
  if (!table.PJRT_Error_Destroy || !table.PJRT_Error_Message ||
      !table.PJRT_Error_GetCode)
    return fail(ownName, ": the plugin has no functions to read errors "
                         "(PJRT_Error_GetCode, PJRT_Error_Message, "
                         "PJRT_Error_Destroy)");
  return llvm::Error::success();
}

llvm::Error Plugin::initialize() {
  auto args = makeStruct<PJRT_Plugin_Initialize_Args>();
  if (llvm::Error e = SHARDWRIGHT_PJRT_CALL(*this, Plugin_Initialize, args))
    return e;
  readAttributes();
  return llvm::Error::success();
}

/// Attributes are optional, and so is this function: errors count as none.
void Plugin::readAttributes() {
  auto args = makeStruct<PJRT_Plugin_Attributes_Args>();
  if (llvm::Error e = SHARDWRIGHT_PJRT_CALL(*this, Plugin_Attributes, args))
    return llvm::consumeError(std::move(e));
  constexpr size_t kMaxAttributes = 1 << 12;
  if (!args.attributes || args.num_attributes > kMaxAttributes)
    return;
  for (size_t i = 0; i < args.num_attributes; ++i) {
    const PJRT_NamedValue &value = args.attributes[i];
    if (isNamed(value, "stablehlo_current_version") &&
        value.type == PJRT_NamedValue_kInt64List && value.value_size == 3 &&
        value.int64_array_value)
      stablehlo =
          vhlo::Version{value.int64_array_value[0], value.int64_array_value[1],
                        value.int64_array_value[2]};
  }
}

llvm::Expected<std::shared_ptr<const Plugin>>
Plugin::fromTable(const PJRT_Api *given, llvm::StringRef name) {
  std::shared_ptr<Plugin> plugin(new Plugin(name));
  if (llvm::Error e = plugin->readTable(given))
    return e;
  if (llvm::Error e = plugin->initialize())
    return e;
  return plugin;
}

llvm::Expected<std::shared_ptr<const Plugin>>
Plugin::load(llvm::StringRef path) {
  // Never destroyed, as the libraries are never unloaded.
  static auto &loaded = *new std::map<void *, std::shared_ptr<const Plugin>>();
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  void *library = dlopen(path.str().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *why = dlerror();
    return fail("cannot load the plugin ", path, ": ",
                why ? why : "dlopen reports no reason");
  }
  std::shared_ptr<const Plugin> &plugin = loaded[library];
  if (plugin)
    return plugin;
  auto entry =
      reinterpret_cast<const PJRT_Api *(*)()>(dlsym(library, "GetPjrtApi"));
  if (!entry)
    return fail(path, " is not a PJRT plugin: it does not export GetPjrtApi");
  auto made = fromTable(entry(), path);
  if (made)
    plugin = *made;
  return made;
}
