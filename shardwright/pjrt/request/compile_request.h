//===- compile_request.h - how a client wants a program compiled --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_REQUEST_COMPILE_REQUEST_H
#define SHARDWRIGHT_PJRT_REQUEST_COMPILE_REQUEST_H

#include "shardwright/pjrt/base/named_values.h"

#include "llvm/ADT/SmallVector.h"

namespace shardwright::pjrt {

/// What we use of xla.CompileOptionsProto.
struct CompileRequest {
  int64_t numReplicas = 1, numPartitions = 1;
  /// Device of replica r, partition p at r * numPartitions + p; empty: any.
  llvm::SmallVector<int64_t, 8> assignment;
  /// Runs on one device, which the caller names at each execution.
  bool isPortable = false;
  /// Sharding rules propagate, and no functions of the client's.
  bool usesShardy = false;
  /// By output and by parameter: the sharding is ours to choose. One entry is
  /// for all of them; missing ones are not.
  llvm::SmallVector<int64_t, 8> chooseOutputs, chooseParameters;
  /// What the user asked for by name.
  std::vector<NamedText> overrides;
  /// The message itself, as it came.
  std::string bytes;

  /// The fields above but for `bytes`, whose maps have no fixed order: equal in
  /// all processes of a job that compile the same program.
  std::string key() const;
  int64_t numDevices() const { return numReplicas * numPartitions; }
  static bool isTrue(llvm::ArrayRef<int64_t> flags, size_t index) {
    return flags.size() == 1 ? flags[0] : index < flags.size() && flags[index];
  }
};

llvm::Expected<CompileRequest> readCompileOptions(llvm::StringRef bytes);
/// xla.DeviceAssignmentProto
std::string writeAssignment(const CompileRequest &request);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_REQUEST_COMPILE_REQUEST_H
