//===- plugin_wait.h - how long plugins are waited for -------- -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_CLIENT_PLUGIN_WAIT_H
#define SHARDWRIGHT_PJRT_CLIENT_PLUGIN_WAIT_H

#include "shardwright/pjrt_client/plugin.h"
#include "shardwright/support/event.h"

#include <chrono>
#include <functional>

namespace shardwright::pjrt_client {

/// How long the calls and events of all plugins are waited for.
struct WaitLimits {
  using Seconds = std::chrono::duration<double>;
  /// A wait is reported after this time, and whenever it has doubled. 0: never.
  Seconds report{30};
  /// An event that is not set within this time fails. 0: never.
  Seconds timeout{0};
  /// Gets the reports, on any thread; null: standard error.
  std::function<void(llvm::StringRef)> onReport;
  /// Called on any thread when a call of the plugin, which cannot be
  /// interrupted, takes longer than `timeout`. Null: nothing is done.
  std::function<void(llvm::StringRef)> onStuckCall;
};

/// For calls and events from now on.
void setWaitLimits(WaitLimits limits);

/// True if events from now on may fail because of `timeout`.
bool hasWaitTimeout();

/// True if an event of the plugin has failed because of `timeout`. Its objects
/// are not destroyed any more: that could take as long.
bool hasGivenUp(const Plugin &plugin);

/// What an event of a plugin waits for.
struct WaitedFor {
  std::shared_ptr<const Plugin> plugin;
  const char *function; ///< that made the event, for messages
  std::string where;    ///< `device 3`; may be empty
  /// Kept until the plugin sets its event, also if it is given up before.
  std::shared_ptr<const void> memory;
  /// False: never given up, because the plugin uses memory of the caller.
  bool mayGiveUp = true;
};

/// Counts `event` as waited for, and returns a number for it.
uint64_t addWait(WaitedFor what, Event event);
/// Ends the wait. None if it has ended, or was given up.
std::optional<std::pair<WaitedFor, Event>> endWait(uint64_t number);

} // namespace shardwright::pjrt_client

#endif // SHARDWRIGHT_PJRT_CLIENT_PLUGIN_WAIT_H
