//===- topology.h - compiling without devices -------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_CLIENT_TOPOLOGY_H
#define SHARDWRIGHT_PJRT_CLIENT_TOPOLOGY_H

#include "shardwright/backend/loaded_program.h"
#include "shardwright/pjrt_client/client_option.h"
#include "shardwright/pjrt_client/optimized_program.h"
#include "shardwright/pjrt_client/plugin.h"
#include "shardwright/pjrt_client/program_bytes.h"

namespace shardwright::pjrt_client {

/// What another vendor's compiler made of a program.
struct CompiledElsewhere {
  std::string platform;
  int64_t numDevices = 0; ///< of the topology
  /// Of one device; all 0 if the plugin does not say.
  MemoryStatistics memory;
  /// None if the plugin does not show its program.
  std::optional<std::vector<CollectiveCount>> collectives;
};

/// Compiles a program for a machine that is described by the name of its
/// topology and options of the plugin; devices need not be there.
llvm::Expected<CompiledElsewhere>
compileForTopology(const Plugin &plugin, llvm::StringRef topology,
                   llvm::ArrayRef<ClientOption> options,
                   const ProgramParts &program);

} // namespace shardwright::pjrt_client

#endif // SHARDWRIGHT_PJRT_CLIENT_TOPOLOGY_H
