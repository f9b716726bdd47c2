//===- compile_request.h - compile options of a client --------------------===//
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

/// The fields of xla.CompileOptionsProto that we use.
struct CompileRequest {
  int64_t numReplicas = 1, numPartitions = 1;
  /// Device of replica r, partition p at r * numPartitions + p; empty: any.
  llvm::SmallVector<int64_t, 8> assignment;
  /// Runs on one device, which each execution specifies.
  bool isPortable = false;
  /// Shardy propagates, and client functions do not take part.
  bool usesShardy = false;
  /// By output and by parameter: true if we choose the sharding. A single entry
  /// applies to all; missing entries are false.
  llvm::SmallVector<int64_t, 8> chooseOutputs, chooseParameters;
  /// JAX's AUTO before 0.10.1: we choose all shardings that are left open, on a
  /// mesh of this shape (empty: the module's), whose devices have these
  /// positions in the assignment (empty: in order).
  bool usesAuto = false;
  llvm::SmallVector<int64_t, 8> autoMeshShape, autoMeshIds;
  /// An option of the client (client_options.h), which the message does not
  /// have.
  bool isTorchXla = false;
  /// Options that the user sets by name.
  std::vector<NamedText> overrides;
  /// The message, with its maps in a fixed order (option_order.h).
  std::string bytes;

  /// The fields above but for `bytes`, which has options that we do not use:
  /// equal in all processes of a job that compile the same program.
  std::string key() const;
  int64_t numDevices() const { return numReplicas * numPartitions; }
  static bool isTrue(llvm::ArrayRef<int64_t> flags, size_t index) {
    return flags.size() == 1 ? flags[0] : index < flags.size() && flags[index];
  }
};

llvm::Expected<CompileRequest> readCompileOptions(llvm::StringRef bytes);
/// Serialises the xla.DeviceAssignmentProto.
std::string writeAssignment(const CompileRequest &request);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_REQUEST_COMPILE_REQUEST_H
