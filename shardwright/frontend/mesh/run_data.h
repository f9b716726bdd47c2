//===- run_data.h - data of a run for the functions it calls ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_MESH_RUN_DATA_H
#define SHARDWRIGHT_FRONTEND_MESH_RUN_DATA_H

#include "shardwright/ffi/run_data.h"
#include "shardwright/frontend/mesh/run_waits.h"

namespace shardwright::frontend::detail {

/// What a run of the front end passes to the functions that it calls, as
/// ExecuteOptions::callData.
struct RunData : ::shardwright::ffi::FfiRunData {
  size_t depth = 0;                   ///< call_depth.h
  std::shared_ptr<const RunInfo> run; ///< null: it calls no functions
};

/// For a run that this thread starts. Null if it would be empty.
std::shared_ptr<const void> currentRunData(std::shared_ptr<const RunInfo> run);
/// The depth of the run for which this thread calls a function, or 0.
size_t depthOfRun();

} // namespace shardwright::frontend::detail

#endif // SHARDWRIGHT_FRONTEND_MESH_RUN_DATA_H
