//===- device.h - devices of the process ------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_MESH_DEVICE_H
#define SHARDWRIGHT_FRONTEND_MESH_DEVICE_H

#include "shardwright/frontend/base/config.h"
#include "shardwright/frontend/base/error.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace shardwright {
class Client;
}

namespace shardwright::frontend {

/// A device, by its number.
struct Device {
  int32_t id = 0;
  /// `cpu:0`.
  std::string str() const;
  /// `CpuDevice(id=0)`.
  std::string repr() const;
  friend bool operator==(Device, Device) = default;
};

/// The devices of the process. Their number is that of `setDeviceCount`, else
/// the environment's SHARDWRIGHT_NUM_DEVICES, else 1.
std::vector<Device> devices();
/// Sets the number of virtual devices. An error after the first use of a
/// device, or unless 1 <= count <= 1048576.
Status setDeviceCount(int32_t count);
/// The device of config::defaultDevice, if there is one.
std::optional<Device> defaultDevice();
/// The default device for a scope (JAX: `with jax.default_device(d)`).
class ScopedDefaultDevice {
public:
  explicit ScopedDefaultDevice(Device device)
      : scope(config::defaultDevice, device.id) {}

private:
  ScopedConfig<int64_t> scope;
};
/// `[0, 1]`: numbers of devices, as messages list them.
std::string idsText(const std::vector<Device> &devices);

/// The runtime's client that owns the devices.
Client &client();

/// While a running program calls a function of the host, its device is busy:
/// programs that this thread starts in the scope run on virtual devices of
/// their own, with the same numbers.
class ScopedCallbackClient {
public:
  ScopedCallbackClient();
  ~ScopedCallbackClient();
  ScopedCallbackClient(const ScopedCallbackClient &) = delete;
  ScopedCallbackClient &operator=(const ScopedCallbackClient &) = delete;
};

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_MESH_DEVICE_H
