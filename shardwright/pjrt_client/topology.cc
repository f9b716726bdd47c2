//===- topology.cc - compiling without devices ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_client/topology.h"

#include "shardwright/pjrt_client/compile_options.h"
#include "shardwright/support/error.h"

#include "llvm/ADT/ScopeExit.h"

using namespace shardwright;
using namespace shardwright::pjrt_client;

static llvm::Error describe(const Plugin &plugin,
                            PJRT_TopologyDescription *topology,
                            CompiledElsewhere &result,
                            llvm::SmallVectorImpl<int64_t> &ids) {
  auto name = makeStruct<PJRT_TopologyDescription_PlatformName_Args>();
  name.topology = topology;
  if (llvm::Error e =
          SHARDWRIGHT_PJRT_CALL(plugin, TopologyDescription_PlatformName, name))
    return e;
  auto text = plugin.text("PJRT_TopologyDescription_PlatformName",
                          name.platform_name, name.platform_name_size);
  if (!text)
    return text.takeError();
  result.platform = std::move(*text);
  auto devices =
      makeStruct<PJRT_TopologyDescription_GetDeviceDescriptions_Args>();
  devices.topology = topology;
  if (llvm::Error e = SHARDWRIGHT_PJRT_CALL(
          plugin, TopologyDescription_GetDeviceDescriptions, devices))
    return e;
  if (devices.num_descriptions > size_t(kMaxDevices) ||
      (devices.num_descriptions && !devices.descriptions))
    return plugin.wrong("PJRT_TopologyDescription_GetDeviceDescriptions",
                        llvm::Twine(devices.num_descriptions) + " devices");
  result.numDevices = devices.num_descriptions;
  for (PJRT_DeviceDescription *device :
       llvm::ArrayRef(devices.descriptions, devices.num_descriptions)) {
    if (!device)
      return plugin.wrong("PJRT_TopologyDescription_GetDeviceDescriptions",
                          "a null device");
    auto id = makeStruct<PJRT_DeviceDescription_Id_Args>();
    id.device_description = device;
    if (llvm::Error e = SHARDWRIGHT_PJRT_CALL(plugin, DeviceDescription_Id, id))
      return e;
    ids.push_back(id.id);
  }
  return llvm::Error::success();
}

/// The plugin's own text of the program. It is asked twice: for the size, and
/// for the bytes.
static llvm::Error readProgram(const Plugin &plugin,
                               PJRT_Executable *executable,
                               CompiledElsewhere &result) {
  auto program = makeStruct<PJRT_Program>();
  auto args = makeStruct<PJRT_Executable_OptimizedProgram_Args>();
  args.executable = executable;
  args.program = &program;
  if (llvm::Error e =
          SHARDWRIGHT_PJRT_CALL(plugin, Executable_OptimizedProgram, args))
    return e;
  constexpr size_t kMostBytes = size_t(1) << 34;
  if (program.code_size >= kMostBytes)
    return plugin.wrong("PJRT_Executable_OptimizedProgram",
                        llvm::Twine(program.code_size) + " bytes");
  auto format = plugin.text("PJRT_Executable_OptimizedProgram", program.format,
                            program.format_size);
  if (!format)
    return format.takeError();
  std::string code(program.code_size, '\0');
  program.code = code.data();
  if (llvm::Error e =
          SHARDWRIGHT_PJRT_CALL(plugin, Executable_OptimizedProgram, args))
    return e;
  result.collectives = countCollectives(*format, code);
  return llvm::Error::success();
}

static void readMemory(const Plugin &plugin, PJRT_Executable *executable,
                       MemoryStatistics &memory) {
  auto args = makeStruct<PJRT_Executable_GetCompiledMemoryStats_Args>();
  args.executable = executable;
  if (llvm::Error e = SHARDWRIGHT_PJRT_CALL(
          plugin, Executable_GetCompiledMemoryStats, args))
    return llvm::consumeError(std::move(e));
  memory = {args.argument_size_in_bytes, args.output_size_in_bytes,
            args.temp_size_in_bytes, 0, args.alias_size_in_bytes};
}

llvm::Expected<CompiledElsewhere>
pjrt_client::compileForTopology(const Plugin &plugin, llvm::StringRef topology,
                                llvm::ArrayRef<ClientOption> options,
                                const ProgramParts &program) {
  std::vector<PJRT_NamedValue> values = namedValues(options);
  auto create = makeStruct<PJRT_TopologyDescription_Create_Args>();
  create.topology_name = topology.data();
  create.topology_name_size = topology.size();
  create.create_options = values.data();
  create.num_options = values.size();
  if (llvm::Error e =
          SHARDWRIGHT_PJRT_CALL(plugin, TopologyDescription_Create, create))
    return e;
  if (!create.topology)
    return plugin.wrong("PJRT_TopologyDescription_Create", "no topology");
  llvm::scope_exit destroyTopology([&] {
    auto args = makeStruct<PJRT_TopologyDescription_Destroy_Args>();
    args.topology = create.topology;
    llvm::consumeError(
        SHARDWRIGHT_PJRT_CALL(plugin, TopologyDescription_Destroy, args));
  });
  CompiledElsewhere result;
  llvm::SmallVector<int64_t, 8> ids;
  if (llvm::Error e = describe(plugin, create.topology, result, ids))
    return e;
  if (program.numDevices > result.numDevices)
    return fail("the program runs on ", program.numDevices,
                " devices, but the topology '", topology, "' of ",
                plugin.name(), " has ", result.numDevices);
  std::string code = program.bytes, format = "mlir",
              compileOptions = compileOptionsOfReplicas(
                  llvm::ArrayRef(ids).take_front(program.numDevices));
  auto given = makeStruct<PJRT_Program>();
  given.code = code.data();
  given.code_size = code.size();
  given.format = format.data();
  given.format_size = format.size();
  auto compile = makeStruct<PJRT_Compile_Args>();
  compile.topology = create.topology;
  compile.program = &given;
  compile.compile_options = compileOptions.data();
  compile.compile_options_size = compileOptions.size();
  if (llvm::Error e = SHARDWRIGHT_PJRT_CALL(plugin, Compile, compile))
    return e;
  if (!compile.executable)
    return plugin.wrong("PJRT_Compile", "no executable");
  llvm::scope_exit destroyExecutable([&] {
    auto args = makeStruct<PJRT_Executable_Destroy_Args>();
    args.executable = compile.executable;
    llvm::consumeError(SHARDWRIGHT_PJRT_CALL(plugin, Executable_Destroy, args));
  });
  readMemory(plugin, compile.executable, result.memory);
  // Optional.
  llvm::consumeError(readProgram(plugin, compile.executable, result));
  return result;
}
