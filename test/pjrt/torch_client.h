//===- torch_client.h - a client as PyTorch/XLA creates it ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TEST_PJRT_TORCH_CLIENT_H
#define SHARDWRIGHT_TEST_PJRT_TORCH_CLIENT_H

#include "plugin.h"

#include "gtest/gtest.h"

namespace shardwright::pjrt_test {

/// A client with the options of our Python package.
inline PJRT_Client *torchClient(int64_t devices) {
  PJRT_NamedValue options[2] = {make<PJRT_NamedValue>(),
                                make<PJRT_NamedValue>()};
  options[0].name = "num_devices";
  options[0].name_size = 11;
  options[0].type = PJRT_NamedValue_kInt64;
  options[0].int64_value = devices;
  options[0].value_size = 1;
  options[1].name = "torch_xla";
  options[1].name_size = 9;
  options[1].type = PJRT_NamedValue_kBool;
  options[1].bool_value = true;
  options[1].value_size = 1;
  auto args = make<PJRT_Client_Create_Args>();
  args.create_options = options;
  args.num_options = 2;
  Outcome outcome = take(api()->PJRT_Client_Create(&args));
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  return args.client;
}

/// num_replicas of compile options.
inline std::string replicas(char n) { return {0x1a, 4, 0x20, n, 0x28, 1}; }

/// Calls the program on one device alone, without waiting for its result.
inline Outcome callOn(PJRT_Device *device, PJRT_LoadedExecutable *executable,
                      std::vector<PJRT_Buffer *> arguments,
                      PJRT_Buffer *&result) {
  PJRT_Buffer *const *argumentList = arguments.data();
  PJRT_Buffer **outputList = &result;
  auto options = make<PJRT_ExecuteOptions>();
  auto args = make<PJRT_LoadedExecutable_Execute_Args>();
  args.executable = executable;
  args.options = &options;
  args.argument_lists = &argumentList;
  args.num_devices = 1;
  args.num_args = arguments.size();
  args.output_lists = &outputList;
  args.execute_device = device;
  return take(api()->PJRT_LoadedExecutable_Execute(&args));
}

} // namespace shardwright::pjrt_test

#endif // SHARDWRIGHT_TEST_PJRT_TORCH_CLIENT_H
