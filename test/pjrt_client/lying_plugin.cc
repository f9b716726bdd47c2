//===- lying_plugin.cc - a plugin that breaks the rules -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Our own plugin behind a table that the environment variable LYING_PLUGIN, or
// a test through lying_plugin_configure, makes older, shorter or wrong. A list
// of settings with commas:
//
//   minor=70          the version of the interface
//   size=944          bytes of the table
//   null=PJRT_X       that function is missing
//   fail=N            the N-th call of all returns an error
//   lie=N, seed=S     the N-th call returns a wrong answer: a field that it
//                     sets becomes null, 0, less by one, or huge
//   profiler=none     it has no profiler
//   profiler=X        create, start, stop or collect_data of its profiler
//                     returns an error, or is missing (X=null-create)
//   profiler=query    the profiler tells the size of its data first, and copies
//                     the data to the caller's memory then
//   profiler=noise    its data are no XSpace; profiler=huge: too large to be
//
// If LYING_PLUGIN_DUMP names a folder, each program that is compiled is written
// to a file there.
//
// Calls are counted from 1. Functions that read and destroy errors are not
// counted. Never made up: addresses, and lists that are longer than memory.
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_abi/api.h"
#include "shardwright/pjrt_abi/extensions.h"
#include "shardwright/pjrt_abi/profiler.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace {

const PJRT_Api *vendor = nullptr;
PJRT_Api table;

struct Settings {
  int minor = 70;
  size_t size = 944;
  std::string null, profiler;
  long fail = 0, lie = 0;
  unsigned seed = 0;
} settings;
std::atomic<long> calls = 0;

/// Returns an error of the plugin itself, for a call without arguments.
PJRT_Error *someError() { return vendor->PJRT_Plugin_Attributes(nullptr); }

/// Changes one of the words that the call has set. Counts of lists of handles
/// never grow a little: nobody could notice.
void change(uint64_t *words, const uint64_t *before, size_t count,
            bool mayGrow) {
  std::mt19937 random(settings.seed);
  std::vector<size_t> set;
  for (size_t i = 2; i < count; ++i)
    if (words[i] != before[i])
      set.push_back(i);
  if (set.empty())
    return;
  uint64_t &word = words[set[random() % set.size()]];
  if (word >= 1 << 24) { // an address
    word = 0;
    return;
  }
  const uint64_t values[] = {0, word - 1, uint64_t(1) << 40,
                             mayGrow ? word + 1 : 0};
  uint64_t value = values[random() % 4];
  word = word == 0 && value == word - 1 ? uint64_t(1) << 40 : value;
}

/// Waits for a transfer, and keeps its event: when it is taken away, nobody can
/// know how long the transfer uses the host's memory.
template <typename Args> void finishTransfer(Args *args) {
  PJRT_Event *event = nullptr;
  if constexpr (std::is_same_v<Args, PJRT_Buffer_ToHostBuffer_Args>)
    event = args->event;
  if constexpr (std::is_same_v<Args, PJRT_Client_BufferFromHostBuffer_Args>)
    event = args->done_with_host_buffer;
  if (!event)
    return;
  PJRT_Event_Await_Args wait{};
  wait.struct_size = sizeof(wait);
  wait.event = event;
  vendor->PJRT_Event_Await(&wait);
}

/// Takes a result or an event from an execution.
void lie(PJRT_LoadedExecutable_Execute_Args *args) {
  std::mt19937 random(settings.seed);
  size_t device = random() % args->num_devices;
  if (args->device_complete_events && random() % 2)
    args->device_complete_events[device] = nullptr;
  else
    args->output_lists[device][0] = nullptr;
}

/// Writes the program if the environment asks for it.
void dump(const PJRT_Client_Compile_Args *args) {
  static std::atomic<int> number = 0;
  const char *folder = std::getenv("LYING_PLUGIN_DUMP");
  if (!folder || !args->program)
    return;
  std::ofstream file(std::string(folder) + "/" + std::to_string(++number),
                     std::ios::binary);
  file.write(args->program->code, std::streamsize(args->program->code_size));
}

template <typename Args>
PJRT_Error *call(PJRT_Error *(*function)(Args *), Args *args, bool mayGrow) {
  long number = ++calls;
  if constexpr (std::is_same_v<Args, PJRT_Client_Compile_Args>)
    dump(args);
  if (number == settings.fail)
    return someError();
  if (number != settings.lie)
    return function(args);
  if constexpr (std::is_same_v<Args, PJRT_LoadedExecutable_Execute_Args>) {
    PJRT_Error *error = function(args);
    if (!error)
      lie(args);
    return error;
  } else {
    Args before = *args;
    PJRT_Error *error = function(args);
    if (!error) {
      finishTransfer(args);
      change(reinterpret_cast<uint64_t *>(args),
             reinterpret_cast<const uint64_t *>(&before),
             sizeof(Args) / sizeof(uint64_t), mayGrow);
    }
    return error;
  }
}

bool mayGrow(const char *name) {
  for (const char *known :
       {"Buffer_Dimensions", "Buffer_ElementType", "Buffer_ToHostBuffer",
        "Executable_NumOutputs", "LoadedExecutable_AddressableDevices",
        "Client_AddressableDevices", "DeviceDescription_Id"})
    if (!std::strcmp(known, name))
      return true;
  return false;
}

#define SLOT(name)                                                             \
  PJRT_Error *name(PJRT_##name##_Args *args) {                                 \
    static const bool grows = mayGrow(#name);                                  \
    return call(vendor->PJRT_##name, args, grows);                             \
  }
PJRT_API_SLOTS(SLOT)
#undef SLOT

PJRT_Profiler_Extension profilerExtension;
PLUGIN_Profiler_Api profiler;
const PLUGIN_Profiler_Api *vendorProfiler = nullptr;

/// Our plugin's errors are those of its profiler.
PLUGIN_Profiler_Error *someProfilerError() {
  return reinterpret_cast<PLUGIN_Profiler_Error *>(someError());
}

/// A function of the profiler that counts as a call.
#define PROFILER_CALL(name, Args)                                              \
  PLUGIN_Profiler_Error *profiler_##name(Args *args) {                         \
    if (++calls == settings.fail || settings.profiler == #name)                \
      return someProfilerError();                                              \
    return vendorProfiler->name(args);                                         \
  }
PROFILER_CALL(create, PLUGIN_Profiler_Create_Args)
PROFILER_CALL(destroy, PLUGIN_Profiler_Args)
PROFILER_CALL(start, PLUGIN_Profiler_Args)
PROFILER_CALL(stop, PLUGIN_Profiler_Args)
#undef PROFILER_CALL

PLUGIN_Profiler_Error *
profiler_collect_data(PLUGIN_Profiler_CollectData_Args *args) {
  if (++calls == settings.fail || settings.profiler == "collect_data")
    return someProfilerError();
  uint8_t *to = args->buffer;
  if (PLUGIN_Profiler_Error *error = vendorProfiler->collect_data(args))
    return error;
  static uint8_t noise[] = {0x0a, 0xff, 0xff, 0xff};
  if (settings.profiler == "noise") {
    args->buffer = noise;
    args->buffer_size_in_bytes = sizeof(noise);
  } else if (settings.profiler == "huge") {
    args->buffer_size_in_bytes = size_t(1) << 50;
  } else if (settings.profiler == "query") {
    if (to)
      std::memcpy(to, args->buffer, args->buffer_size_in_bytes);
    args->buffer = to;
  }
  return nullptr;
}

/// The vendor's profiler as the settings want it.
void makeProfiler() {
  auto *theirs = vendor->extension_start;
  while (theirs && theirs->type != PJRT_Extension_Type_Profiler)
    theirs = theirs->next;
  if (!theirs)
    return;
  profilerExtension =
      *reinterpret_cast<const PJRT_Profiler_Extension *>(theirs);
  vendorProfiler =
      static_cast<const PLUGIN_Profiler_Api *>(profilerExtension.profiler_api);
  profiler = *vendorProfiler;
#define FUNCTION(name)                                                         \
  profiler.name =                                                              \
      settings.profiler == "null-" #name ? nullptr : profiler_##name;
  FUNCTION(create)
  FUNCTION(destroy)
  FUNCTION(start)
  FUNCTION(stop)
  FUNCTION(collect_data)
#undef FUNCTION
  profilerExtension.profiler_api = &profiler;
}

/// Copies the vendor's chain of extensions, with that profiler or without one.
void makeExtensions() {
  makeProfiler();
  // Tables that were given away may still be read.
  static std::vector<std::unique_ptr<char[]>> copies;
  PJRT_Extension_Base **end = &table.extension_start;
  for (auto *e = vendor->extension_start; e; e = e->next) {
    bool isProfiler = e->type == PJRT_Extension_Type_Profiler;
    if (isProfiler && settings.profiler == "none")
      continue;
    auto &copy = copies.emplace_back(new char[e->struct_size]);
    const void *from =
        isProfiler ? static_cast<const void *>(&profilerExtension) : e;
    std::memcpy(copy.get(), from, e->struct_size);
    *end = reinterpret_cast<PJRT_Extension_Base *>(copy.get());
    end = &(*end)->next;
  }
  *end = nullptr;
}

void makeTable() {
  table = *vendor;
  makeExtensions();
#define SLOT(name) table.PJRT_##name = name;
  PJRT_API_SLOTS(SLOT)
#undef SLOT
  table.PJRT_Error_GetCode = vendor->PJRT_Error_GetCode;
  table.PJRT_Error_ForEachPayload = vendor->PJRT_Error_ForEachPayload;
#define SLOT(name)                                                             \
  if (settings.null == "PJRT_" #name)                                          \
    table.PJRT_##name = nullptr;
  PJRT_API_SLOTS(SLOT)
#undef SLOT
  table.struct_size = settings.size;
  table.pjrt_api_version.minor_version = settings.minor;
  if (settings.size < sizeof(PJRT_Api))
    std::memset(reinterpret_cast<char *>(&table) + settings.size, 0xa5,
                sizeof(PJRT_Api) - settings.size);
}

} // namespace

extern "C" {

/// Settings as in LYING_PLUGIN; counts calls from 1 again.
__attribute__((visibility("default"))) void
lying_plugin_configure(const char *text) {
  settings = Settings();
  for (std::string rest = text ? text : ""; !rest.empty();) {
    std::string one = rest.substr(0, rest.find(','));
    rest = one.size() < rest.size() ? rest.substr(one.size() + 1) : "";
    std::string key = one.substr(0, one.find('='));
    std::string value =
        key.size() < one.size() ? one.substr(key.size() + 1) : "";
    long number = std::strtol(value.c_str(), nullptr, 10);
    if (key == "minor")
      settings.minor = int(number);
    else if (key == "size")
      settings.size = size_t(number);
    else if (key == "null")
      settings.null = value;
    else if (key == "fail")
      settings.fail = number;
    else if (key == "lie")
      settings.lie = number;
    else if (key == "profiler")
      settings.profiler = value;
    else if (key == "seed")
      settings.seed = unsigned(number);
  }
  calls = 0;
  makeTable();
}

/// The calls since the last configuration.
__attribute__((visibility("default"))) long lying_plugin_calls() {
  return calls;
}

__attribute__((visibility("default"))) const PJRT_Api *GetPjrtApi() {
  if (!vendor) {
    void *library = dlopen(SHARDWRIGHT_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    auto entry = library ? reinterpret_cast<const PJRT_Api *(*)()>(
                               dlsym(library, "GetPjrtApi"))
                         : nullptr;
    if (!entry)
      return nullptr;
    vendor = entry();
    lying_plugin_configure(std::getenv("LYING_PLUGIN"));
  }
  return &table;
}

} // extern "C"
