//===- plugin_event.h - events of a plugin ----------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_CLIENT_PLUGIN_EVENT_H
#define SHARDWRIGHT_PJRT_CLIENT_PLUGIN_EVENT_H

#include "shardwright/pjrt_client/plugin.h"
#include "shardwright/support/event.h"

namespace shardwright::pjrt_client {

/// Returns an event that is set, with the plugin's error, when `event` is.
/// Takes over `event`. `what` is the function that made it, for messages.
Event watchEvent(std::shared_ptr<const Plugin> plugin, const char *what,
                 PJRT_Event *event);
/// Waits for `event`, and destroys it. Fails with its error.
llvm::Error awaitEvent(const Plugin &plugin, const char *what,
                       PJRT_Event *event);
/// True on a thread of the plugin that is setting an event.
bool isInEventCallback();

/// An event of ours that fails at once.
inline Event failedEvent(llvm::Error error) {
  Event event;
  event.set(std::move(error));
  return event;
}

} // namespace shardwright::pjrt_client

#endif // SHARDWRIGHT_PJRT_CLIENT_PLUGIN_EVENT_H
