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
//   hang=N            the events that the N-th call makes are never set
//   stuck=N           the N-th call does not return
//   profiler=none     it has no profiler
//   profiler=X        create, start, stop or collect_data of its profiler
//                     returns an error, or is missing (X=null-create)
//   profiler=query    the profiler tells the size of its data first, and copies
//                     the data to the caller's memory then
//   profiler=noise    its data are no XSpace; profiler=huge: too large to be
//
//   layouts=none      it does not report layouts
//   layouts=tiled     its memory has tiles, as that of TPUs: layouts are
//                     reported and taken with tiles, and arrays are only read
//                     in a layout that the caller gives
//   layouts=ignored   it reports row-major layouts only
//   refuse=regions    it does not compile manual computations
//
// With tiled and ignored, and with layouts=strict, programs refuse arguments in
// another layout or memory than their own, as XLA's do.
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
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

const PJRT_Api *vendor = nullptr;
PJRT_Api table;

struct Settings {
  int minor = 70;
  size_t size = 944;
  std::string null, profiler, layouts, refuse;
  long fail = 0, lie = 0, hang = 0, stuck = 0;
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

const PJRT_Layouts_Extension *vendorLayouts = nullptr;
PJRT_Layouts_Extension layouts;

/// The text of a layout as our plugin has it.
std::string textOf(PJRT_Layouts_MemoryLayout *layout) {
  PJRT_Layouts_MemoryLayout_Serialize_Args args{};
  args.struct_size = sizeof(args);
  args.layout = layout;
  vendorLayouts->PJRT_Layouts_MemoryLayout_Serialize(&args);
  std::string text(args.serialized_bytes, args.serialized_bytes_size);
  args.serialized_layout_deleter(args.serialized_layout);
  return text;
}

/// In the place of the vendor's function: text with tiles, or of another order.
PJRT_Error *serializeLayout(PJRT_Layouts_MemoryLayout_Serialize_Args *args) {
  std::string text = textOf(args->layout);
  if (settings.layouts == "tiled" && text.size() > 2)
    text.insert(text.size() - 1, ":T(8,128)");
  if (settings.layouts == "ignored" && text == "{0,1}")
    text = "{1,0}";
  auto *kept = new std::string(std::move(text));
  args->serialized_bytes = kept->data();
  args->serialized_bytes_size = kept->size();
  args->serialized_layout =
      reinterpret_cast<PJRT_Layouts_SerializedLayout *>(kept);
  args->serialized_layout_deleter = [](PJRT_Layouts_SerializedLayout *kept) {
    delete reinterpret_cast<std::string *>(kept);
  };
  return nullptr;
}

/// The kind of the memory that a buffer is in.
std::string memoryOf(PJRT_Buffer *buffer) {
  PJRT_Buffer_Memory_Args memory{};
  memory.struct_size = sizeof(memory);
  memory.buffer = buffer;
  vendor->PJRT_Buffer_Memory(&memory);
  PJRT_Memory_Kind_Args kind{};
  kind.struct_size = sizeof(kind);
  kind.memory = memory.memory;
  vendor->PJRT_Memory_Kind(&kind);
  return std::string(kind.kind, kind.kind_size);
}

/// True if the arguments are in the layouts and memories of the program.
bool haveLayouts(const PJRT_LoadedExecutable_Execute_Args *args) {
  PJRT_LoadedExecutable_GetExecutable_Args get{};
  get.struct_size = sizeof(get);
  get.loaded_executable = args->executable;
  vendor->PJRT_LoadedExecutable_GetExecutable(&get);
  PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args wanted{};
  wanted.struct_size = sizeof(wanted);
  wanted.executable = get.executable;
  vendorLayouts->PJRT_Layouts_PJRT_Executable_GetParameterLayouts(&wanted);
  PJRT_Executable_ParameterMemoryKinds_Args memories{};
  memories.struct_size = sizeof(memories);
  memories.executable = get.executable;
  vendor->PJRT_Executable_ParameterMemoryKinds(&memories);
  bool areEqual = true;
  for (size_t d = 0; d < args->num_devices; ++d)
    for (size_t i = 0; i < args->num_args; ++i) {
      PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args found{};
      found.struct_size = sizeof(found);
      found.buffer = args->argument_lists[d][i];
      vendorLayouts->PJRT_Layouts_PJRT_Buffer_MemoryLayout(&found);
      // Sizes of elements are no part of the order: {1,0:E(4)}.
      auto order = [](const std::string &text) {
        return text.substr(0, text.find_first_of(":}"));
      };
      areEqual &=
          order(textOf(found.layout)) == order(textOf(wanted.layouts[i]));
      areEqual &=
          memoryOf(found.buffer) ==
          std::string(memories.memory_kinds[i], memories.memory_kind_sizes[i]);
      PJRT_Layouts_MemoryLayout_Destroy_Args destroy{};
      destroy.struct_size = sizeof(destroy);
      destroy.layout = found.layout;
      vendorLayouts->PJRT_Layouts_MemoryLayout_Destroy(&destroy);
    }
  PJRT_Executable_Destroy_Args destroy{};
  destroy.struct_size = sizeof(destroy);
  destroy.executable = get.executable;
  vendor->PJRT_Executable_Destroy(&destroy);
  return areEqual;
}

/// Calls the vendor under the rules of `layouts`.
template <typename Args>
PJRT_Error *callWithLayouts(PJRT_Error *(*function)(Args *), Args *args) {
  bool isTiled = settings.layouts == "tiled";
  if constexpr (std::is_same_v<Args, PJRT_LoadedExecutable_Execute_Args>)
    if (!settings.layouts.empty() && settings.layouts != "none" &&
        !haveLayouts(args))
      return someError();
  if constexpr (std::is_same_v<Args, PJRT_Buffer_ToHostBuffer_Args>)
    if (isTiled && !args->host_layout)
      return someError();
  if constexpr (std::is_same_v<Args, PJRT_Client_BufferFromHostBuffer_Args>)
    if (isTiled && args->device_layout) {
      PJRT_Buffer_MemoryLayout_Tiled &tiled = args->device_layout->tiled;
      if (tiled.num_tiles != 1 || tiled.tile_dim_sizes[0] != 2 ||
          tiled.tile_dims[0] != 8 || tiled.tile_dims[1] != 128)
        return someError();
      tiled.num_tiles = 0;
    }
  return function(args);
}

/// Events that are never set, until they are destroyed.
std::mutex hangingMutex;
std::set<const PJRT_Event *> hanging;

void hang(const PJRT_Event *event) {
  std::lock_guard lock(hangingMutex);
  if (event)
    hanging.insert(event);
}
bool hangs(const PJRT_Event *event) {
  std::lock_guard lock(hangingMutex);
  return hanging.count(event);
}

[[noreturn]] void sleepForEver() {
  while (true)
    std::this_thread::sleep_for(std::chrono::hours(1));
}

/// Calls the vendor; the events that the call makes are never set.
template <typename Args>
PJRT_Error *callAndHang(PJRT_Error *(*function)(Args *), Args *args) {
  PJRT_Error *error = function(args);
  if (error)
    return error;
  if constexpr (std::is_same_v<Args, PJRT_LoadedExecutable_Execute_Args>)
    for (size_t d = 0; args->device_complete_events && d < args->num_devices;
         ++d)
      hang(args->device_complete_events[d]);
  if constexpr (std::is_same_v<Args, PJRT_Client_BufferFromHostBuffer_Args>)
    hang(args->done_with_host_buffer);
  if constexpr (std::is_same_v<Args, PJRT_Buffer_ToHostBuffer_Args> ||
                std::is_same_v<Args, PJRT_Buffer_ReadyEvent_Args>)
    hang(args->event);
  return nullptr;
}

/// True if the call waits for an event that is never set, and has been done.
template <typename Args> bool isOfHanging(Args *args) {
  if constexpr (std::is_same_v<Args, PJRT_Event_OnReady_Args>)
    return hangs(args->event);
  if constexpr (std::is_same_v<Args, PJRT_Event_IsReady_Args>)
    return hangs(args->event) && !(args->is_ready = false);
  if constexpr (std::is_same_v<Args, PJRT_Event_Await_Args>)
    if (hangs(args->event))
      sleepForEver();
  if constexpr (std::is_same_v<Args, PJRT_Event_Destroy_Args>) {
    std::lock_guard lock(hangingMutex);
    hanging.erase(args->event);
  }
  return false;
}

template <typename Args>
PJRT_Error *call(PJRT_Error *(*function)(Args *), Args *args, bool mayGrow) {
  long number = ++calls;
  if constexpr (std::is_same_v<Args, PJRT_Client_Compile_Args>)
    dump(args);
  if (number == settings.fail)
    return someError();
  if constexpr (std::is_same_v<Args, PJRT_Client_Compile_Args>)
    if (settings.refuse == "regions" && args->program &&
        std::string_view(args->program->code, args->program->code_size)
                .find("manual_computation") != std::string_view::npos)
      return someError();
  if (number == settings.stuck)
    sleepForEver();
  if (number == settings.hang)
    return callAndHang(function, args);
  if (isOfHanging(args))
    return nullptr;
  if (number != settings.lie)
    return callWithLayouts(function, args);
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

/// The vendor's layouts as the settings want them.
void makeLayouts() {
  auto *theirs = vendor->extension_start;
  while (theirs && theirs->type != PJRT_Extension_Type_Layouts)
    theirs = theirs->next;
  if (!theirs)
    return;
  vendorLayouts = reinterpret_cast<const PJRT_Layouts_Extension *>(theirs);
  layouts = *vendorLayouts;
  layouts.PJRT_Layouts_MemoryLayout_Serialize = serializeLayout;
}

/// Copies the vendor's chain of extensions, with those of the settings.
void makeExtensions() {
  makeProfiler();
  makeLayouts();
  // Tables that were given away may still be read.
  static std::vector<std::unique_ptr<char[]>> copies;
  PJRT_Extension_Base **end = &table.extension_start;
  for (auto *e = vendor->extension_start; e; e = e->next) {
    bool isProfiler = e->type == PJRT_Extension_Type_Profiler;
    bool isLayouts = e->type == PJRT_Extension_Type_Layouts;
    if ((isProfiler && settings.profiler == "none") ||
        (isLayouts && settings.layouts == "none"))
      continue;
    auto &copy = copies.emplace_back(new char[e->struct_size]);
    const void *from = e;
    if (isProfiler)
      from = &profilerExtension;
    else if (isLayouts)
      from = &layouts;
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
    else if (key == "hang")
      settings.hang = number;
    else if (key == "stuck")
      settings.stuck = number;
    else if (key == "profiler")
      settings.profiler = value;
    else if (key == "refuse")
      settings.refuse = value;
    else if (key == "layouts")
      settings.layouts = value;
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
