//===- propagate_through_calls.h - propagation with calls -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of sdy-propagation-pipeline from sdy-flatten-call-graph to
// sdy-unflatten-call-graph: as one pass that does not copy callees, or, for
// modules and options that it does not support, as the separate passes.
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

/// `passes` adds the separate passes.
std::unique_ptr<mlir::Pass>
createPropagateThroughCalls(const EngineOptions &options,
                            std::function<void(mlir::OpPassManager &)> passes);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_SHARDY_PROPAGATE_THROUGH_CALLS_H
