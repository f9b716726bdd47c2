//===- query_options.h - options of queries from Python ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_API_QUERY_OPTIONS_H
#define SHARDWRIGHT_PJRT_API_QUERY_OPTIONS_H

#include "shardwright/compile/compile.h"
#include "shardwright/pjrt/calls/expand_calls.h"
#include "shardwright/pjrt/calls/propagate_calls.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace shardwright::pjrt {

llvm::Error badQuery(const llvm::Twine &what);

/// Reads `effort` (0, 1 or 2) and `machine` (path of a machine file). With
/// `plansInside`, effort may be 3, and sets it (auto/plan_inside.h).
llvm::Error readPlanning(const llvm::json::Object &request, Effort &effort,
                         std::optional<MachineModel> &machine,
                         bool *plansInside = nullptr);
/// Reads these and `overlap` (off, rings or on).
llvm::Error readPartitioning(const llvm::json::Object &request,
                             CompileOptions &options,
                             bool *plansInside = nullptr);

/// Number of devices of a program without a mesh.
int64_t devicesOf(mlir::ModuleOp module);

/// Lets clients partition the calls for which they registered callbacks.
/// `shardy` of the request is false if Shardy does not propagate.
template <typename Options>
void askClients(Options &options, const llvm::json::Object &request,
                mlir::ModuleOp module, KeptSources &kept) {
  int64_t devices = devicesOf(module);
  if (!request.getBoolean("shardy").value_or(true))
    options.beforePropagate = [devices](mlir::ModuleOp module) {
      return propagateThroughClientCalls(module, devices);
    };
  options.beforePartition = [devices, &kept](mlir::ModuleOp module) {
    return expandClientCalls(module, devices, kept);
  };
}

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_API_QUERY_OPTIONS_H
