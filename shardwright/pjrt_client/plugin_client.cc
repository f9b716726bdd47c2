//===- plugin_client.cc - a client of a plugin, and its devices -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_client/plugin_client.h"

#include "shardwright/pjrt_client/plugin_event.h"
#include "shardwright/support/error.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardwright;
using namespace shardwright::pjrt_client;

llvm::Expected<std::shared_ptr<PluginClient>>
PluginClient::create(std::shared_ptr<const Plugin> plugin,
                     llvm::ArrayRef<ClientOption> options) {
  std::shared_ptr<PluginClient> made(new PluginClient(std::move(plugin)));
  std::vector<PJRT_NamedValue> values = namedValues(options);
  auto args = makeStruct<PJRT_Client_Create_Args>();
  args.create_options = values.data();
  args.num_options = values.size();
  if (llvm::Error e =
          SHARDWRIGHT_PJRT_CALL(made->plugin(), Client_Create, args))
    return e;
  if (!args.client)
    return made->plugin().wrong("PJRT_Client_Create", "no client");
  made->client = args.client;
  if (llvm::Error e = made->readNames())
    return e;
  if (llvm::Error e = made->readDevices())
    return e;
  return made;
}

PluginClient::~PluginClient() {
  if (!client || hasGivenUp(plugin()))
    return;
  auto args = makeStruct<PJRT_Client_Destroy_Args>();
  args.client = client;
  llvm::consumeError(SHARDWRIGHT_PJRT_CALL(plugin(), Client_Destroy, args));
}

llvm::Error PluginClient::readNames() {
  auto nameArgs = makeStruct<PJRT_Client_PlatformName_Args>();
  nameArgs.client = client;
  if (llvm::Error e =
          SHARDWRIGHT_PJRT_CALL(plugin(), Client_PlatformName, nameArgs))
    return e;
  auto nameText =
      plugin().text("PJRT_Client_PlatformName", nameArgs.platform_name,
                    nameArgs.platform_name_size);
  if (!nameText)
    return nameText.takeError();
  name = std::move(*nameText);
  auto versionArgs = makeStruct<PJRT_Client_PlatformVersion_Args>();
  versionArgs.client = client;
  if (llvm::Error e =
          SHARDWRIGHT_PJRT_CALL(plugin(), Client_PlatformVersion, versionArgs))
    return e;
  auto versionText =
      plugin().text("PJRT_Client_PlatformVersion", versionArgs.platform_version,
                    versionArgs.platform_version_size);
  if (!versionText)
    return versionText.takeError();
  version = std::move(*versionText);
  return llvm::Error::success();
}

/// Memories of kinds that we do not know are left out.
llvm::Error PluginClient::readMemories(PluginDevice &device) const {
  auto args = makeStruct<PJRT_Device_AddressableMemories_Args>();
  args.device = device.handle;
  if (llvm::Error e =
          SHARDWRIGHT_PJRT_CALL(plugin(), Device_AddressableMemories, args)) {
    // Optional: without it, arrays are in the memory that the plugin chooses.
    llvm::consumeError(std::move(e));
    device.kinds = {MemoryKind::Device};
    return llvm::Error::success();
  }
  constexpr size_t kMaxMemories = 64;
  if (args.num_memories > kMaxMemories || (args.num_memories && !args.memories))
    return plugin().wrong("PJRT_Device_AddressableMemories",
                          llvm::Twine(args.num_memories) + " memories" +
                              (args.memories ? "" : " in a null list"));
  auto defaultArgs = makeStruct<PJRT_Device_DefaultMemory_Args>();
  defaultArgs.device = device.handle;
  if (llvm::Error e =
          SHARDWRIGHT_PJRT_CALL(plugin(), Device_DefaultMemory, defaultArgs)) {
    llvm::consumeError(std::move(e));
    defaultArgs.memory = nullptr;
  }
  for (PJRT_Memory *memory : llvm::ArrayRef(args.memories, args.num_memories)) {
    if (!memory)
      return plugin().wrong("PJRT_Device_AddressableMemories", "a null memory");
    auto kindArgs = makeStruct<PJRT_Memory_Kind_Args>();
    kindArgs.memory = memory;
    if (llvm::Error e = SHARDWRIGHT_PJRT_CALL(plugin(), Memory_Kind, kindArgs))
      return e;
    auto text =
        plugin().text("PJRT_Memory_Kind", kindArgs.kind, kindArgs.kind_size);
    if (!text)
      return text.takeError();
    std::optional<MemoryKind> kind = memoryKindNamed(*text);
    if (!kind || device.memories[int(*kind)])
      continue;
    device.memories[int(*kind)] = memory;
    auto at = memory == defaultArgs.memory ? device.kinds.begin()
                                           : device.kinds.end();
    device.kinds.insert(at, *kind);
  }
  if (device.kinds.empty())
    device.kinds = {MemoryKind::Device};
  return llvm::Error::success();
}

llvm::Error PluginClient::describe(PluginDevice &device,
                                   DeviceInfo &info) const {
  auto description = makeStruct<PJRT_Device_GetDescription_Args>();
  description.device = device.handle;
  if (llvm::Error e =
          SHARDWRIGHT_PJRT_CALL(plugin(), Device_GetDescription, description))
    return e;
  if (!description.device_description)
    return plugin().wrong("PJRT_Device_GetDescription", "no description");
  auto id = makeStruct<PJRT_DeviceDescription_Id_Args>();
  id.device_description = description.device_description;
  if (llvm::Error e = SHARDWRIGHT_PJRT_CALL(plugin(), DeviceDescription_Id, id))
    return e;
  device.pluginId = id.id;
  auto process = makeStruct<PJRT_DeviceDescription_ProcessIndex_Args>();
  process.device_description = description.device_description;
  if (llvm::Error e = SHARDWRIGHT_PJRT_CALL(
          plugin(), DeviceDescription_ProcessIndex, process))
    return e;
  info.process = process.process_index;
  auto kind = makeStruct<PJRT_DeviceDescription_Kind_Args>();
  kind.device_description = description.device_description;
  if (llvm::Error e =
          SHARDWRIGHT_PJRT_CALL(plugin(), DeviceDescription_Kind, kind))
    return e;
  auto text = plugin().text("PJRT_DeviceDescription_Kind", kind.device_kind,
                            kind.device_kind_size);
  if (!text)
    return text.takeError();
  info.kind = std::move(*text);
  return llvm::Error::success();
}

llvm::Error PluginClient::readDevices() {
  auto all = makeStruct<PJRT_Client_Devices_Args>();
  all.client = client;
  if (llvm::Error e = SHARDWRIGHT_PJRT_CALL(plugin(), Client_Devices, all))
    return e;
  auto here = makeStruct<PJRT_Client_AddressableDevices_Args>();
  here.client = client;
  if (llvm::Error e =
          SHARDWRIGHT_PJRT_CALL(plugin(), Client_AddressableDevices, here))
    return e;
  if (all.num_devices > size_t(kMaxDevices) ||
      (all.num_devices && !all.devices))
    return plugin().wrong("PJRT_Client_Devices",
                          llvm::Twine(all.num_devices) + " devices" +
                              (all.devices ? "" : " in a null list"));
  if (here.num_addressable_devices > all.num_devices ||
      (here.num_addressable_devices && !here.addressable_devices))
    return plugin().wrong(
        "PJRT_Client_AddressableDevices",
        llvm::Twine(here.num_addressable_devices) + " of " +
            llvm::Twine(all.num_devices) + " devices" +
            (here.addressable_devices ? "" : " in a null list"));
  if (!here.num_addressable_devices)
    return fail(plugin().name(), ": the plugin has no devices in this process");
  llvm::ArrayRef addressable(here.addressable_devices,
                             here.num_addressable_devices);
  struct Found {
    PluginDevice device;
    DeviceInfo info;
  };
  std::vector<Found> found;
  for (PJRT_Device *handle : llvm::ArrayRef(all.devices, all.num_devices)) {
    if (!handle)
      return plugin().wrong("PJRT_Client_Devices", "a null device");
    Found &next = found.emplace_back();
    next.device.handle = handle;
    if (llvm::Error e = describe(next.device, next.info))
      return e;
  }
  llvm::sort(found, [](const Found &a, const Found &b) {
    return a.device.pluginId < b.device.pluginId;
  });
  for (size_t i = 1; i < found.size(); ++i)
    if (found[i].device.pluginId == found[i - 1].device.pluginId)
      return plugin().wrong("PJRT_DeviceDescription_Id",
                            "number " + llvm::Twine(found[i].device.pluginId) +
                                " for two devices");
  int32_t local = 0;
  ownDevices.reserve(found.size());
  for (auto [i, next] : llvm::enumerate(found)) {
    next.info.id = DeviceId(int32_t(i));
    if (llvm::is_contained(addressable, next.device.handle)) {
      next.info.localId = LocalDeviceId(local++);
      if (llvm::Error e = readMemories(next.device))
        return e;
    }
    ownDevices.push_back(std::move(next.device));
    next.info.memories = ownDevices.back().kinds;
    infos.push_back(std::move(next.info));
  }
  if (size_t(local) != here.num_addressable_devices)
    return plugin().wrong("PJRT_Client_AddressableDevices",
                          "devices that are not in PJRT_Client_Devices");
  return llvm::Error::success();
}

void PluginClient::addRun(const Event &done) {
  std::lock_guard lock(mutex);
  llvm::erase_if(runs, [](const Event &run) { return run.isReady(); });
  runs.push_back(done);
}

void PluginClient::drain() {
  if (isInEventCallback())
    return;
  std::vector<Event> pending;
  {
    std::lock_guard lock(mutex);
    pending = runs;
  }
  for (const Event &run : pending)
    llvm::consumeError(run.await());
}
