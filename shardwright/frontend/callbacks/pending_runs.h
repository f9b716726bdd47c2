//===- pending_runs.h - runs with effects that are in flight -- -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CALLBACKS_PENDING_RUNS_H
#define SHARDWRIGHT_FRONTEND_CALLBACKS_PENDING_RUNS_H

#include "shardwright/frontend/base/error.h"
#include "shardwright/frontend/trace/effects.h"
#include "shardwright/support/event.h"

namespace shardwright::frontend {

/// A run that others of the same ordered effect follow.
struct OrderedRun {
  Event done;
  /// The same without its failure: a failed run does not make later ones fail.
  Event passed;
};
/// The last runs of this thread with the same ordered effects, for which a run
/// with these effects must wait.
std::vector<OrderedRun> runsBefore(EffectSet effects);
/// Waits for them. An error if they wait for the function that this thread is
/// in.
Status awaitRunsBefore(EffectSet effects);
/// Records that this thread started a run with effects.
void recordRun(EffectSet effects, const Event &done);
/// Keeps an error for the next awaitEffects.
void recordFailure(const Error &error);
/// Waits for all runs with effects that this thread started; returns the first
/// failure since the last call.
Status awaitEffects();

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_CALLBACKS_PENDING_RUNS_H
