//===- plugin_event.cc - events of a plugin -------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_client/plugin_event.h"

#include "llvm/ADT/ScopeExit.h"

using namespace shardwright;
using namespace shardwright::pjrt_client;

static thread_local bool inCallback = false;

bool pjrt_client::isInEventCallback() { return inCallback; }

static void onReady(PJRT_Error *error, void *number) {
  auto waited = endWait(reinterpret_cast<uintptr_t>(number));
  if (!waited)
    return;
  bool before = std::exchange(inCallback, true);
  llvm::scope_exit restore([before] { inCallback = before; });
  const WaitedFor &what = waited->first;
  waited->second.set(what.plugin->take(what.function, error));
}

static void destroy(const Plugin &plugin, PJRT_Event *event) {
  auto args = makeStruct<PJRT_Event_Destroy_Args>();
  args.event = event;
  llvm::consumeError(SHARDWRIGHT_PJRT_CALL(plugin, Event_Destroy, args));
}

llvm::Error pjrt_client::awaitEvent(WaitedFor what, PJRT_Event *event) {
  const Plugin &plugin = *what.plugin;
  if (!event)
    return plugin.wrong(what.function, "no event");
  if (plugin.functions().PJRT_Event_OnReady)
    return watchEvent(std::move(what), event).await();
  auto args = makeStruct<PJRT_Event_Await_Args>();
  args.event = event;
  // An event's error is that of the function. If Await is missing, the error
  // names it.
  auto *await = plugin.functions().PJRT_Event_Await;
  llvm::Error error =
      plugin.call(await ? what.function : "PJRT_Event_Await", await, args);
  destroy(plugin, event);
  return error;
}

Event pjrt_client::watchEvent(WaitedFor what, PJRT_Event *event) {
  std::shared_ptr<const Plugin> plugin = what.plugin;
  if (!event)
    return failedEvent(plugin->wrong(what.function, "no event"));
  Event ours;
  uint64_t number = addWait(std::move(what), ours);
  auto args = makeStruct<PJRT_Event_OnReady_Args>();
  args.event = event;
  args.callback = onReady;
  args.user_arg = reinterpret_cast<void *>(uintptr_t(number));
  if (llvm::Error e = SHARDWRIGHT_PJRT_CALL(*plugin, Event_OnReady, args)) {
    // It may still call back: whoever ends the wait sets the event. The
    // memory of a transfer must stay until the plugin is done with it.
    if (auto waited = endWait(number)) {
      auto wait = makeStruct<PJRT_Event_Await_Args>();
      wait.event = event;
      llvm::consumeError(SHARDWRIGHT_PJRT_CALL(*plugin, Event_Await, wait));
      ours.set(std::move(e));
    } else {
      llvm::consumeError(std::move(e));
    }
  }
  destroy(*plugin, event);
  return ours;
}
