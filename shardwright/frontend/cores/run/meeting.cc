//===- meeting.cc - devices that run a kernel together --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/cores/run/meeting.h"

#include <chrono>

namespace shardwright::frontend::kernels {
namespace {

/// The devices of one run that have called a kernel.
struct Meeting {
  std::vector<std::optional<DeviceCall>> calls;
  size_t numCalls = 0;
  /// Set when all have called, or if the meeting has failed.
  std::shared_ptr<KernelRun> run;
  Status status;
  bool hasEnded = false;
  std::condition_variable changed;
};

/// By run and kernel, those that wait for devices. A device cannot call a
/// kernel again before all have called it.
struct Meetings {
  std::mutex mutex;
  std::map<std::pair<int64_t, const Kernel *>, std::shared_ptr<Meeting>> open;
};
Meetings &meetings() {
  static auto *made = new Meetings;
  return *made;
}

/// All devices reach a kernel soon after each other, since they have exchanged
/// a value just before it. A device whose thread could not start does not.
constexpr std::chrono::seconds longestWait(120);

DeviceCall callOf(const CustomCall &call) {
  DeviceCall out;
  out.position = call.partition;
  out.operands.assign(call.operands.begin(), call.operands.end());
  out.results.assign(call.results.begin(), call.results.end());
  return out;
}

/// The run with all devices, when they are there.
Expected<std::shared_ptr<KernelRun>> meet(const KernelPtr &kernel,
                                          const CustomCall &call) {
  auto expected = static_cast<size_t>(kernel->devices.size());
  Meetings &all = meetings();
  std::unique_lock lock(all.mutex);
  const std::pair key(call.run.id, kernel.get());
  std::shared_ptr<Meeting> &entry = all.open[key];
  if (!entry) {
    entry = std::make_shared<Meeting>();
    entry->calls.resize(expected);
  }
  const std::shared_ptr<Meeting> meeting = entry;
  if (static_cast<size_t>(call.partition) >= expected ||
      meeting->calls[call.partition])
    return makeError(ErrorKind::Runtime, "device ", call.partition,
                     " does not belong to the kernel of ", expected,
                     " devices, or called it twice");
  meeting->calls[call.partition] = callOf(call);
  if (++meeting->numCalls < expected) {
    if (!meeting->changed.wait_for(lock, longestWait,
                                   [&] { return meeting->hasEnded; })) {
      meeting->status = makeError(
          ErrorKind::Runtime, "core_map ", kernel->param.options.name, ": ",
          expected - meeting->numCalls, " of ", expected,
          " devices have not called the kernel, which copies between them");
      meeting->hasEnded = true;
      all.open.erase(key);
      meeting->changed.notify_all();
    }
    if (!meeting->status)
      return meeting->status.error();
    return meeting->run;
  }
  all.open.erase(key);
  std::vector<DeviceCall> calls;
  for (std::optional<DeviceCall> &one : meeting->calls)
    calls.push_back(std::move(*one));
  Expected<std::shared_ptr<KernelRun>> run =
      KernelRun::create(kernel, std::move(calls), call.run);
  if (run)
    meeting->run = *run;
  else
    meeting->status = run.error();
  meeting->hasEnded = true;
  meeting->changed.notify_all();
  return run;
}

} // namespace

Status runKernel(const KernelPtr &kernel, const CustomCall &call) {
  Expected<std::shared_ptr<KernelRun>> run =
      kernel->isJoint ? meet(kernel, call)
                      : KernelRun::create(kernel, {callOf(call)}, call.run);
  if (!run)
    return run.error();
  return (*run)->work();
}

} // namespace shardwright::frontend::kernels
