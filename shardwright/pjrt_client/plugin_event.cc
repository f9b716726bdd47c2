//===- plugin_event.cc - events of a plugin -------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_client/plugin_event.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/ScopeExit.h"

#include <mutex>

using namespace shardwright;
using namespace shardwright::pjrt_client;

namespace {
/// An event that a plugin will set.
struct Watched {
  std::shared_ptr<const Plugin> plugin;
  const char *what;
  Event event;
};

/// The watched events by number. A plugin gets a number, not an address: one
/// that calls a callback twice, or late, does no harm.
class Registry {
public:
  uint64_t add(Watched watched) {
    std::lock_guard lock(mutex);
    entries.try_emplace(++last, std::move(watched));
    return last;
  }
  std::optional<Watched> take(uint64_t number) {
    std::lock_guard lock(mutex);
    auto it = entries.find(number);
    if (it == entries.end())
      return std::nullopt;
    std::optional<Watched> watched(std::move(it->second));
    entries.erase(it);
    return watched;
  }

private:
  std::mutex mutex;
  uint64_t last = 0;
  llvm::DenseMap<uint64_t, Watched> entries;
};
} // namespace

static Registry &registry() {
  // Never destroyed: plugins set events until the process ends.
  static auto *all = new Registry();
  return *all;
}

static thread_local bool inCallback = false;

bool pjrt_client::isInEventCallback() { return inCallback; }

static void onReady(PJRT_Error *error, void *number) {
  std::optional<Watched> watched =
      registry().take(reinterpret_cast<uintptr_t>(number));
  if (!watched)
    return;
  bool before = std::exchange(inCallback, true);
  llvm::scope_exit restore([before] { inCallback = before; });
  watched->event.set(watched->plugin->take(watched->what, error));
}

static void destroy(const Plugin &plugin, PJRT_Event *event) {
  auto args = makeStruct<PJRT_Event_Destroy_Args>();
  args.event = event;
  llvm::consumeError(SHARDWRIGHT_PJRT_CALL(plugin, Event_Destroy, args));
}

llvm::Error pjrt_client::awaitEvent(const Plugin &plugin, const char *what,
                                    PJRT_Event *event) {
  if (!event)
    return plugin.wrong(what, "no event");
  auto args = makeStruct<PJRT_Event_Await_Args>();
  args.event = event;
  // An event's error is that of `what`. If the function is missing, the error
  // names the function.
  auto *await = plugin.functions().PJRT_Event_Await;
  llvm::Error error =
      plugin.call(await ? what : "PJRT_Event_Await", await, args);
  destroy(plugin, event);
  return error;
}

Event pjrt_client::watchEvent(std::shared_ptr<const Plugin> plugin,
                              const char *what, PJRT_Event *event) {
  if (!event)
    return failedEvent(plugin->wrong(what, "no event"));
  Event ours;
  uint64_t number = registry().add({plugin, what, ours});
  auto args = makeStruct<PJRT_Event_OnReady_Args>();
  args.event = event;
  args.callback = onReady;
  args.user_arg = reinterpret_cast<void *>(uintptr_t(number));
  if (llvm::Error e = SHARDWRIGHT_PJRT_CALL(*plugin, Event_OnReady, args)) {
    // It may still call back: whoever takes the entry sets the event. The
    // memory of a transfer must stay until the plugin is done with it.
    if (registry().take(number)) {
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
