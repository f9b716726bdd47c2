//===- profiler.cc - the vendor's profiler and ours as one ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/wrapper/profiler.h"

#include "shardwright/mesh/hlo/proto_wire.h"
#include "shardwright/pjrt/api/run_recorder.h"
#include "shardwright/pjrt/base/handles.h"
#include "shardwright/pjrt/base/status.h"
#include "shardwright/pjrt/extensions/extensions.h"
#include "shardwright/pjrt_abi/extensions.h"
#include "shardwright/pjrt_abi/profiler.h"
#include "shardwright/pjrt_client/plugin_profile.h"

#include <map>

using namespace shardwright;
using namespace shardwright::pjrt;
using pjrt_client::PluginProfile;

namespace {
/// A program that was partitioned, in nanoseconds since the epoch.
struct Partitioning {
  std::string program;
  int64_t begin, end;
};

/// Behind the client's handle.
struct WrapperProfile {
  std::mutex mutex;
  std::unique_ptr<PluginProfile> vendors; ///< null: the vendor has no profiler
  bool isRunning = false;
  std::vector<Partitioning> partitionings;
  std::string space; ///< of the last collection
};
} // namespace

static std::shared_ptr<const pjrt_client::Plugin> &vendorPlugin() {
  static auto *plugin = new std::shared_ptr<const pjrt_client::Plugin>();
  return *plugin;
}

void pjrt::notePartitioning(llvm::StringRef program, int64_t begin) {
  int64_t end = nowInNanoseconds();
  handles<WrapperProfile>().forEach([&](WrapperProfile &profile) {
    std::lock_guard lock(profile.mutex);
    if (profile.isRunning)
      profile.partitionings.push_back({program.str(), begin, end});
  });
}

/// An XSpace with one plane and one line: the programs that were partitioned.
/// Its fields are listed in run_recorder.cc.
static std::string toXSpace(llvm::ArrayRef<Partitioning> partitionings) {
  if (partitionings.empty())
    return "";
  int64_t origin = partitionings.front().begin;
  for (const Partitioning &one : partitionings)
    origin = std::min(origin, one.begin);
  ProtoWriter line, plane;
  line.varint(1, 1);
  line.string(2, "partition");
  line.varint(3, origin);
  std::map<std::string, int64_t> names;
  for (const Partitioning &one : partitionings) {
    ProtoWriter event;
    event.varint(
        1, names.try_emplace(one.program, names.size() + 1).first->second);
    event.varint(2, (one.begin - origin) * 1000);
    event.varint(3, (one.end - one.begin) * 1000);
    line.message(4, event.take());
  }
  plane.varint(1, 1);
  plane.string(2, "/device:CUSTOM:shardwright partitioner");
  plane.message(3, line.take());
  writeEventNames(plane, names);
  ProtoWriter space;
  space.message(1, plane.take());
  return space.take();
}

/// Calls `body` with the live profile of the arguments. Does not check
/// struct_size, which jaxlib 0.10.2 leaves unset. The client reads the errors
/// with the functions of our own profiler.
template <typename Args, typename Body>
static PLUGIN_Profiler_Error *profilerCall(Args *args, Body body) {
  PJRT_Error *error;
  if (!args) {
    error = invalid("profiler: the arguments are a null pointer");
  } else if (auto profile = handles<WrapperProfile>().find(
                 reinterpret_cast<WrapperProfile *>(args->profiler))) {
    std::lock_guard lock(profile->mutex);
    error = toPjrt(body(*profile));
  } else {
    error = invalid("profiler: the profiler is null or has been destroyed");
  }
  return reinterpret_cast<PLUGIN_Profiler_Error *>(error);
}

static PLUGIN_Profiler_Error *create(PLUGIN_Profiler_Create_Args *args) {
  auto asError = [](PJRT_Error *error) {
    return reinterpret_cast<PLUGIN_Profiler_Error *>(error);
  };
  if (!args)
    return asError(invalid("profiler: the arguments are a null pointer"));
  auto made = std::make_shared<WrapperProfile>();
  if (pjrt_client::hasProfiler(*vendorPlugin())) {
    auto vendors = PluginProfile::create(vendorPlugin(),
                                         {args->options, args->options_size});
    if (!vendors)
      return asError(toPjrt(vendors.takeError()));
    made->vendors = std::move(*vendors);
  }
  args->profiler = reinterpret_cast<PLUGIN_Profiler *>(
      handles<WrapperProfile>().add(std::move(made)));
  return nullptr;
}

static PLUGIN_Profiler_Error *destroy(PLUGIN_Profiler_Args *args) {
  if (!args || !args->profiler)
    return nullptr;
  PLUGIN_Profiler_Error *error =
      profilerCall(args, [](WrapperProfile &) -> llvm::Error {
        return llvm::Error::success();
      });
  handles<WrapperProfile>().remove(
      reinterpret_cast<WrapperProfile *>(args->profiler));
  return error;
}

static PLUGIN_Profiler_Error *start(PLUGIN_Profiler_Args *args) {
  return profilerCall(args, [](WrapperProfile &profile) -> llvm::Error {
    profile.isRunning = true;
    return profile.vendors ? profile.vendors->start() : llvm::Error::success();
  });
}

static PLUGIN_Profiler_Error *stop(PLUGIN_Profiler_Args *args) {
  return profilerCall(args, [](WrapperProfile &profile) -> llvm::Error {
    profile.isRunning = false;
    return profile.vendors ? profile.vendors->stop() : llvm::Error::success();
  });
}

/// Two XSpaces one after the other are one with the planes of both.
static PLUGIN_Profiler_Error *collect(PLUGIN_Profiler_CollectData_Args *args) {
  return profilerCall(args, [&](WrapperProfile &profile) -> llvm::Error {
    profile.space.clear();
    if (profile.vendors) {
      auto bytes = profile.vendors->collect();
      if (!bytes)
        return bytes.takeError();
      profile.space = std::move(*bytes);
    }
    profile.space += toXSpace(profile.partitionings);
    args->buffer = reinterpret_cast<uint8_t *>(profile.space.data());
    args->buffer_size_in_bytes = profile.space.size();
    return llvm::Error::success();
  });
}

PJRT_Extension_Base *
pjrt::wrapperProfiler(std::shared_ptr<const pjrt_client::Plugin> vendor) {
  vendorPlugin() = std::move(vendor);
  auto *own = reinterpret_cast<PJRT_Profiler_Extension *>(profilerExtension());
  static PLUGIN_Profiler_Api api =
      *static_cast<PLUGIN_Profiler_Api *>(own->profiler_api);
  api.create = create;
  api.destroy = destroy;
  api.start = start;
  api.stop = stop;
  api.collect_data = collect;
  static PJRT_Profiler_Extension extension = *own;
  extension.profiler_api = &api;
  return &extension.base;
}
