//===- client_options.h - what a client is asked to be ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_API_CLIENT_OPTIONS_H
#define SHARDWRIGHT_PJRT_API_CLIENT_OPTIONS_H

#include "shardwright/pjrt/api/objects.h"

namespace shardwright::pjrt {

struct ClientOptions {
  /// Option `num_devices`, else environment variable SHARDWRIGHT_NUM_DEVICES,
  /// else 8.
  int64_t numDevices = 8;
  /// Option `platform_name`: what the client says that it is.
  std::string platformName = "shardwright";
};

/// Fails on options that there are none of.
llvm::Expected<ClientOptions>
readClientOptions(llvm::ArrayRef<NamedText> given);

/// Descriptions of devices, which are those of all processes.
std::shared_ptr<PJRT_TopologyDescription>
makeTopology(llvm::ArrayRef<DeviceInfo> devices);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_API_CLIENT_OPTIONS_H
