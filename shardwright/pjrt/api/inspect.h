//===- inspect.h - what Python asks of a program ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_API_INSPECT_H
#define SHARDWRIGHT_PJRT_API_INSPECT_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <string>

namespace shardwright::pjrt {

/// Partitions `code` (StableHLO in any form) and runs nothing. Request:
///   effort: 0, 1 or 2; machine: path of a machine's file; overlap: off, rings,
///   on; stages: names whose text is wanted; memory: false leaves out machine
///   code, with which memory is known; locations: in the texts.
/// Answer: name, stages {name: text}, report (for people), statistics (the JSON
/// report of `shardwright partition`), and `memory_unknown`, why, when machine
/// code cannot be made.
llvm::Expected<llvm::json::Object>
inspectPartition(llvm::StringRef code, const llvm::json::Object &request);

/// Why values of `code` are sharded as they are. Request: values, arguments,
/// results, line, collectives, full, effort, machine, as in ExplainRequest.
/// Answer: text, data.
llvm::Expected<llvm::json::Object>
inspectShardings(llvm::StringRef code, const llvm::json::Object &request);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_API_INSPECT_H
