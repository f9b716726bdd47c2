//===- wrapper.cc - another vendor's plugin, partitioned by us ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/wrapper/wrapper.h"

#include "shardwright/pjrt/api/run_recorder.h"
#include "shardwright/pjrt/base/status.h"
#include "shardwright/pjrt/extensions/extensions.h"
#include "shardwright/pjrt/wrapper/profiler.h"
#include "shardwright/pjrt/wrapper/repartition.h"
#include "shardwright/pjrt_client/plugin.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

using namespace shardwright;
using namespace shardwright::pjrt;

namespace {

/// Errors of ours among those of the vendor, whose functions cannot read them.
class OwnErrors {
public:
  PJRT_Error *add(PJRT_Error *error) {
    std::lock_guard lock(mutex);
    if (error)
      live.insert(error);
    return error;
  }
  bool contains(const PJRT_Error *error) {
    std::lock_guard lock(mutex);
    return live.contains(error);
  }
  void remove(const PJRT_Error *error) {
    std::lock_guard lock(mutex);
    live.erase(error);
  }

private:
  std::mutex mutex;
  llvm::DenseSet<const PJRT_Error *> live;
};

/// The state behind the table; lives until the process ends.
struct Wrapper {
  std::shared_ptr<const pjrt_client::Plugin> plugin;
  const PJRT_Api *vendor = nullptr;
  const PJRT_Api *own = nullptr;
  /// As long as the vendor's table.
  std::vector<char> bytes;
  std::vector<std::vector<char>> extensions;
  OwnErrors errors;
  std::string problem; ///< why the vendor's plugin cannot be used

  PJRT_Api &table() { return *reinterpret_cast<PJRT_Api *>(bytes.data()); }
};

} // namespace

static Wrapper &wrapper() {
  static auto *only = new Wrapper();
  return *only;
}

//===----------------------------------------------------------------------===//
// Functions in the place of the vendor's
//===----------------------------------------------------------------------===//

static void destroyError(PJRT_Error_Destroy_Args *args) {
  Wrapper &w = wrapper();
  if (args && w.errors.contains(args->error)) {
    w.errors.remove(args->error);
    return w.own->PJRT_Error_Destroy(args);
  }
  w.vendor->PJRT_Error_Destroy(args);
}

static void errorMessage(PJRT_Error_Message_Args *args) {
  Wrapper &w = wrapper();
  const PJRT_Api *api =
      args && w.errors.contains(args->error) ? w.own : w.vendor;
  api->PJRT_Error_Message(args);
}

static PJRT_Error *errorCode(PJRT_Error_GetCode_Args *args) {
  Wrapper &w = wrapper();
  const PJRT_Api *api =
      args && w.errors.contains(args->error) ? w.own : w.vendor;
  return api->PJRT_Error_GetCode(args);
}

static PJRT_Error *errorPayloads(PJRT_Error_ForEachPayload_Args *args) {
  Wrapper &w = wrapper();
  const PJRT_Api *api =
      args && w.errors.contains(args->error) ? w.own : w.vendor;
  return api->PJRT_Error_ForEachPayload(args);
}

/// Asks the vendor for the name of the platform of a client or topology; empty
/// if there is none.
template <typename NameArgs, typename Handle>
static std::string platformName(PJRT_Error *(*function)(NameArgs *),
                                Handle NameArgs::*place, Handle handle) {
  if (!handle)
    return "";
  const pjrt_client::Plugin &plugin = *wrapper().plugin;
  NameArgs args{};
  args.struct_size = sizeof(NameArgs);
  args.*place = handle;
  if (llvm::Error error = plugin.call("PlatformName", function, args)) {
    llvm::consumeError(std::move(error));
    return "";
  }
  auto name =
      plugin.text("PlatformName", args.platform_name, args.platform_name_size);
  if (name)
    return *name;
  llvm::consumeError(name.takeError());
  return "";
}

static Target targetOf(const PJRT_Client_Compile_Args &args) {
  return targetOfPlatform(
      platformName(wrapper().vendor->PJRT_Client_PlatformName,
                   &PJRT_Client_PlatformName_Args::client, args.client));
}

static Target targetOf(const PJRT_Compile_Args &args) {
  return targetOfPlatform(platformName(
      wrapper().plugin->functions().PJRT_TopologyDescription_PlatformName,
      &PJRT_TopologyDescription_PlatformName_Args::topology, args.topology));
}

/// What happens to programs that we cannot partition, or whose partition the
/// vendor refuses: SHARDWRIGHT_BACKEND_FALLBACK.
enum class Fallback { Error, Vendor };

static llvm::Expected<Fallback> fallback() {
  const char *text = std::getenv("SHARDWRIGHT_BACKEND_FALLBACK");
  llvm::StringRef name = text ? text : "";
  if (name.empty() || name == "error")
    return Fallback::Error;
  if (name == "vendor")
    return Fallback::Vendor;
  return llvm::createStringError("SHARDWRIGHT_BACKEND_FALLBACK is '" + name +
                                 "', expected error or vendor");
}

constexpr llvm::StringLiteral fallbackRemedy(
    "SHARDWRIGHT_BACKEND_FALLBACK=vendor lets the plugin partition such "
    "programs.");

/// Says on standard error that the vendor partitions a program.
static void warnOfFallback(llvm::StringRef why) {
  llvm::errs() << ("warning: " + why +
                   "\nIt is partitioned by the plugin instead "
                   "(SHARDWRIGHT_BACKEND_FALLBACK=vendor).\n")
                      .str();
}

/// Calls the vendor with another program and other options.
template <typename Args>
static PJRT_Error *callWith(PJRT_Error *(*vendor)(Args *), Args *args,
                            const PJRT_Program &program,
                            llvm::StringRef options) {
  const PJRT_Program *givenProgram = std::exchange(args->program, &program);
  const char *givenOptions =
      std::exchange(args->compile_options, options.data());
  size_t givenSize = std::exchange(args->compile_options_size, options.size());
  PJRT_Error *error = vendor(args);
  args->program = givenProgram;
  args->compile_options = givenOptions;
  args->compile_options_size = givenSize;
  return error;
}

/// Calls the vendor with the program as it is.
template <typename Args>
static PJRT_Error *callUnchanged(PJRT_Error *(*vendor)(Args *), Args *args) {
  std::string options =
      withoutOwnOptions({args->compile_options, args->compile_options_size});
  return callWith(vendor, args, *args->program, options);
}

/// Partitions the program and calls the vendor; `changed` is none for programs
/// that it may see as they are. Errors are ours, but for those of the vendor.
template <typename Args>
static PJRT_Error *partitionAndCompile(PJRT_Error *(*vendor)(Args *),
                                       Args *args) {
  Wrapper &w = wrapper();
  auto whenRefused = fallback();
  if (!whenRefused)
    return w.errors.add(
        toPjrt(whenRefused.takeError(), PJRT_Error_Code_INVALID_ARGUMENT));
  bool isForVendor = *whenRefused == Fallback::Vendor;
  int64_t begin = nowInNanoseconds();
  auto changed = repartition(
      *args->program, {args->compile_options, args->compile_options_size},
      w.plugin->stablehloVersion(), targetOf(*args));
  if (!changed) {
    std::string why = llvm::toString(changed.takeError());
    if (!isForVendor)
      return w.errors.add(errorFromText(why + "\n" + fallbackRemedy.str(),
                                        PJRT_Error_Code_INVALID_ARGUMENT));
    warnOfFallback("shardwright cannot partition a program: " + why);
    return callUnchanged(vendor, args);
  }
  if (!*changed)
    return vendor(args);
  notePartitioning((*changed)->name, begin);
  PJRT_Program program = *args->program;
  program.code = (*changed)->code.data();
  program.code_size = (*changed)->code.size();
  PJRT_Error *error = callWith(vendor, args, program, (*changed)->options);
  if (!error)
    return nullptr;
  std::string why =
      llvm::toString(w.plugin->take("PJRT_Client_Compile", error));
  if (isForVendor) {
    warnOfFallback(why + "\nThe plugin refuses Shardwright's partition of " +
                   (*changed)->name);
    return callUnchanged(vendor, args);
  }
  // CODE: message, without the name of the plugin.
  llvm::StringRef text = why;
  text.consume_front((w.plugin->name() + ": PJRT_Client_Compile: ").str());
  return w.errors.add(
      errorFromText((text + "\nThe plugin refuses Shardwright's partition of " +
                     (*changed)->name + ". " + fallbackRemedy)
                        .str(),
                    PJRT_Error_Code_UNKNOWN));
}

/// Calls the vendor with a program that is partitioned, or the given one.
template <typename Args>
static PJRT_Error *compileWith(PJRT_Error *(*vendor)(Args *), Args *args) {
  if (!args || args->struct_size < leastSize<Args> || !args->program)
    return vendor(args); // which has to say what is wrong
  PJRT_Error *result = nullptr;
  // `guarded` keeps exceptions in.
  PJRT_Error *error = guarded("Client_Compile", args, [&]() -> PJRT_Error * {
    result = partitionAndCompile(vendor, args);
    return nullptr;
  });
  return error ? wrapper().errors.add(error) : result;
}

static PJRT_Error *clientCompile(PJRT_Client_Compile_Args *args) {
  return compileWith(wrapper().vendor->PJRT_Client_Compile, args);
}

static PJRT_Error *compileForTopology(PJRT_Compile_Args *args) {
  return compileWith(wrapper().vendor->PJRT_Compile, args);
}

static PJRT_Error *failToInitialize(PJRT_Plugin_Initialize_Args *) {
  return makeError(PJRT_Error_Code_FAILED_PRECONDITION,
                   "SHARDWRIGHT_BACKEND: " + wrapper().problem);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// Copies the vendor's extensions, whose links cannot be changed. Puts our
/// custom partitioner in the place of the vendor's, because we expand these
/// calls, and a profiler that knows of both in the place of its profiler.
static void copyExtensions(Wrapper &w) {
  PJRT_Extension_Base **end = &w.table().extension_start;
  auto append = [&](const PJRT_Extension_Base *extension, size_t size) {
    auto &copy = w.extensions.emplace_back(size);
    std::memcpy(copy.data(), extension, size);
    auto *base = reinterpret_cast<PJRT_Extension_Base *>(copy.data());
    *end = base;
    end = &base->next;
  };
  constexpr size_t kMostBytes = 1 << 16;
  int left = 256;
  for (const PJRT_Extension_Base *e = w.vendor->extension_start; e && left--;
       e = e->next)
    if (e->type != PJRT_Extension_Type_Custom_Partitioner &&
        e->type != PJRT_Extension_Type_Profiler &&
        e->struct_size >= sizeof(PJRT_Extension_Base) &&
        e->struct_size <= kMostBytes)
      append(e, e->struct_size);
  PJRT_Extension_Base *partitioner = customPartitionerExtension();
  append(partitioner, partitioner->struct_size);
  PJRT_Extension_Base *profiler = wrapperProfiler(w.plugin);
  append(profiler, profiler->struct_size);
  *end = nullptr;
}

static void makeTable(Wrapper &w) {
  size_t size = pjrt_client::tableSizeOf(w.plugin->minorVersion());
  // Of newer plugins nobody but they knows the size.
  if (w.plugin->minorVersion() > w.own->pjrt_api_version.minor_version)
    size = 1 << 14;
  size = std::min(size, w.vendor->struct_size);
  w.bytes.resize(std::max(size, sizeof(PJRT_Api)));
  std::memcpy(w.bytes.data(), w.vendor, size);
  PJRT_Api &table = w.table();
  table.struct_size = size;
  table.PJRT_Error_Destroy = destroyError;
  table.PJRT_Error_Message = errorMessage;
  table.PJRT_Error_GetCode = errorCode;
  if (table.PJRT_Error_ForEachPayload)
    table.PJRT_Error_ForEachPayload = errorPayloads;
  if (table.PJRT_Client_Compile)
    table.PJRT_Client_Compile = clientCompile;
  if (table.PJRT_Compile)
    table.PJRT_Compile = compileForTopology;
  copyExtensions(w);
}

const PJRT_Api *pjrt::wrapperTable(const PJRT_Api &own) {
  const char *path = std::getenv("SHARDWRIGHT_BACKEND");
  static thread_local bool isLoading = false;
  if (!path || !*path || isLoading)
    return nullptr;
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  Wrapper &w = wrapper();
  if (!w.bytes.empty())
    return &w.table();
  w.own = &own;
  isLoading = true;
  auto plugin = pjrt_client::Plugin::load(path);
  isLoading = false;
  if (plugin) {
    w.plugin = std::move(*plugin);
    w.vendor = w.plugin->original();
    makeTable(w);
  } else {
    w.problem = llvm::toString(plugin.takeError());
    w.vendor = &own;
    w.bytes.resize(sizeof(PJRT_Api));
    w.table() = own;
    w.table().PJRT_Plugin_Initialize = failToInitialize;
  }
  return &w.table();
}
