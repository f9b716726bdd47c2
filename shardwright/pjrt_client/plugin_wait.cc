//===- plugin_wait.cc - how long plugins are waited for -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_client/plugin_wait.h"

#include "shardwright/support/error.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

using namespace shardwright;
using namespace shardwright::pjrt_client;

namespace {
using Clock = std::chrono::steady_clock;

/// A call or an event that is waited for.
struct Wait {
  const Plugin *plugin;
  const char *function;
  std::optional<WaitedFor> event; ///< none: a call
  Event ours = Event::ready();
  Clock::time_point begin, nextReport, timeout; ///< max(): never
};

/// The waits by number, and a thread that looks after the old ones. A plugin
/// gets a number, not an address: one that calls a callback twice, or late,
/// does no harm.
class Waits {
public:
  uint64_t add(Wait wait);
  std::optional<Wait> end(uint64_t number);
  void setLimits(WaitLimits given);
  bool hasTimeout();
  bool hasGivenUp(const Plugin &plugin);

private:
  void watch();
  /// Reports and gives up what has waited too long; returns when to look again.
  Clock::time_point look(std::unique_lock<std::mutex> &lock);
  void giveUp(std::map<uint64_t, Wait>::iterator it,
              std::unique_lock<std::mutex> &lock);

  std::mutex mutex;
  std::condition_variable changed;
  bool hasThread = false;
  Clock::time_point wakeAt = Clock::time_point::max(); ///< of the thread
  WaitLimits limits;
  uint64_t last = 0;
  std::map<uint64_t, Wait> entries;
  /// Given up: the plugin may still use their memory.
  std::map<uint64_t, WaitedFor> abandoned;
  llvm::DenseSet<const Plugin *> given;
};
} // namespace

static Waits &waits() {
  // Never destroyed: plugins set events until the process ends.
  static auto *all = new Waits();
  return *all;
}

static Clock::time_point after(Clock::time_point begin,
                               WaitLimits::Seconds seconds) {
  // A hundred years are never: the clock does not go further.
  if (seconds.count() <= 0 || seconds.count() > 3e9)
    return Clock::time_point::max();
  return begin + std::chrono::duration_cast<Clock::duration>(seconds);
}

static std::string describe(const Wait &wait) {
  std::string text = (wait.plugin->name() + ": " + wait.function).str();
  if (wait.event && !wait.event->where.empty())
    text += " (" + wait.event->where + ")";
  return text;
}

static std::string inSeconds(Clock::duration time) {
  return llvm::formatv("{0:f1} s", std::chrono::duration<double>(time).count());
}

uint64_t Waits::add(Wait wait) {
  std::lock_guard lock(mutex);
  wait.begin = Clock::now();
  wait.nextReport = after(wait.begin, limits.report);
  wait.timeout = after(wait.begin, limits.timeout);
  if (wait.event && !wait.event->mayGiveUp)
    wait.timeout = Clock::time_point::max();
  Clock::time_point due = std::min(wait.nextReport, wait.timeout);
  entries.emplace(++last, std::move(wait));
  if (due < wakeAt) {
    wakeAt = due;
    changed.notify_one();
    if (!std::exchange(hasThread, true))
      std::thread([this] { watch(); }).detach();
  }
  return last;
}

std::optional<Wait> Waits::end(uint64_t number) {
  WaitedFor late; // its memory is freed without the mutex
  std::lock_guard lock(mutex);
  auto it = entries.find(number);
  if (it == entries.end()) {
    if (auto old = abandoned.find(number); old != abandoned.end()) {
      late = std::move(old->second);
      abandoned.erase(old);
    }
    return std::nullopt;
  }
  std::optional<Wait> wait(std::move(it->second));
  entries.erase(it);
  return wait;
}

void Waits::setLimits(WaitLimits newLimits) {
  std::lock_guard lock(mutex);
  limits = std::move(newLimits);
}

bool Waits::hasTimeout() {
  std::lock_guard lock(mutex);
  return limits.timeout.count() > 0;
}

bool Waits::hasGivenUp(const Plugin &plugin) {
  std::lock_guard lock(mutex);
  return given.contains(&plugin);
}

void Waits::giveUp(std::map<uint64_t, Wait>::iterator it,
                   std::unique_lock<std::mutex> &lock) {
  Wait wait = std::move(it->second);
  uint64_t number = it->first;
  entries.erase(it);
  std::string text =
      describe(wait) + " has not ended after " +
      inSeconds(Clock::now() - wait.begin) +
      "; the plugin or its device hangs, or needs a longer timeout";
  given.insert(wait.plugin);
  auto onStuckCall = limits.onStuckCall;
  if (wait.event)
    abandoned.emplace(number, std::move(*wait.event));
  // Those who wait may call this object.
  lock.unlock();
  if (wait.event)
    wait.ours.set(fail(text));
  else if (onStuckCall)
    onStuckCall(text);
  lock.lock();
}

Clock::time_point Waits::look(std::unique_lock<std::mutex> &lock) {
  Clock::time_point now = Clock::now();
  std::vector<uint64_t> overdue;
  std::vector<std::string> reports;
  for (auto &[number, wait] : entries) {
    if (wait.timeout <= now) {
      overdue.push_back(number);
    } else if (wait.nextReport <= now) {
      wait.nextReport = now + (now - wait.begin);
      // An error has said so already.
      if (given.contains(wait.plugin))
        continue;
      reports.push_back(describe(wait) + ": waiting for " +
                        inSeconds(now - wait.begin));
    }
  }
  auto onReport = limits.onReport;
  lock.unlock();
  for (const std::string &text : reports) {
    if (onReport)
      onReport(text);
    else
      llvm::errs() << text + "\n";
  }
  lock.lock();
  for (uint64_t number : overdue)
    if (auto it = entries.find(number); it != entries.end())
      giveUp(it, lock);
  Clock::time_point next = Clock::time_point::max();
  for (auto &[number, wait] : entries)
    next = std::min({next, wait.nextReport, wait.timeout});
  return next;
}

void Waits::watch() {
  std::unique_lock lock(mutex);
  while (true) {
    wakeAt = look(lock);
    while (wakeAt > Clock::now()) {
      if (wakeAt == Clock::time_point::max())
        changed.wait(lock);
      else
        changed.wait_until(lock, Clock::time_point(wakeAt));
    }
  }
}

void pjrt_client::setWaitLimits(WaitLimits limits) {
  waits().setLimits(std::move(limits));
}

bool pjrt_client::hasWaitTimeout() { return waits().hasTimeout(); }

bool pjrt_client::hasGivenUp(const Plugin &plugin) {
  return waits().hasGivenUp(plugin);
}

CallWatch::CallWatch(const Plugin &plugin, const char *function)
    : number(waits().add({&plugin, function})) {}

CallWatch::~CallWatch() { waits().end(number); }

uint64_t pjrt_client::addWait(WaitedFor what, Event event) {
  Wait wait{what.plugin.get(), what.function};
  wait.event = std::move(what);
  wait.ours = std::move(event);
  return waits().add(std::move(wait));
}

std::optional<std::pair<WaitedFor, Event>>
pjrt_client::endWait(uint64_t number) {
  std::optional<Wait> wait = waits().end(number);
  if (!wait || !wait->event)
    return std::nullopt;
  return std::pair(std::move(*wait->event), std::move(wait->ours));
}
