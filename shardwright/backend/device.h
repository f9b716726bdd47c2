//===- device.h - devices and their memories --------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device has three different numbers:
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

/// The global number of a device. Converts from integers, but not from
/// LocalDeviceId.
class DeviceId {
public:
  constexpr DeviceId() = default;
  constexpr DeviceId(int32_t number) : value(number) {}
  constexpr int32_t number() const { return value; }
  friend constexpr auto operator<=>(DeviceId, DeviceId) = default;

private:
  int32_t value = 0;
};

/// Maximum number of devices of a program, so that per-device data fits in
/// memory.
inline constexpr int64_t kMaxDevices = 1 << 20;

/// The number of a device among those of this process.
enum class LocalDeviceId : int32_t {};

/// Memories of a device, as frameworks name them. For backends whose devices
/// compute in host memory, they differ only in name.
enum class MemoryKind : uint8_t { Device, PinnedHost, UnpinnedHost };
/// `device`, `pinned_host`, `unpinned_host`.
llvm::StringRef str(MemoryKind kind);
std::optional<MemoryKind> memoryKindNamed(llvm::StringRef name);

/// The location of an array.
struct MemoryPlace {
  DeviceId device;
  MemoryKind memory = MemoryKind::Device;
};

/// The description of a device by its backend.
struct DeviceInfo {
  DeviceId id;
  /// None if the device belongs to another process.
  std::optional<LocalDeviceId> localId;
  /// The process that the device belongs to.
  int32_t process = 0;
  /// The model of the device, like `shardwright-cpu`.
  std::string kind;
  /// Memories of the device; the first is the default.
  llvm::ArrayRef<MemoryKind> memories;
};

} // namespace shardwright

#endif // SHARDWRIGHT_BACKEND_DEVICE_H
