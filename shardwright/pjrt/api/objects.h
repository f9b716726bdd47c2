//===- objects.h - objects behind the client's handles ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_API_OBJECTS_H
#define SHARDWRIGHT_PJRT_API_OBJECTS_H

#include "shardwright/job/job.h"
#include "shardwright/pjrt/api/replica_calls.h"
#include "shardwright/pjrt/base/handles.h"
#include "shardwright/pjrt/base/named_values.h"
#include "shardwright/pjrt/base/status.h"
#include "shardwright/pjrt/request/layout_modes.h"
#include "shardwright/pjrt_abi/api.h"
#include "shardwright/runtime/client.h"
#include "shardwright/runtime/executable.h"

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace shardwright::ffi {
struct FfiUserData;
}
namespace shardwright::pjrt {
struct ClientProgram;
}

struct PJRT_DeviceDescription {
  int id = 0; ///< global
  int process = 0;
  std::string kind, text, debugText;
  shardwright::pjrt::NamedValues attributes;
};

struct PJRT_Device {
  PJRT_Client *client = nullptr;
  PJRT_DeviceDescription *description = nullptr;
  /// None if the device belongs to another process.
  std::optional<shardwright::LocalDeviceId> localId;
  /// The first is the default; empty if the device belongs to another process.
  std::vector<PJRT_Memory *> memories;

  shardwright::DeviceId id() const { return description->id; }
};

namespace shardwright::pjrt {

/// Data that frameworks attach to a memory.
struct UserData {
  const void *key = nullptr;
  void *data = nullptr;
  void (*destroy)(void *) = nullptr;
};

/// The object behind a PJRT_Memory*.
struct MemorySpace : PJRT_Memory {
  ~MemorySpace();
  PJRT_Device *device = nullptr;
  MemoryKind kind = MemoryKind::Device;
  int id = 0;
  std::string text;
  std::mutex mutex;
  std::vector<UserData> userData;
};

inline MemorySpace *space(PJRT_Memory *memory) {
  return static_cast<MemorySpace *>(memory);
}

} // namespace shardwright::pjrt

struct PJRT_TopologyDescription {
  std::vector<std::unique_ptr<PJRT_DeviceDescription>> descriptions;
  std::vector<PJRT_DeviceDescription *> pointers;
  shardwright::pjrt::NamedValues attributes;
};

struct PJRT_Client {
  ~PJRT_Client();
  std::shared_ptr<PJRT_TopologyDescription> topology;
  std::vector<std::unique_ptr<PJRT_Device>> devices;
  std::vector<std::unique_ptr<shardwright::pjrt::MemorySpace>> memories;
  /// The number of this process in its job.
  int process = 0;
  /// The job; null if all devices belong to this process.
  std::shared_ptr<shardwright::Job> job;
  /// Devices of all processes, and those of this process, by id.
  std::vector<PJRT_Device *> devicePointers, addressableDevices;
  std::vector<PJRT_Memory *> memoryPointers; ///< of addressable devices
  std::string platformName, platformVersion;
  /// Whether buffers of 2 and 4 bits report packed sizes (client_options.h).
  bool packedSizes = true;
  /// Whether the client is PyTorch/XLA (client_options.h).
  bool isTorchXla = false;
  /// Runs the client's programs: it has its own devices, and shares the threads
  /// of the process.
  std::unique_ptr<shardwright::Client> runtime;
  /// Calls of programs of several devices on one of them.
  std::unique_ptr<shardwright::pjrt::ReplicaCalls> replicaCalls;
};

struct PJRT_Event {
  shardwright::Event event = shardwright::Event::ready();
};

struct PJRT_Buffer {
  PJRT_Buffer(std::shared_ptr<PJRT_Client> client, PJRT_Memory *memory,
              shardwright::Buffer buffer)
      : client(std::move(client)), memory(memory), buffer(std::move(buffer)) {}

  std::shared_ptr<PJRT_Client> client; ///< keeps device and memory alive
  PJRT_Memory *memory;
  shardwright::Buffer buffer;
  /// True for a token: its type is TOKEN, and it has no elements.
  bool isToken = false;
  /// The layout that clients see (layout_modes.h).
  shardwright::pjrt::MinorToMajor layout;

  /// Memory with external references must not be overwritten.
  std::mutex mutex;
  int64_t externalReferences = 0;
  std::shared_ptr<shardwright::DeviceStorage> heldStorage;
};

struct PJRT_Executable {
  std::shared_ptr<shardwright::pjrt::ClientProgram> program;
};

struct PJRT_LoadedExecutable {
  std::shared_ptr<PJRT_Client> client;
  std::shared_ptr<shardwright::pjrt::ClientProgram> program;
  std::vector<PJRT_Device *> devices; ///< by position of the assignment
  /// The devices of this process, in the same order, and their positions.
  std::vector<PJRT_Device *> addressableDevices;
  std::vector<PJRT_LogicalDeviceIds> logicalIds;
  std::atomic<bool> isDeleted{false};
};

struct PJRT_ExecuteContext {
  std::mutex mutex;
  std::shared_ptr<const shardwright::ffi::FfiUserData> userData;
};

namespace shardwright::pjrt {

/// Returns the object, or null with `error` set to an error that names `what`.
template <typename T>
std::shared_ptr<T> alive(const T *pointer, const char *what,
                         PJRT_Error *&error) {
  std::shared_ptr<T> object = handles<T>().find(pointer);
  if (!object)
    error = invalid(llvm::Twine("the ") + what +
                    (pointer ? " has been destroyed, or is none of this plugin"
                             : " is a null pointer"));
  return object;
}

/// Declares `name`, the live object behind `pointer`, or returns an error.
#define SHARDWRIGHT_ALIVE(name, pointer, what)                                 \
  PJRT_Error *name##Error = nullptr;                                           \
  auto name = alive(pointer, what, name##Error);                               \
  if (!name)                                                                   \
  return name##Error

/// A client of the devices of `runtime`, until PJRT_Client_Destroy.
PJRT_Client *newClient(std::unique_ptr<Client> runtime,
                       std::string platformName);
/// An event that a client owns.
PJRT_Event *newEvent(Event event);
/// A buffer that a client owns.
PJRT_Buffer *newBuffer(std::shared_ptr<PJRT_Client> client, PJRT_Memory *memory,
                       Buffer buffer, MinorToMajor layout = {});
llvm::SmallVector<DeviceId, 8> idsOf(llvm::ArrayRef<PJRT_Device *> devices);
/// Returns an error that names the device if it belongs to another process.
PJRT_Error *checkAddressable(const PJRT_Device &device);
/// Returns an error if a client may not access these bytes of a buffer in
/// place.
PJRT_Error *checkRawBytes(const PJRT_Buffer &buffer, int64_t offset,
                          int64_t size);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_API_OBJECTS_H
