//===- device.cc - devices and their descriptions -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/api/client_options.h"
#include "shardwright/pjrt/base/slots.h"

#include <cstring>
#include <unistd.h>

using namespace shardwright;
using namespace shardwright::pjrt;

std::shared_ptr<PJRT_TopologyDescription>
pjrt::makeTopology(llvm::ArrayRef<DeviceInfo> devices) {
  auto topology = std::make_shared<PJRT_TopologyDescription>();
  for (const DeviceInfo &info : devices) {
    std::string id = std::to_string(info.id.number());
    auto &description = topology->descriptions.emplace_back(
        std::make_unique<PJRT_DeviceDescription>());
    description->id = info.id.number();
    description->process = info.process;
    description->kind = info.kind;
    description->text = "ShardwrightDevice(id=" + id + ")";
    description->debugText = "shardwright:" + id;
    topology->pointers.push_back(description.get());
  }
  topology->attributes.add("num_devices", int64_t(devices.size()));
  return topology;
}

#define DESCRIPTION(slot, ...)                                                 \
  PJRT_Error *pjrt::slot(PJRT_##slot##_Args *args) {                           \
    return guarded(__func__, args, [&]() -> PJRT_Error * {                     \
      SHARDWRIGHT_ALIVE(description, args->device_description,                 \
                        "device description");                                 \
      __VA_ARGS__;                                                             \
      return nullptr;                                                          \
    });                                                                        \
  }
#define DEVICE(slot, ...)                                                      \
  PJRT_Error *pjrt::slot(PJRT_##slot##_Args *args) {                           \
    return guarded(__func__, args, [&]() -> PJRT_Error * {                     \
      SHARDWRIGHT_ALIVE(device, args->device, "device");                       \
      __VA_ARGS__;                                                             \
      return nullptr;                                                          \
    });                                                                        \
  }

llvm::SmallVector<DeviceId, 8>
pjrt::idsOf(llvm::ArrayRef<PJRT_Device *> devices) {
  llvm::SmallVector<DeviceId, 8> ids;
  for (const PJRT_Device *device : devices)
    ids.push_back(device->id());
  return ids;
}

PJRT_Error *pjrt::checkAddressable(const PJRT_Device &device) {
  if (device.localId)
    return nullptr;
  return invalid("device " + llvm::Twine(device.description->id) +
                 " belongs to process " +
                 llvm::Twine(device.description->process) +
                 ", and has no memory that this one can address");
}

DESCRIPTION(DeviceDescription_Id, args->id = description->id)
DESCRIPTION(DeviceDescription_ProcessIndex,
            args->process_index = description->process)
DESCRIPTION(DeviceDescription_Attributes,
            args->attributes = description->attributes.values().data();
            args->num_attributes = description->attributes.values().size())
DESCRIPTION(DeviceDescription_Kind,
            args->device_kind = description->kind.data();
            args->device_kind_size = description->kind.size())
DESCRIPTION(DeviceDescription_DebugString,
            args->debug_string = description->debugText.data();
            args->debug_string_size = description->debugText.size())
DESCRIPTION(DeviceDescription_ToString,
            args->to_string = description->text.data();
            args->to_string_size = description->text.size())

DEVICE(Device_GetDescription, args->device_description = device->description)
DEVICE(Device_IsAddressable, args->is_addressable = device->localId.has_value())
DEVICE(Device_LocalHardwareId,
       args->local_hardware_id = device->localId ? int(*device->localId) : -1)
DEVICE(Device_AddressableMemories, args->memories = device->memories.data();
       args->num_memories = device->memories.size())
DEVICE(Device_DefaultMemory,
       if (PJRT_Error *error = checkAddressable(*device)) return error;
       args->memory = device->memories.front())
DEVICE(
    Device_GetAttributes,
    args->attributes = device->description->attributes.values().data();
    args->num_attributes = device->description->attributes.values().size();
    args->device_attributes = nullptr;
    args->attributes_deleter = [](PJRT_Device_Attributes *) {})
DEVICE(Device_ClearMemoryStats, (void)device)
DEVICE(Device_CreateAsyncTrackingEvent, args->event = nullptr)

PJRT_Error *
pjrt::AsyncTrackingEvent_Destroy(PJRT_AsyncTrackingEvent_Destroy_Args *args) {
  return guarded(__func__, args, []() -> PJRT_Error * { return nullptr; });
}

/// PJRT 0.115 and older end before peak_allocated_bytes.
template <>
constexpr size_t pjrt::leastSize<PJRT_Device_MemoryStats_Args> =
    offsetof(PJRT_Device_MemoryStats_Args, peak_pool_bytes_is_set) + 1;

PJRT_Error *pjrt::Device_MemoryStats(PJRT_Device_MemoryStats_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(device, args->device, "device");
    if (PJRT_Error *error = checkAddressable(*device))
      return error;
    // Clear all flags that the client's version has.
    constexpr size_t begin =
        offsetof(PJRT_Device_MemoryStats_Args, bytes_in_use);
    std::memset(reinterpret_cast<char *>(args) + begin, 0,
                std::min(args->struct_size, sizeof(*args)) - begin);
    args->num_allocs_is_set = args->largest_alloc_size_is_set = true;
    // Live buffers in the device's default memory.
    handles<PJRT_Buffer>().forEach([&](PJRT_Buffer &buffer) {
      if (buffer.memory != device->memories.front() || !buffer.buffer.isLive())
        return;
      int64_t bytes = buffer.buffer.bytes();
      args->bytes_in_use += bytes;
      ++args->num_allocs;
      args->largest_alloc_size = std::max(args->largest_alloc_size, bytes);
    });
    // All devices share the host's memory.
    int64_t pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    args->bytes_limit_is_set = pages > 0 && size > 0;
    args->bytes_limit = args->bytes_limit_is_set ? pages * size : 0;
    return nullptr;
  });
}
