//===- pending_runs.cc - runs with effects that are in flight -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/callbacks/pending_runs.h"

#include "shardwright/frontend/array/value.h"
#include "shardwright/frontend/mesh/run_waits.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace shardwright::frontend {
namespace {

struct PendingRuns {
  std::map<Effect, Event> last; ///< of each ordered effect
  std::vector<Event> runs;
  Status failure;

  void finish(const Event &run) {
    if (Status allowed = detail::checkWait(run); !allowed) {
      if (failure)
        failure = allowed;
      return;
    }
    llvm::Error error = run.await();
    if (!error)
      return;
    Error text = fromLlvm(std::move(error));
    if (failure)
      failure = text;
  }
};
thread_local PendingRuns pending;

} // namespace

std::vector<OrderedRun> runsBefore(EffectSet effects) {
  std::vector<OrderedRun> out;
  for (Effect effect : effects.ordered().list()) {
    auto found = pending.last.find(effect);
    if (found == pending.last.end() || found->second.isReady())
      continue;
    Event passed;
    found->second.onReady([passed](llvm::StringRef) mutable { passed.set(); });
    out.push_back({found->second, passed});
  }
  return out;
}

Status awaitRunsBefore(EffectSet effects) {
  for (const OrderedRun &before : runsBefore(effects)) {
    SW_TRY(detail::checkWait(before.done));
    llvm::consumeError(before.passed.await());
  }
  return {};
}

void recordRun(EffectSet effects, const Event &done) {
  for (Effect effect : effects.ordered().list())
    pending.last.insert_or_assign(effect, done);
  llvm::erase_if(pending.runs, [](const Event &run) {
    if (run.isReady())
      pending.finish(run);
    return run.isReady();
  });
  pending.runs.push_back(done);
}

void recordFailure(const Error &error) {
  if (pending.failure)
    pending.failure = error;
}

Status awaitEffects() {
  for (const Event &run : std::exchange(pending.runs, {}))
    pending.finish(run);
  pending.last.clear();
  return std::exchange(pending.failure, {});
}

} // namespace shardwright::frontend
