//===- device.cc - devices of the process ---------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/mesh/device.h"

#include "shardwright/runtime/client.h"

#include <atomic>
#include <cstdlib>
#include <mutex>

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

/// How many calls of the host this thread is in.
static thread_local size_t callDepth = 0;

static Client &processClient() {
  // Never destroyed: arrays in static variables may outlive any order.
  static Client *shared = [] {
    auto *made = new Client(/*threads=*/0, initialCount());
    // Runs in flight would use libraries that the end of the process destroys.
    std::atexit([] { processClient().drain(); });
    return made;
  }();
  return *shared;
}

Client &client() {
  if (callDepth == 0)
    return processClient();
  // One for each depth, never destroyed.
  static std::mutex clientsMutex;
  static auto *clients = new std::vector<Client *>;
  std::lock_guard lock(clientsMutex);
  while (clients->size() < callDepth)
    clients->push_back(
        new Client(processClient(), processClient().numDevices()));
  return *(*clients)[callDepth - 1];
}

ScopedCallbackClient::ScopedCallbackClient() { ++callDepth; }
ScopedCallbackClient::~ScopedCallbackClient() { --callDepth; }

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
