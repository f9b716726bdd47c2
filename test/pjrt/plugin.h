//===- plugin.h - the plugin as a C client sees it --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TEST_PJRT_PLUGIN_H
#define SHARDWRIGHT_TEST_PJRT_PLUGIN_H

#include "shardwright/pjrt_abi/api.h"

#include <string>
#include <vector>

namespace shardwright::pjrt_test {

inline const PJRT_Api *api() { return GetPjrtApi(); }

/// Returns the extension of this type; null if there is none.
template <typename Extension> Extension *findExtension(int type) {
  for (auto *e = api()->extension_start; e; e = e->next)
    if (int(e->type) == type)
      return reinterpret_cast<Extension *>(e);
  return nullptr;
}

/// Returns an argument struct with its size set, as a client does.
template <typename Args> Args make() {
  Args args = {};
  args.struct_size = sizeof(Args);
  return args;
}

struct Outcome {
  PJRT_Error_Code code = PJRT_Error_Code_OK;
  std::string message;
  bool ok() const { return code == PJRT_Error_Code_OK; }
};

/// Returns the text of the error, and destroys it.
inline Outcome take(PJRT_Error *error) {
  Outcome outcome;
  if (!error)
    return outcome;
  auto code = make<PJRT_Error_GetCode_Args>();
  code.error = error;
  api()->PJRT_Error_GetCode(&code);
  auto message = make<PJRT_Error_Message_Args>();
  message.error = error;
  api()->PJRT_Error_Message(&message);
  outcome = {code.code, std::string(message.message, message.message_size)};
  auto destroy = make<PJRT_Error_Destroy_Args>();
  destroy.error = error;
  api()->PJRT_Error_Destroy(&destroy);
  return outcome;
}

/// A client of a given number of devices.
class TestClient {
public:
  explicit TestClient(int64_t devices) {
    auto option = make<PJRT_NamedValue>();
    option.name = "num_devices";
    option.name_size = 11;
    option.type = PJRT_NamedValue_kInt64;
    option.int64_value = devices;
    option.value_size = 1;
    auto args = make<PJRT_Client_Create_Args>();
    args.create_options = &option;
    args.num_options = 1;
    outcome = take(api()->PJRT_Client_Create(&args));
    client = args.client;
  }
  explicit TestClient(PJRT_Client *client) : client(client) {}
  TestClient(const TestClient &) = delete;
  ~TestClient() {
    auto args = make<PJRT_Client_Destroy_Args>();
    args.client = client;
    take(api()->PJRT_Client_Destroy(&args));
  }

  std::vector<PJRT_Device *> devices() {
    auto args = make<PJRT_Client_Devices_Args>();
    args.client = client;
    take(api()->PJRT_Client_Devices(&args));
    return {args.devices, args.devices + args.num_devices};
  }

  Outcome fromHost(const void *data, PJRT_Buffer_Type type,
                   std::vector<int64_t> dims, PJRT_Device *device,
                   PJRT_Buffer *&buffer) {
    auto args = make<PJRT_Client_BufferFromHostBuffer_Args>();
    args.client = client;
    args.data = data;
    args.type = type;
    args.dims = dims.data();
    args.num_dims = dims.size();
    args.device = device;
    Outcome outcome = take(api()->PJRT_Client_BufferFromHostBuffer(&args));
    if (!outcome.ok())
      return outcome;
    buffer = args.buffer;
    auto destroy = make<PJRT_Event_Destroy_Args>();
    destroy.event = args.done_with_host_buffer;
    take(api()->PJRT_Event_Destroy(&destroy));
    return outcome;
  }

  Outcome compile(std::string code, std::string options,
                  PJRT_LoadedExecutable *&executable,
                  std::string format = "mlir") {
    auto program = make<PJRT_Program>();
    program.code = code.data();
    program.code_size = code.size();
    program.format = format.data();
    program.format_size = format.size();
    auto args = make<PJRT_Client_Compile_Args>();
    args.client = client;
    args.program = &program;
    args.compile_options = options.data();
    args.compile_options_size = options.size();
    Outcome outcome = take(api()->PJRT_Client_Compile(&args));
    executable = args.executable;
    return outcome;
  }

  PJRT_Client *client = nullptr;
  Outcome outcome;
};

inline Outcome destroy(PJRT_Buffer *buffer) {
  auto args = make<PJRT_Buffer_Destroy_Args>();
  args.buffer = buffer;
  return take(api()->PJRT_Buffer_Destroy(&args));
}

inline Outcome destroy(PJRT_LoadedExecutable *executable) {
  auto args = make<PJRT_LoadedExecutable_Destroy_Args>();
  args.executable = executable;
  return take(api()->PJRT_LoadedExecutable_Destroy(&args));
}

/// Runs on one device with these arguments.
inline Outcome run(PJRT_LoadedExecutable *executable,
                   std::vector<PJRT_Buffer *> arguments, PJRT_Buffer *&output,
                   size_t devices = 1) {
  PJRT_Buffer *const *argumentList = arguments.data();
  PJRT_Buffer *outputs[1] = {};
  PJRT_Buffer **outputList = outputs;
  auto options = make<PJRT_ExecuteOptions>();
  auto args = make<PJRT_LoadedExecutable_Execute_Args>();
  args.executable = executable;
  args.options = &options;
  args.argument_lists = &argumentList;
  args.num_devices = devices;
  args.num_args = arguments.size();
  args.output_lists = &outputList;
  Outcome outcome = take(api()->PJRT_LoadedExecutable_Execute(&args));
  output = outputs[0];
  return outcome;
}

/// Returns the elements of a buffer, or the error.
template <typename T>
Outcome toHost(PJRT_Buffer *buffer, std::vector<T> &elements) {
  auto args = make<PJRT_Buffer_ToHostBuffer_Args>();
  args.src = buffer;
  args.dst = elements.data();
  args.dst_size = elements.size() * sizeof(T);
  Outcome outcome = take(api()->PJRT_Buffer_ToHostBuffer(&args));
  if (!outcome.ok())
    return outcome;
  auto await = make<PJRT_Event_Await_Args>();
  await.event = args.event;
  outcome = take(api()->PJRT_Event_Await(&await));
  auto destroy = make<PJRT_Event_Destroy_Args>();
  destroy.event = args.event;
  take(api()->PJRT_Event_Destroy(&destroy));
  return outcome;
}

/// num_partitions of compile options: {executable_build_options 3:
/// {num_replicas 4: 1, num_partitions 5: n}}.
inline std::string partitions(char n) { return {0x1a, 4, 0x20, 1, 0x28, n}; }

} // namespace shardwright::pjrt_test

#endif // SHARDWRIGHT_TEST_PJRT_PLUGIN_H
