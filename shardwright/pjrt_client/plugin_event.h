//===- plugin_event.h - events of a plugin ----------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_CLIENT_PLUGIN_EVENT_H
#define SHARDWRIGHT_PJRT_CLIENT_PLUGIN_EVENT_H

#include "shardwright/pjrt_client/plugin_wait.h"

namespace shardwright::pjrt_client {

/// Returns an event that is set, with the plugin's error, when `event` is, or
/// fails when it is given up (plugin_wait.h). Takes over `event`.
Event watchEvent(WaitedFor what, PJRT_Event *event);
/// Waits for `event`, and destroys it. Fails with its error.
llvm::Error awaitEvent(WaitedFor what, PJRT_Event *event);
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
