//===- plugin_program.cc - a program that a plugin has compiled -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_client/plugin_program.h"

#include "shardwright/pjrt_abi/element_types.h"
#include "shardwright/pjrt_client/compile_options.h"
#include "shardwright/pjrt_client/plugin_wait.h"
#include "shardwright/support/byte_stream.h"
#include "shardwright/support/error.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardwright;
using namespace shardwright::pjrt_client;

LoadedExecutable::~LoadedExecutable() {
  const Plugin &plugin = client->plugin();
  if (hasGivenUp(plugin))
    return;
  if (executable) {
    auto args = makeStruct<PJRT_Executable_Destroy_Args>();
    args.executable = executable;
    llvm::consumeError(SHARDWRIGHT_PJRT_CALL(plugin, Executable_Destroy, args));
  }
  auto args = makeStruct<PJRT_LoadedExecutable_Destroy_Args>();
  args.executable = handle;
  llvm::consumeError(
      SHARDWRIGHT_PJRT_CALL(plugin, LoadedExecutable_Destroy, args));
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

llvm::Expected<std::shared_ptr<PluginProgram>>
PluginProgram::create(std::shared_ptr<PluginClient> client,
                      ProgramSource source, ProgramBorder arguments,
                      ProgramBorder results, int64_t numDevices) {
  if (numDevices > int64_t(client->devices().size()))
    return fail("the program runs on ", numDevices, " devices, but ",
                client->plugin().name(), " has ", client->devices().size(),
                "; give the plugin more devices by its options, or the program "
                "a smaller mesh");
  auto made = std::make_shared<PluginProgram>();
  made->source = std::move(source);
  made->argumentTypes = std::move(arguments.types);
  made->argumentPlacements = std::move(arguments.placements);
  made->resultTypes = std::move(results.types);
  made->resultPlacements = std::move(results.placements);
  made->replicas = numDevices;
  Assignment devices;
  for (int64_t d = 0; d < numDevices; ++d)
    devices.push_back(int32_t(d));
  auto loaded = made->loadedFor(client, devices);
  if (!loaded)
    return loaded.takeError();
  made->readStatistics(**loaded);
  return made;
}

llvm::Expected<std::shared_ptr<LoadedExecutable>>
PluginProgram::loadedFor(const std::shared_ptr<PluginClient> &client,
                         const Assignment &devices) {
  std::vector<int32_t> numbers;
  for (DeviceId device : devices)
    numbers.push_back(device.number());
  std::lock_guard lock(mutex);
  auto &loaded = loadedPrograms[{client.get(), numbers}];
  if (!loaded) {
    auto made = compile(client, devices);
    if (!made) {
      loadedPrograms.erase({client.get(), numbers});
      return made.takeError();
    }
    loaded = std::move(*made);
  }
  return loaded;
}

llvm::Expected<std::shared_ptr<LoadedExecutable>>
PluginProgram::compile(const std::shared_ptr<PluginClient> &client,
                       const Assignment &devices) const {
  const Plugin &plugin = client->plugin();
  if (llvm::Error e = checkMemoriesOf(*client, devices))
    return e;
  llvm::SmallVector<int64_t, 8> pluginIds;
  for (DeviceId device : devices)
    pluginIds.push_back(client->devices()[device.number()].pluginId);
  std::string options = compileOptionsOfReplicas(pluginIds);
  PJRT_LoadedExecutable *handle = nullptr;
  if (source.isSerialized) {
    if (source.platform != platformOf(*client))
      return fail("the program was compiled for ", source.platform,
                  ", but the plugin is ", platformOf(*client));
    auto args = makeStruct<PJRT_Executable_DeserializeAndLoad_Args>();
    args.client = client->handle();
    args.serialized_executable = source.bytes.data();
    args.serialized_executable_size = source.bytes.size();
    args.overridden_serialized_compile_options = options.data();
    args.overridden_serialized_compile_options_size = options.size();
    if (llvm::Error e =
            SHARDWRIGHT_PJRT_CALL(plugin, Executable_DeserializeAndLoad, args))
      return e;
    handle = args.loaded_executable;
  } else {
    constexpr llvm::StringLiteral format("mlir");
    std::string code = source.bytes; // the plugin may write to it
    auto program = makeStruct<PJRT_Program>();
    program.code = code.data();
    program.code_size = code.size();
    program.format = format.data();
    program.format_size = format.size();
    auto args = makeStruct<PJRT_Client_Compile_Args>();
    args.client = client->handle();
    args.program = &program;
    args.compile_options = options.data();
    args.compile_options_size = options.size();
    if (llvm::Error e = SHARDWRIGHT_PJRT_CALL(plugin, Client_Compile, args))
      return e;
    handle = args.executable;
  }
  if (!handle)
    return plugin.wrong(source.isSerialized
                            ? "PJRT_Executable_DeserializeAndLoad"
                            : "PJRT_Client_Compile",
                        "no executable");
  auto loaded = std::make_shared<LoadedExecutable>(client, handle);
  auto args = makeStruct<PJRT_LoadedExecutable_GetExecutable_Args>();
  args.loaded_executable = handle;
  if (llvm::Error e =
          SHARDWRIGHT_PJRT_CALL(plugin, LoadedExecutable_GetExecutable, args))
    return e;
  if (!args.executable)
    return plugin.wrong("PJRT_LoadedExecutable_GetExecutable", "no executable");
  loaded->executable = args.executable;
  if (llvm::Error e = checkOutputs(*loaded))
    return e;
  if (llvm::Error e = readDevices(*loaded, devices))
    return e;
  if (llvm::Error e =
          checkMemories(*client, loaded->executable, resultPlacements))
    return e;
  auto layouts = compiledLayouts(*client, loaded->executable, true,
                                 argumentPlacements, argumentTypes);
  if (!layouts)
    return layouts.takeError();
  loaded->argumentLayouts = std::move(*layouts);
  layouts = compiledLayouts(*client, loaded->executable, false,
                            resultPlacements, resultTypes);
  if (!layouts)
    return layouts.takeError();
  loaded->resultLayouts = std::move(*layouts);
  return loaded;
}

/// Checks that the devices of this process have the memories that the program
/// asks for: compilers may end the process otherwise.
llvm::Error PluginProgram::checkMemoriesOf(const PluginClient &client,
                                           const Assignment &devices) const {
  for (bool ofArguments : {true, false})
    for (auto [i, place] :
         llvm::enumerate(ofArguments ? argumentPlacements : resultPlacements))
      for (DeviceId device : devices) {
        const DeviceInfo &info = client.deviceInfos()[device.number()];
        if (info.localId && place.memory != MemoryKind::Device &&
            !llvm::is_contained(info.memories, place.memory))
          return fail(
              "the program asks for ", ofArguments ? "argument " : "result ", i,
              " in memory of kind ", str(place.memory), ", which device ",
              device.number(), " of ", client.plugin().name(),
              " does not have; remove mhlo.memory_kind from it");
      }
  return llvm::Error::success();
}

/// The order of argument lists is that of the executable's devices.
llvm::Error PluginProgram::readDevices(LoadedExecutable &loaded,
                                       const Assignment &devices) const {
  const PluginClient &client = *loaded.client;
  auto args = makeStruct<PJRT_LoadedExecutable_AddressableDevices_Args>();
  args.executable = loaded.handle;
  constexpr const char *function = "PJRT_LoadedExecutable_AddressableDevices";
  if (llvm::Error e = SHARDWRIGHT_PJRT_CALL(
          client.plugin(), LoadedExecutable_AddressableDevices, args))
    return e;
  size_t expected = llvm::count_if(devices, [&](DeviceId device) {
    return client.deviceInfos()[device.number()].localId.has_value();
  });
  if (args.num_addressable_devices != expected ||
      (expected && !args.addressable_devices))
    return client.plugin().wrong(
        function, llvm::Twine(args.num_addressable_devices) +
                      " devices for a program that runs on " +
                      llvm::Twine(expected) + " of this process");
  for (PJRT_Device *handle :
       llvm::ArrayRef(args.addressable_devices, expected)) {
    auto found = llvm::find_if(client.devices(), [&](const PluginDevice &d) {
      return d.handle == handle;
    });
    DeviceId id(found == client.devices().end()
                    ? -1
                    : int32_t(found - client.devices().begin()));
    if (!llvm::is_contained(devices, id) ||
        llvm::is_contained(loaded.devices, id))
      return client.plugin().wrong(
          function, "devices other than those that the program was compiled "
                    "for");
    loaded.devices.push_back(id);
  }
  return llvm::Error::success();
}

llvm::Error PluginProgram::checkOutputs(const LoadedExecutable &loaded) const {
  const Plugin &plugin = loaded.client->plugin();
  auto count = makeStruct<PJRT_Executable_NumOutputs_Args>();
  count.executable = loaded.executable;
  if (llvm::Error e =
          SHARDWRIGHT_PJRT_CALL(plugin, Executable_NumOutputs, count))
    return e;
  if (count.num_outputs != resultTypes.size())
    return plugin.wrong("PJRT_Executable_NumOutputs",
                        llvm::Twine(count.num_outputs) +
                            " for a program with " +
                            llvm::Twine(resultTypes.size()) + " results");
  return llvm::Error::success();
}

/// Statistics are optional: what the plugin does not report stays 0.
void PluginProgram::readStatistics(const LoadedExecutable &loaded) {
  const Plugin &plugin = loaded.client->plugin();
  for (const ArrayType &type : argumentTypes)
    memoryStatistics.arguments += type.bytes();
  for (const ArrayType &type : resultTypes)
    memoryStatistics.results += type.bytes();
  auto memory = makeStruct<PJRT_Executable_GetCompiledMemoryStats_Args>();
  memory.executable = loaded.executable;
  if (llvm::Error e = SHARDWRIGHT_PJRT_CALL(
          plugin, Executable_GetCompiledMemoryStats, memory)) {
    llvm::consumeError(std::move(e));
  } else {
    memoryStatistics.temporaries =
        std::max<int64_t>(memory.temp_size_in_bytes, 0);
    memoryStatistics.reusedByResults =
        std::max<int64_t>(memory.alias_size_in_bytes, 0);
  }
  auto cost = makeStruct<PJRT_Executable_GetCostAnalysis_Args>();
  cost.executable = loaded.executable;
  if (llvm::Error e =
          SHARDWRIGHT_PJRT_CALL(plugin, Executable_GetCostAnalysis, cost))
    return llvm::consumeError(std::move(e));
  constexpr size_t kMaxProperties = 1 << 12;
  if (!cost.properties || cost.num_properties > kMaxProperties)
    return;
  for (const PJRT_NamedValue &value :
       llvm::ArrayRef(cost.properties, cost.num_properties)) {
    if (value.type != PJRT_NamedValue_kFloat)
      continue;
    for (auto [name, into] :
         {std::pair("flops", &costAnalysis.flops),
          std::pair("transcendentals", &costAnalysis.transcendentals),
          std::pair("bytes accessed", &costAnalysis.bytesAccessed)})
      if (isNamed(value, name))
        *into = value.float_value;
  }
}

//===----------------------------------------------------------------------===//
// Serialisation
//===----------------------------------------------------------------------===//

std::string pjrt_client::platformOf(const PluginClient &client) {
  return (client.platformName() + " " + client.platformVersion()).str();
}

static void writeTypes(cpu::ByteWriter &b,
                       const std::vector<ArrayType> &types) {
  b.list(types, [&](const ArrayType &type) {
    b.integer(int64_t(type.type));
    b.integers(type.shape);
  });
}

llvm::Expected<std::string> PluginProgram::serialize() const {
  // A program that was loaded from bytes is written as these bytes.
  std::string bytes = source.bytes, platform = source.platform;
  if (!source.isSerialized) {
    const LoadedExecutable &loaded = *loadedPrograms.begin()->second;
    const Plugin &plugin = loaded.client->plugin();
    auto args = makeStruct<PJRT_Executable_Serialize_Args>();
    args.executable = loaded.executable;
    if (llvm::Error e =
            SHARDWRIGHT_PJRT_CALL(plugin, Executable_Serialize, args))
      return e;
    constexpr size_t kMaxBytes = size_t(1) << 40;
    if (!args.serialized_bytes || args.serialized_bytes_size >= kMaxBytes)
      return plugin.wrong("PJRT_Executable_Serialize",
                          llvm::Twine(args.serialized_bytes_size) +
                              " bytes at a bad address");
    bytes.assign(args.serialized_bytes, args.serialized_bytes_size);
    if (args.serialized_executable_deleter)
      args.serialized_executable_deleter(args.serialized_executable);
    platform = platformOf(*loaded.client);
  }
  cpu::ByteWriter b;
  b.string(platform);
  b.integer(replicas);
  writeTypes(b, argumentTypes);
  writeTypes(b, resultTypes);
  for (const auto *placements : {&argumentPlacements, &resultPlacements})
    b.list(*placements, [&](const Placement &placement) {
      b.integer(int64_t(placement.memory));
      b.string(placement.layout);
    });
  b.string(bytes);
  return b.take();
}

llvm::Expected<std::shared_ptr<PluginProgram>>
PluginProgram::load(std::shared_ptr<PluginClient> client,
                    llvm::StringRef bytes) {
  cpu::ByteReader b(bytes);
  ProgramSource source;
  source.isSerialized = true;
  source.platform = b.string().str();
  int64_t numDevices = b.integer(1, kMaxDevices);
  bool isBad = false;
  auto readTypes = [&](std::vector<ArrayType> &types) {
    b.list(types, [&] {
      ArrayType type;
      type.type = b.integer<ElementType>(0, int64_t(ElementType::C128));
      b.integers(type.shape);
      if (auto size = checkedBytes(type.type, type.shape); !size) {
        llvm::consumeError(size.takeError());
        isBad = true;
      }
      return type;
    });
  };
  ProgramBorder arguments, results;
  readTypes(arguments.types);
  readTypes(results.types);
  for (ProgramBorder *border : {&arguments, &results}) {
    b.list(border->placements, [&] {
      Placement placement;
      placement.memory =
          b.integer<MemoryKind>(0, int64_t(MemoryKind::UnpinnedHost));
      placement.layout = b.string().str();
      return placement;
    });
    isBad |= border->placements.size() != border->types.size();
  }
  source.bytes = b.string().str();
  if (isBad || b.failed() || !b.atEnd())
    return fail("the program of the plugin is corrupted");
  return create(std::move(client), std::move(source), std::move(arguments),
                std::move(results), numDevices);
}
