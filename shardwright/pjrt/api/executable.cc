//===- executable.cc - queries of executables -----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/api/program.h"
#include "shardwright/pjrt/base/slots.h"

#include <cstring>

using namespace shardwright;
using namespace shardwright::pjrt;

static constexpr llvm::StringLiteral mlirFormat("mlir");

#define EXECUTABLE(slot, ...)                                                  \
  PJRT_Error *pjrt::slot(PJRT_##slot##_Args *args) {                           \
    return guarded(__func__, args, [&]() -> PJRT_Error * {                     \
      SHARDWRIGHT_ALIVE(executable, args->executable, "executable");           \
      ClientProgram &program = *executable->program;                           \
      (void)program;                                                           \
      __VA_ARGS__;                                                             \
      return nullptr;                                                          \
    });                                                                        \
  }

EXECUTABLE(Executable_Name, args->executable_name = program.name.data();
           args->executable_name_size = program.name.size())
EXECUTABLE(Executable_NumReplicas,
           args->num_replicas = program.request.numReplicas)
EXECUTABLE(Executable_NumPartitions,
           args->num_partitions = program.request.numPartitions)
EXECUTABLE(Executable_NumOutputs, args->num_outputs = program.resultOf.size())
EXECUTABLE(Executable_SizeOfGeneratedCodeInBytes,
           // Programs share kernels, so no program has a size of its own.
           args->size_in_bytes = 0)
EXECUTABLE(Executable_Fingerprint,
           args->executable_fingerprint = program.fingerprint.data();
           args->executable_fingerprint_size = program.fingerprint.size())
EXECUTABLE(LoadedExecutable_Fingerprint,
           args->executable_fingerprint = program.fingerprint.data();
           args->executable_fingerprint_size = program.fingerprint.size())
EXECUTABLE(Executable_OutputElementTypes,
           args->output_types = program.outputTypes.data();
           args->num_output_types = program.outputTypes.size())
EXECUTABLE(Executable_OutputDimensions,
           args->num_outputs = program.outputRanks.size();
           args->dims = program.outputDims.data();
           args->dim_sizes = program.outputRanks.data())
EXECUTABLE(Executable_OutputMemoryKinds,
           args->num_outputs = program.outputMemories.texts.size();
           args->memory_kinds = program.outputMemories.pointers.data();
           args->memory_kind_sizes = program.outputMemories.sizes.data())
EXECUTABLE(Executable_ParameterMemoryKinds,
           args->num_parameters = program.parameterMemories.texts.size();
           args->memory_kinds = program.parameterMemories.pointers.data();
           args->memory_kind_sizes = program.parameterMemories.sizes.data())
EXECUTABLE(Executable_GetCostAnalysis,
           args->num_properties = program.costs.values().size();
           args->properties = program.costs.values().data())

EXECUTABLE(
    LoadedExecutable_AddressableDevices,
    args->addressable_devices = executable->addressableDevices.data();
    args->num_addressable_devices = executable->addressableDevices.size())
EXECUTABLE(
    LoadedExecutable_AddressableDeviceLogicalIds,
    args->addressable_device_logical_ids = executable->logicalIds.data();
    args->num_addressable_device_logical_ids = executable->logicalIds.size())
EXECUTABLE(LoadedExecutable_Delete, executable->isDeleted = true)
EXECUTABLE(LoadedExecutable_IsDeleted, args->is_deleted = executable->isDeleted)

PJRT_Error *pjrt::Executable_GetCompiledMemoryStats(
    PJRT_Executable_GetCompiledMemoryStats_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(object, args->executable, "executable");
    const Executable &executable = *object->program->executable;
    MemoryStatistics bytes = executable.memory();
    args->generated_code_size_in_bytes = 0;
    args->argument_size_in_bytes = bytes.arguments;
    args->output_size_in_bytes = bytes.results;
    args->alias_size_in_bytes = bytes.reusedByResults;
    args->temp_size_in_bytes = bytes.temporaries;
    args->host_generated_code_size_in_bytes = 0;
    args->host_argument_size_in_bytes = 0;
    args->host_output_size_in_bytes = 0;
    args->host_alias_size_in_bytes = 0;
    args->host_temp_size_in_bytes = 0;
    args->peak_memory_in_bytes = executable.peakBytesPerDevice();
    args->total_size_in_bytes = bytes.arguments + bytes.results +
                                bytes.temporaries - bytes.reusedByResults;
    args->total_allocation_bytes = bytes.temporaries;
    args->indefinite_allocations = 0;
    args->peak_unpadded_heap_bytes = bytes.temporaries;
    return nullptr;
  });
}

PJRT_Error *
pjrt::Executable_OptimizedProgram(PJRT_Executable_OptimizedProgram_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(executable, args->executable, "executable");
    if (!args->program)
      return invalid("the program is a null pointer");
    const std::string &text = executable->program->text;
    PJRT_Program &out = *args->program;
    out.format = mlirFormat.data();
    out.format_size = mlirFormat.size();
    if (out.code) {
      if (out.code_size < text.size())
        return invalid("there is room for " + llvm::Twine(out.code_size) +
                       " bytes, the program has " + llvm::Twine(text.size()));
      std::memcpy(out.code, text.data(), text.size());
    }
    out.code_size = text.size();
    return nullptr;
  });
}

PJRT_Error *pjrt::Executable_Destroy(PJRT_Executable_Destroy_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    if (args->executable &&
        !handles<PJRT_Executable>().remove(args->executable))
      return invalid("the executable has been destroyed already");
    return nullptr;
  });
}

PJRT_Error *
pjrt::LoadedExecutable_Destroy(PJRT_LoadedExecutable_Destroy_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    if (args->executable &&
        !handles<PJRT_LoadedExecutable>().remove(args->executable))
      return invalid("the executable has been destroyed already");
    return nullptr;
  });
}

PJRT_Error *pjrt::LoadedExecutable_GetExecutable(
    PJRT_LoadedExecutable_GetExecutable_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(loaded, args->loaded_executable, "executable");
    auto executable = std::make_shared<PJRT_Executable>();
    executable->program = loaded->program;
    args->executable = handles<PJRT_Executable>().add(std::move(executable));
    return nullptr;
  });
}
