//===- region_query.h - programs in region form for Python ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_API_REGION_QUERY_H
#define SHARDWRIGHT_PJRT_API_REGION_QUERY_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace shardwright::pjrt {

/// Partitions `code` (StableHLO in any form) and returns it in region form
/// (interop/region/region_passes.h). Request:
///   effort, machine, overlap: as for inspectPartition (inspect.h);
///   devices: of the program, if it has no mesh;
///   choose_parameters, choose_results: by position, true if we choose the
///   sharding of a value without one; otherwise it is replicated. One entry
///   applies to all;
///   functions: true if the other compiler has the elementwise functions of
///   CHLO; otherwise they are expanded;
///   shardy: false if Shardy does not propagate;
///   embed: the entry becomes a private function of this name.
/// Answer: module (text with locations), statistics (as
/// `shardwright partition --stats=json` writes them).
llvm::Expected<llvm::json::Object>
regionForm(llvm::StringRef code, const llvm::json::Object &request);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_API_REGION_QUERY_H
