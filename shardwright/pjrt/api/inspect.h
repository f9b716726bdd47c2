//===- inspect.h - queries of programs from Python --------------*- C++ -*-===//
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

/// Partitions `code` (StableHLO in any form) without running it. Request:
///   effort: 0, 1 or 2; machine: path of a machine file; overlap: off, rings,
///   on; stages: names of stages whose text is returned; memory: false skips
///   code generation, which determines memory use; locations: include them;
///   full: each row of each table of the text report; library_paths: as
///   setLibraryPaths (dialect/source_frames.h) takes them, for this request.
/// Answer: name, stages {name: text}, report (readable), statistics (the JSON
/// report of `shardwright partition`), and `memory_unknown`, the reason, if
/// code generation fails.
llvm::Expected<llvm::json::Object>
inspectPartition(llvm::StringRef code, const llvm::json::Object &request);

/// Makes the report of `code` (report/document/document.h). Request: effort,
/// machine, overlap, target, as for inspectPartition; memory: true generates
/// code, which determines memory use; trials: how many annotations are tried;
/// library_paths.
/// Answer: name, document, html.
llvm::Expected<llvm::json::Object>
inspectReport(llvm::StringRef code, const llvm::json::Object &request);

/// Explains the shardings of values of `code`. Request: values, arguments,
/// results, line, collectives, full, effort, machine, as in ExplainRequest;
/// library_paths.
/// Answer: text, data.
llvm::Expected<llvm::json::Object>
inspectShardings(llvm::StringRef code, const llvm::json::Object &request);

/// Finds shardings (auto/auto_shard.h). Request: `mesh` as [[name, size]], or
/// `devices`; `machine`, `memory` in bytes, `effort`, `overlap`, `drop`,
/// `state`, `fixed` (names to PartitionSpecs). Answer: `report`, `module`
/// (annotated), and `data` as `shardwright auto --report=json` writes it.
llvm::Expected<llvm::json::Object>
inspectAuto(llvm::StringRef code, const llvm::json::Object &request);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_API_INSPECT_H
