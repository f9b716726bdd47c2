//===- client_options.h - options of a client -------------------*- C++ -*-===//
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
  /// Devices of this process. Option `num_devices`, else environment variable
  /// SHARDWRIGHT_NUM_DEVICES, else 8.
  int64_t numDevices = 8;
  /// Option `platform_name`: the name that the client reports.
  std::string platformName = "shardwright";
  /// Option `packed_sizes`: whether clients see arrays of 2 and 4 bits with
  /// packed sizes, as in jaxlib 0.11 and later.
  bool packedSizes = true;
  /// Option `torch_xla`: the client is PyTorch/XLA. Unevenly sharded arguments
  /// and results have padded shards (JAX has no such arguments), and a program
  /// of several replicas is run by one call for each of its devices.
  bool isTorchXla = false;
  /// Options `num_nodes` and `node_id`: the processes of the job, and the
  /// number of this one.
  int32_t numNodes = 1, node = 0;
  /// Option `partition_index`: the slice that the devices of this process are
  /// on, which they have as attribute `slice_index`.
  std::optional<int64_t> partitionIndex;
};

/// Fails for unknown options.
llvm::Expected<ClientOptions>
readClientOptions(llvm::ArrayRef<NamedText> given);

/// Descriptions of the devices of all processes.
std::shared_ptr<PJRT_TopologyDescription>
makeTopology(llvm::ArrayRef<DeviceInfo> devices);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_API_CLIENT_OPTIONS_H
