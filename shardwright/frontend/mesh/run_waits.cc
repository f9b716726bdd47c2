//===- run_waits.cc - runs that wait for each other -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/mesh/run_waits.h"

#include "shardwright/frontend/mesh/call_depth.h"
#include "shardwright/frontend/mesh/run_data.h"
#include "shardwright/runtime/custom_call.h"

#include "llvm/ADT/STLExtras.h"

#include <atomic>

namespace shardwright::frontend::detail {
namespace {

/// Runs that have not ended, as far as someone may wait for them in a function
/// that one of them calls. Never destroyed: runs end with the process.
struct RunsInFlight {
  struct Entry {
    Event done;
    std::vector<Event> after;
    std::vector<Device> devices;
    uint64_t ticket;
    size_t depth;
  };
  std::mutex mutex;
  std::vector<Entry> entries;
  std::atomic<uint64_t> lastTicket = 0;
  /// Of runs that call functions of the user.
  std::atomic<int64_t> withCalls = 0;

  /// True if `event` is not set before the function has returned that this run
  /// calls on this device. The mutex is locked.
  bool waitsFor(const Event &event, const RunInfo &run, int32_t device) const;
};
RunsInFlight &inFlight() {
  static auto *made = new RunsInFlight;
  return *made;
}

bool RunsInFlight::waitsFor(const Event &event, const RunInfo &run,
                            int32_t device) const {
  std::vector<Event> found{event};
  for (size_t next = 0; next < found.size(); ++next) {
    if (found[next] == run.end)
      return true;
    for (const Entry &entry : entries) {
      if (!(entry.done == found[next]))
        continue;
      if (entry.ticket > run.ticket && entry.depth == run.depth &&
          llvm::is_contained(entry.devices, Device{device}))
        return true;
      for (const Event &before : entry.after)
        if (!llvm::is_contained(found, before))
          found.push_back(before);
    }
  }
  return false;
}

thread_local const std::string *innermostCall = nullptr;

} // namespace

std::shared_ptr<const RunInfo> currentRun() {
  auto *data = static_cast<const ::shardwright::ffi::FfiRunData *>(
      cpu::RunContext::current().data.get());
  return data ? static_cast<const RunData *>(data)->run : nullptr;
}
RunStart beginRun(RunInfo *run) {
  RunsInFlight &runs = inFlight();
  if (!run && runs.withCalls == 0)
    return {};
  RunStart start{++runs.lastTicket};
  if (run) {
    ++runs.withCalls;
    run->ticket = start.ticket;
    run->depth = callDepth();
  }
  return start;
}

void recordStart(RunStart start, const Event &done,
                 const std::vector<Device> &devices,
                 const std::shared_ptr<const RunInfo> &run) {
  if (!start.ticket)
    return;
  RunsInFlight &runs = inFlight();
  if (!done.isReady()) {
    if (run)
      start.after.push_back(run->end);
    std::lock_guard lock(runs.mutex);
    llvm::erase_if(runs.entries, [](const RunsInFlight::Entry &entry) {
      return entry.done.isReady();
    });
    runs.entries.push_back(
        {done, std::move(start.after), devices, start.ticket, callDepth()});
  }
  if (run)
    done.onReady([run](llvm::StringRef) { endRun(run.get()); });
}

void endRun(const RunInfo *run) {
  if (!run)
    return;
  Event(run->end).set();
  --inFlight().withCalls;
}

ScopedUserCall::ScopedUserCall(const std::string &what)
    : outer(std::exchange(innermostCall, &what)) {}
ScopedUserCall::~ScopedUserCall() { innermostCall = outer; }

Status checkWait(const Event &event) {
  if (!innermostCall || event.isReady())
    return {};
  RunsInFlight &runs = inFlight();
  int32_t device = cpu::RunContext::currentDevice();
  for (auto run = currentRun(); run; run = run->outer) {
    std::lock_guard lock(runs.mutex);
    if (runs.waitsFor(event, *run, device))
      return makeError(
          ErrorKind::Runtime, *innermostCall,
          " waits for a result that does not exist before ", run->program,
          " has ended, and that program waits for the function to return. "
          "Return from the function, and use the result after the call of ",
          run->program);
    device = run->outerDevice;
  }
  return {};
}

} // namespace shardwright::frontend::detail
