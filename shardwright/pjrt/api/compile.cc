//===- compile.cc - compiling, loading and serialisation ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/api/program.h"
#include "shardwright/pjrt/base/slots.h"

using namespace shardwright;
using namespace shardwright::pjrt;

/// Compiles the program that the client passes as bytes.
static PJRT_Error *compileFrom(const PJRT_Program *given, const char *options,
                               size_t optionsSize, Backend &backend,
                               bool isTorchXla,
                               std::shared_ptr<ClientProgram> &program) {
  if (!given)
    return invalid("the program is a null pointer");
  if ((given->code_size && !given->code) ||
      (given->format_size && !given->format))
    return invalid("the program's code or format is a null pointer");
  llvm::StringRef name(given->format, given->format_size);
  std::optional<ProgramFormat> format = programFormat(name);
  if (!format)
    return makeError(PJRT_Error_Code_UNIMPLEMENTED,
                     "programs of format '" + name +
                         "' are not supported, expected 'mlir', 'hlo' or "
                         "'hlo_with_config'");
  if (optionsSize && !options)
    return invalid("the compile options are a null pointer");
  auto request = readCompileOptions({options, optionsSize});
  if (!request)
    return toPjrt(request.takeError(), PJRT_Error_Code_INVALID_ARGUMENT);
  request->isTorchXla = isTorchXla;
  auto compiled = compileProgram({given->code, given->code_size}, *format,
                                 std::move(*request), backend);
  if (!compiled)
    return toPjrt(compiled.takeError(), PJRT_Error_Code_INVALID_ARGUMENT);
  program = std::move(*compiled);
  return nullptr;
}

PJRT_Error *pjrt::Client_Compile(PJRT_Client_Compile_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(client, args->client, "client");
    std::shared_ptr<ClientProgram> program;
    if (PJRT_Error *error = compileFrom(
            args->program, args->compile_options, args->compile_options_size,
            client->runtime->backend(), client->isTorchXla, program))
      return error;
    return load(std::move(client), std::move(program), args->executable);
  });
}

PJRT_Error *pjrt::Compile(PJRT_Compile_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(topology, args->topology, "topology");
    std::shared_ptr<ClientProgram> program;
    if (PJRT_Error *error =
            compileFrom(args->program, args->compile_options,
                        args->compile_options_size, Client::shared().backend(),
                        /*isTorchXla=*/false, program))
      return error;
    int64_t devices = program->request.numDevices();
    if (devices > int64_t(topology->descriptions.size()))
      return invalid("the program runs on " + llvm::Twine(devices) +
                     " devices, the topology has " +
                     llvm::Twine(topology->descriptions.size()));
    auto executable = std::make_shared<PJRT_Executable>();
    executable->program = std::move(program);
    args->executable = handles<PJRT_Executable>().add(std::move(executable));
    return nullptr;
  });
}

/// Replaces the program by a copy with other compile options.
static PJRT_Error *withOptions(std::shared_ptr<ClientProgram> &program,
                               const char *options, size_t size) {
  if (!size)
    return nullptr;
  if (!options)
    return invalid("the compile options are a null pointer");
  auto request = readCompileOptions({options, size});
  if (!request)
    return toPjrt(request.takeError(), PJRT_Error_Code_INVALID_ARGUMENT);
  if (request->numReplicas != program->request.numReplicas ||
      request->numPartitions != program->request.numPartitions)
    return invalid("the program was compiled for " +
                   llvm::Twine(program->request.numReplicas) + " replicas of " +
                   llvm::Twine(program->request.numPartitions) +
                   " partitions, and cannot be loaded for others");
  auto copy = std::make_shared<ClientProgram>();
  copy->name = program->name;
  copy->request = std::move(*request);
  copy->executable = program->executable;
  copy->argumentOf = program->argumentOf;
  copy->resultOf = program->resultOf;
  copy->layouts = program->layouts;
  copy->text = program->text;
  copy->fingerprint = program->fingerprint;
  copy->describe();
  program = std::move(copy);
  return nullptr;
}

PJRT_Error *pjrt::Client_Load(PJRT_Client_Load_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(client, args->client, "client");
    SHARDWRIGHT_ALIVE(executable, args->executable, "executable");
    std::shared_ptr<ClientProgram> program = executable->program;
    if (PJRT_Error *error = withOptions(program, args->compile_options,
                                        args->compile_options_size))
      return error;
    return load(std::move(client), std::move(program), args->loaded_executable);
  });
}

PJRT_Error *pjrt::Executable_DeserializeAndLoad(
    PJRT_Executable_DeserializeAndLoad_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(client, args->client, "client");
    if (!args->serialized_executable)
      return invalid("the serialized executable is a null pointer");
    auto program = deserialize(
        {args->serialized_executable, args->serialized_executable_size},
        client->runtime->backend());
    if (!program)
      return toPjrt(program.takeError(), PJRT_Error_Code_INVALID_ARGUMENT);
    if (PJRT_Error *error =
            withOptions(*program, args->overridden_serialized_compile_options,
                        args->overridden_serialized_compile_options_size))
      return error;
    return load(std::move(client), std::move(*program),
                args->loaded_executable);
  });
}

/// Returns bytes that live until the client calls the deleter.
template <typename Holder>
static void give(std::string text, const char *&bytes, size_t &size,
                 Holder *&holder, void (*&deleter)(Holder *)) {
  auto *kept = new std::string(std::move(text));
  bytes = kept->data();
  size = kept->size();
  holder = reinterpret_cast<Holder *>(kept);
  deleter = [](Holder *holder) {
    delete reinterpret_cast<std::string *>(holder);
  };
}

PJRT_Error *pjrt::Executable_Serialize(PJRT_Executable_Serialize_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(executable, args->executable, "executable");
    auto bytes = serialize(*executable->program);
    if (!bytes)
      return toPjrt(bytes.takeError());
    give(std::move(*bytes), args->serialized_bytes, args->serialized_bytes_size,
         args->serialized_executable, args->serialized_executable_deleter);
    return nullptr;
  });
}

PJRT_Error *pjrt::Executable_GetCompileOptions(
    PJRT_Executable_GetCompileOptions_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(executable, args->executable, "executable");
    give(executable->program->request.bytes, args->serialized_bytes,
         args->serialized_bytes_size, args->serialized_compile_options,
         args->serialized_compile_options_deleter);
    return nullptr;
  });
}

PJRT_Error *pjrt::LoadedExecutable_GetDeviceAssignment(
    PJRT_LoadedExecutable_GetDeviceAssignment_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    SHARDWRIGHT_ALIVE(loaded, args->executable, "executable");
    CompileRequest request = loaded->program->request;
    std::string bytes;
    if (!request.isPortable) {
      request.assignment.clear();
      for (PJRT_Device *device : loaded->devices)
        request.assignment.push_back(device->description->id);
      bytes = writeAssignment(request);
    }
    give(std::move(bytes), args->serialized_bytes, args->serialized_bytes_size,
         args->serialized_device_assignment,
         args->serialized_device_assignment_deleter);
    return nullptr;
  });
}
