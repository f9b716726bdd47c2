//===- device.cc - devices of the process ---------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/mesh/device.h"

#include "shardwright/frontend/mesh/call_depth.h"
#include "shardwright/frontend/mesh/device_check.h"
#include "shardwright/frontend/mesh/run_data.h"

#include "shardwright/runtime/client.h"
#include "shardwright/runtime/custom_call.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <unistd.h>

namespace shardwright::frontend {
namespace {
std::mutex mutex;
int32_t wanted = 0;
bool used = false;

int32_t initialCount() {
  std::lock_guard lock(mutex);
  used = true;
  if (wanted > 0)
    return wanted;
  const char *text = std::getenv("SHARDWRIGHT_NUM_DEVICES");
  long count = text ? std::strtol(text, nullptr, 10) : 1;
  return count >= 1 && count <= kMaxDevices ? static_cast<int32_t>(count) : 1;
}
} // namespace

namespace {

/// Depths of the functions that this thread is in, the outermost first. There
/// is nothing to destroy: objects that end after the thread may ask.
struct Depths {
  std::array<size_t, detail::maxCallDepth + 2> values = {};
  size_t count = 0;
};
thread_local Depths depths;

/// One client for each depth of programs (call_depth.h). Never destroyed:
/// arrays in static variables may outlive any order.
struct Clients {
  std::mutex mutex;
  std::vector<Client *> byDepth;
  /// That of depth 0.
  std::atomic<Client *> process = nullptr;
  /// A child of fork has the clients, but not their threads.
  const pid_t owner = getpid();

  Client &get(size_t depth) {
    std::lock_guard lock(mutex);
    while (byDepth.size() <= depth)
      byDepth.push_back(
          byDepth.empty() ? new Client(/*threads=*/0, initialCount())
                          : new Client(*byDepth[0], byDepth[0]->numDevices()));
    process = byDepth[0];
    return *byDepth[depth];
  }
  /// Waits until no run is in flight. Only runs of one depth start those of
  /// the next.
  void drain() {
    for (size_t depth = 0; getpid() == owner; ++depth) {
      Client *next = nullptr;
      {
        std::lock_guard lock(mutex);
        if (depth == byDepth.size())
          return;
        next = byDepth[depth];
      }
      next->drain();
    }
  }
};
Clients &clients() {
  static auto *made = [] {
    auto *all = new Clients;
    // If a thread other than main calls exit.
    std::atexit([] { clients().drain(); });
    return all;
  }();
  return *made;
}

/// The destructor waits for runs in flight if the main thread ends. That is
/// before any static object is destroyed, of libraries that a run uses or of
/// functions that it calls.
struct DrainWithMain {
  ~DrainWithMain() {
    if (gettid() == getpid())
      clients().drain();
  }
};

} // namespace

Client &client() {
  static thread_local DrainWithMain drainWithMain;
  Clients &all = clients();
  size_t depth = detail::callDepth();
  if (depth == 0)
    if (Client *made = all.process)
      return *made;
  return all.get(depth);
}

size_t detail::callDepth() {
  return depths.count
             ? depths.values[std::min(depths.count, depths.values.size()) - 1]
             : 0;
}

// The thread may be any one that works for the run.
ScopedCallbackClient::ScopedCallbackClient() {
  // A function beyond the greatest depth is not called.
  size_t next = std::min(depths.count, depths.values.size() - 1);
  depths.values[next] = detail::depthOfRun() + 1;
  ++depths.count;
}
ScopedCallbackClient::~ScopedCallbackClient() { --depths.count; }

Status setDeviceCount(int32_t count) {
  std::lock_guard lock(mutex);
  if (used)
    return makeError(ErrorKind::Runtime,
                     "setDeviceCount must be called before the first use of a "
                     "device");
  if (count < 1 || count > kMaxDevices)
    return valueError("setDeviceCount needs a number from 1 to ",
                      static_cast<int64_t>(kMaxDevices), ", got ", count);
  wanted = count;
  return {};
}

std::vector<Device> devices() {
  static const int32_t count = client().numDevices();
  std::vector<Device> all(count);
  for (int32_t i = 0; i < count; ++i)
    all[i].id = i;
  return all;
}

Status checkDevices(const std::vector<Device> &list) {
  int64_t count = client().numDevices();
  for (Device device : list)
    if (device.id < 0 || device.id >= count)
      return valueError("There is no device ", device.id, "; the process has ",
                        count);
  return {};
}

std::optional<Device> defaultDevice() {
  int64_t id = config::defaultDevice.get();
  if (id < 0)
    return {};
  return Device{static_cast<int32_t>(id)};
}

std::string Device::str() const { return cat("cpu:", id); }
std::string Device::repr() const { return cat("CpuDevice(id=", id, ")"); }

std::string idsText(const std::vector<Device> &list) {
  std::string out = "[";
  for (size_t i = 0; i < list.size(); ++i)
    out += cat(i ? ", " : "", list[i].id);
  return out + "]";
}

} // namespace shardwright::frontend
