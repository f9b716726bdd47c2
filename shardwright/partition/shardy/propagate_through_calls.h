//===- propagate_through_calls.h - propagation with its calls ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The middle of sdy-propagation-pipeline, from sdy-flatten-call-graph to
// sdy-unflatten-call-graph: as one pass without a copy for each call, or, for
// modules and options for which that is not written, as the passes.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_SHARDY_PROPAGATE_THROUGH_CALLS_H
#define SHARDWRIGHT_PARTITION_SHARDY_PROPAGATE_THROUGH_CALLS_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

#include <functional>
#include <memory>

namespace shardwright {

struct EngineOptions;

/// `passes` adds those that do the same one by one.
std::unique_ptr<mlir::Pass>
createPropagateThroughCalls(const EngineOptions &options,
                            std::function<void(mlir::OpPassManager &)> passes);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_SHARDY_PROPAGATE_THROUGH_CALLS_H
