//===- client.cc - clients and their devices ------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/api/client_job.h"
#include "shardwright/pjrt/api/objects.h"
#include "shardwright/pjrt/base/slots.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardwright;
using namespace shardwright::pjrt;

static void *getUserData(PJRT_Memory *memory, const void *key) {
  auto alive = handles<MemorySpace>().find(space(memory));
  if (!alive)
    return nullptr;
  std::lock_guard lock(alive->mutex);
  for (const UserData &entry : alive->userData)
    if (entry.key == key)
      return entry.data;
  return nullptr;
}

static void setUserData(PJRT_Memory *memory, const void *key, void *data,
                        void (*destroy)(void *)) {
  auto alive = handles<MemorySpace>().find(space(memory));
  if (!alive)
    return;
  UserData old;
  {
    std::lock_guard lock(alive->mutex);
    auto entry = llvm::find_if(alive->userData,
                               [&](const UserData &u) { return u.key == key; });
    if (entry == alive->userData.end())
      entry = alive->userData.insert(entry, UserData());
    old = *entry;
    *entry = {key, data, destroy};
  }
  if (old.destroy)
    old.destroy(old.data);
}

static const PJRT_Memory_FunctionTable memoryFunctions = {
    sizeof(PJRT_Memory_FunctionTable), nullptr, sizeof(MemorySpace),
    getUserData, setUserData};

MemorySpace::~MemorySpace() {
  for (const UserData &entry : userData)
    if (entry.destroy)
      entry.destroy(entry.data);
}

PJRT_Client::~PJRT_Client() = default;

static std::shared_ptr<PJRT_Client> makeClient(std::unique_ptr<Client> runtime,
                                               std::string platformName) {
  auto client = std::make_shared<PJRT_Client>();
  client->runtime = std::move(runtime);
  client->replicaCalls = std::make_unique<ReplicaCalls>(*client->runtime);
  const Backend &backend = client->runtime->backend();
  client->topology = makeTopology(backend.devices());
  client->platformName = std::move(platformName);
  // Part of the key of JAX's persistent cache: another build or CPU must have
  // another version.
  client->platformVersion =
      "Shardwright " SHARDWRIGHT_VERSION ", " + backend.description();
  for (auto [info, description] :
       llvm::zip_equal(backend.devices(), client->topology->descriptions)) {
    auto &device =
        client->devices.emplace_back(std::make_unique<PJRT_Device>());
    device->client = client.get();
    device->description = description.get();
    client->devicePointers.push_back(device.get());
    device->localId = info.localId;
    if (!info.localId)
      continue;
    client->process = info.process;
    client->addressableDevices.push_back(device.get());
    for (MemoryKind kind : info.memories) {
      auto &memory =
          client->memories.emplace_back(std::make_unique<MemorySpace>());
      memory->vtable = &memoryFunctions;
      memory->device = device.get();
      memory->kind = kind;
      memory->id = client->memories.size() - 1;
      memory->text = (str(kind) + " of " + description->text).str();
      device->memories.push_back(memory.get());
      client->memoryPointers.push_back(memory.get());
    }
  }
  return client;
}

PJRT_Client *pjrt::newClient(std::unique_ptr<Client> runtime,
                             std::string platformName) {
  std::shared_ptr<PJRT_Client> client =
      makeClient(std::move(runtime), std::move(platformName));
  // These live as long as their client does, which owns them.
  auto borrowed = [](auto *object) {
    return std::shared_ptr<std::remove_pointer_t<decltype(object)>>(
        object, [](auto *) {});
  };
  for (auto &device : client->devices)
    handles<PJRT_Device>().add(borrowed(device.get()));
  for (auto &memory : client->memories)
    handles<MemorySpace>().add(borrowed(memory.get()));
  for (auto &description : client->topology->descriptions)
    handles<PJRT_DeviceDescription>().add(borrowed(description.get()));
  handles<PJRT_TopologyDescription>().add(client->topology);
  return handles<PJRT_Client>().add(std::move(client));
}

PJRT_Error *pjrt::Client_Create(PJRT_Client_Create_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    auto given = readNamedValues(args->create_options, args->num_options);
    if (!given)
      return toPjrt(given.takeError(), PJRT_Error_Code_INVALID_ARGUMENT);
    auto options = readClientOptions(*given);
    if (!options)
      return toPjrt(options.takeError(), PJRT_Error_Code_INVALID_ARGUMENT);
    if (options->numNodes > 1) {
      auto job = joinJob(*options, *args);
      if (!job)
        return toPjrt(job.takeError(), PJRT_Error_Code_FAILED_PRECONDITION);
      args->client = newClient(std::move(*job), *options);
      return nullptr;
    }
    args->client = newClient(
        std::make_unique<Client>(Client::shared(), options->numDevices),
        options->platformName);
    args->client->packedSizes = options->packedSizes;
    args->client->isTorchXla = options->isTorchXla;
    return nullptr;
  });
}

PJRT_Error *pjrt::Client_Destroy(PJRT_Client_Destroy_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    if (!args->client)
      return nullptr;
    auto client = handles<PJRT_Client>().remove(args->client);
    if (!client)
      return invalid("the client has been destroyed already");
    client->replicaCalls->cancelAll("the client was destroyed");
    client->runtime->drain();
    handles<PJRT_TopologyDescription>().remove(client->topology.get());
    for (auto &description : client->topology->descriptions)
      handles<PJRT_DeviceDescription>().remove(description.get());
    for (auto &memory : client->memories)
      handles<MemorySpace>().remove(memory.get());
    for (auto &device : client->devices)
      handles<PJRT_Device>().remove(device.get());
    return nullptr;
  });
}

PJRT_Error *pjrt::Client_PlatformName(PJRT_Client_PlatformName_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(client, args->client, "client");
    args->platform_name = client->platformName.data();
    args->platform_name_size = client->platformName.size();
    return nullptr;
  });
}

PJRT_Error *
pjrt::Client_PlatformVersion(PJRT_Client_PlatformVersion_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(client, args->client, "client");
    args->platform_version = client->platformVersion.data();
    args->platform_version_size = client->platformVersion.size();
    return nullptr;
  });
}

PJRT_Error *pjrt::Client_ProcessIndex(PJRT_Client_ProcessIndex_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(client, args->client, "client");
    args->process_index = client->process;
    return nullptr;
  });
}

PJRT_Error *
pjrt::Client_TopologyDescription(PJRT_Client_TopologyDescription_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(client, args->client, "client");
    args->topology = client->topology.get();
    return nullptr;
  });
}

PJRT_Error *pjrt::Client_Devices(PJRT_Client_Devices_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(client, args->client, "client");
    args->devices = client->devicePointers.data();
    args->num_devices = client->devicePointers.size();
    return nullptr;
  });
}

PJRT_Error *
pjrt::Client_AddressableDevices(PJRT_Client_AddressableDevices_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(client, args->client, "client");
    args->addressable_devices = client->addressableDevices.data();
    args->num_addressable_devices = client->addressableDevices.size();
    return nullptr;
  });
}

/// `what`: the id's name in XLA's text.
static PJRT_Error *noDevice(llvm::StringRef what, int id, size_t count) {
  return invalid("No matching device found for " + what + " " +
                 llvm::Twine(id) + " (devices are numbered from 0 to " +
                 llvm::Twine(count - 1) + ")");
}

PJRT_Error *pjrt::Client_LookupDevice(PJRT_Client_LookupDevice_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(client, args->client, "client");
    size_t count = client->devicePointers.size();
    if (args->id < 0 || size_t(args->id) >= count)
      return noDevice("device_id", args->id, count);
    args->device = client->devicePointers[args->id];
    return nullptr;
  });
}

PJRT_Error *pjrt::Client_LookupAddressableDevice(
    PJRT_Client_LookupAddressableDevice_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(client, args->client, "client");
    for (PJRT_Device *device : client->addressableDevices)
      if (*device->localId == LocalDeviceId(args->local_hardware_id)) {
        args->addressable_device = device;
        return nullptr;
      }
    return noDevice("local_device_id", args->local_hardware_id,
                    client->addressableDevices.size());
  });
}

PJRT_Error *
pjrt::Client_AddressableMemories(PJRT_Client_AddressableMemories_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(client, args->client, "client");
    args->addressable_memories = client->memoryPointers.data();
    args->num_addressable_memories = client->memoryPointers.size();
    return nullptr;
  });
}

PJRT_Error *pjrt::Client_DefaultDeviceAssignment(
    PJRT_Client_DefaultDeviceAssignment_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(client, args->client, "client");
    int64_t replicas = args->num_replicas, partitions = args->num_partitions;
    int64_t devices = client->devices.size();
    if (replicas < 1 || partitions < 1 || replicas > devices ||
        partitions > devices / replicas)
      return invalid(llvm::Twine(replicas) + " replicas of " +
                     llvm::Twine(partitions) +
                     " partitions need more than the " + llvm::Twine(devices) +
                     " devices of the client");
    if (!args->default_assignment ||
        args->default_assignment_size < size_t(replicas * partitions))
      return invalid("there is no room for the assignment of " +
                     llvm::Twine(replicas * partitions) + " devices");
    for (int64_t i = 0; i < replicas * partitions; ++i)
      args->default_assignment[i] = i;
    return nullptr;
  });
}

// All host memory can be copied directly.
PJRT_Error *pjrt::Client_DmaMap(PJRT_Client_DmaMap_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(client, args->client, "client");
    return args->data || !args->size ? nullptr
                                     : invalid("the data is a null pointer");
  });
}

PJRT_Error *pjrt::Client_DmaUnmap(PJRT_Client_DmaUnmap_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(client, args->client, "client");
    return nullptr;
  });
}
