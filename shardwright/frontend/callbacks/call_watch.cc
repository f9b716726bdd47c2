//===- call_watch.cc - functions of the user that do not return -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/callbacks/call_watch.h"

#include "shardwright/frontend/base/warning.h"
#include "shardwright/runtime/custom_call.h"
#include "shardwright/support/blocking_threads.h"

#include "llvm/Support/FormatVariadic.h"

#include <chrono>
#include <condition_variable>
#include <map>
#include <thread>

namespace shardwright::frontend {

Config<double> config::callbackReportSecs("callback_report_secs", 30.0, NoKey);
Config<double> config::callbackTimeoutSecs("callback_timeout_secs", 0.0, NoKey);

namespace {
using Clock = std::chrono::steady_clock;

/// The time after `begin`; the end of time for 0 and what is too long.
Clock::time_point after(Clock::time_point begin, double seconds) {
  if (!(seconds > 0) || seconds > 3e9)
    return Clock::time_point::max();
  return begin + std::chrono::duration_cast<Clock::duration>(
                     std::chrono::duration<double>(seconds));
}

/// The calls in progress, and a thread that reports those that take long.
class Calls {
public:
  uint64_t add(std::string what, double reportAfter);
  void end(uint64_t number);

private:
  struct Call {
    std::string what;
    Clock::time_point begin, nextReport;
  };
  void watch();
  /// Reports what is due; returns when to look again.
  Clock::time_point look(std::unique_lock<std::mutex> &lock);

  std::mutex mutex;
  std::condition_variable changed;
  bool hasThread = false;
  Clock::time_point wakeAt = Clock::time_point::max(); ///< of the thread
  uint64_t last = 0;
  std::map<uint64_t, Call> entries;
};

uint64_t Calls::add(std::string what, double reportAfter) {
  std::lock_guard lock(mutex);
  Clock::time_point now = Clock::now(), due = after(now, reportAfter);
  entries.emplace(++last, Call{std::move(what), now, due});
  if (due < wakeAt) {
    wakeAt = due;
    changed.notify_one();
    if (!std::exchange(hasThread, true))
      std::thread([this] { watch(); }).detach();
  }
  return last;
}

void Calls::end(uint64_t number) {
  std::lock_guard lock(mutex);
  entries.erase(number);
}

Clock::time_point Calls::look(std::unique_lock<std::mutex> &lock) {
  Clock::time_point now = Clock::now(), next = Clock::time_point::max();
  std::vector<std::string> reports;
  for (auto &[number, call] : entries) {
    if (call.nextReport <= now) {
      std::chrono::duration<double> time = now - call.begin;
      call.nextReport = now + (now - call.begin);
      reports.push_back(llvm::formatv("{0} has been running for {1:f1} s",
                                      call.what, time.count()));
    }
    next = std::min(next, call.nextReport);
  }
  lock.unlock();
  for (const std::string &text : reports)
    warn(text);
  lock.lock();
  return next;
}

void Calls::watch() {
  std::unique_lock lock(mutex);
  while (true) {
    // A call that begins during a report brings its own time.
    wakeAt = Clock::time_point::max();
    Clock::time_point next = look(lock);
    wakeAt = std::min(wakeAt, next);
    while (wakeAt > Clock::now()) {
      if (wakeAt == Clock::time_point::max())
        changed.wait(lock);
      else
        changed.wait_until(lock, Clock::time_point(wakeAt));
    }
  }
}

Calls &calls() {
  // Never destroyed: functions may run until the process ends.
  static auto *all = new Calls;
  return *all;
}

std::string described(const std::string &what) {
  std::string out = what;
  if (auto run = detail::currentRun())
    out += " of " + run->program;
  if (int32_t device = cpu::RunContext::currentDevice(); device >= 0)
    out += cat(" (device ", device, ")");
  return out;
}

} // namespace

CallLimits CallLimits::current() {
  if (auto run = detail::currentRun())
    return {run->reportAfter, run->timeout};
  return {config::callbackReportSecs.get(), config::callbackTimeoutSecs.get()};
}

WatchedCall::WatchedCall(std::string what)
    : name(std::move(what)), scope(name),
      number(calls().add(described(name), CallLimits::current().reportAfter)) {}

WatchedCall::~WatchedCall() { calls().end(number); }

bool callWithin(double seconds, std::function<void()> call) {
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    bool isDone = false;
  };
  auto state = std::make_shared<State>();
  bool isStarted = cpu::runBlocking([state, call] {
    call();
    std::lock_guard lock(state->mutex);
    state->isDone = true;
    state->changed.notify_all();
  });
  if (!isStarted) {
    call();
    return true;
  }
  std::unique_lock lock(state->mutex);
  return state->changed.wait_until(lock, after(Clock::now(), seconds),
                                   [&] { return state->isDone; });
}

} // namespace shardwright::frontend
