//===- device.h - devices and their memories --------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three numbers of a device are told apart:
//   DeviceId       global: among the devices of all processes of the job
//   LocalDeviceId  among the devices that this process can address
//   position       in one program: an index into its device assignment, which
//                  maps positions to DeviceIds; always a plain integer
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_BACKEND_DEVICE_H
#define SHARDWRIGHT_BACKEND_DEVICE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

namespace shardwright {

/// The global number of a device. Every integer is one; no LocalDeviceId is.
class DeviceId {
public:
  constexpr DeviceId() = default;
  constexpr DeviceId(int32_t number) : value(number) {}
  constexpr int32_t number() const { return value; }
  friend constexpr auto operator<=>(DeviceId, DeviceId) = default;

private:
  int32_t value = 0;
};

/// The most devices that a program may have: what is kept of each of them has
/// to fit in memory.
inline constexpr int64_t kMaxDevices = 1 << 20;

/// The number of a device among those of this process.
enum class LocalDeviceId : int32_t {};

/// Memories of a device, as frameworks name them. Backends whose devices
/// compute in host memory keep them apart in name only.
enum class MemoryKind : uint8_t { Device, PinnedHost, UnpinnedHost };
/// `device`, `pinned_host`, `unpinned_host`.
llvm::StringRef str(MemoryKind kind);
std::optional<MemoryKind> memoryKindNamed(llvm::StringRef name);

/// Where an array lies.
struct MemoryPlace {
  DeviceId device;
  MemoryKind memory = MemoryKind::Device;
};

/// What a backend says of one of its devices.
struct DeviceInfo {
  DeviceId id;
  /// None: the device belongs to another process.
  std::optional<LocalDeviceId> localId;
  /// The process that the device belongs to.
  int32_t process = 0;
  /// The model of the device, `shardwright-cpu`.
  std::string kind;
  /// The first is the default.
  llvm::ArrayRef<MemoryKind> memories;
};

} // namespace shardwright

#endif // SHARDWRIGHT_BACKEND_DEVICE_H
