//===- event.cc - completion of asynchronous work -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/support/event.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <vector>

using namespace shardwright;

struct Event::State {
  std::mutex mutex;
  std::condition_variable changed;
  /// Read without the mutex: once set, it does not change.
  std::atomic<bool> isSet = false;
  std::string failure;
  std::vector<llvm::unique_function<void(llvm::StringRef)>> waiters;
};

Event::Event() : state(std::make_shared<State>()) {}

void Event::set(llvm::Error error) {
  // A waiter may destroy this object as soon as the event is set.
  std::shared_ptr<State> state = this->state;
  std::vector<llvm::unique_function<void(llvm::StringRef)>> waiters;
  {
    std::lock_guard lock(state->mutex);
    if (error)
      state->failure = llvm::toString(std::move(error));
    state->isSet = true;
    waiters.swap(state->waiters);
  }
  state->changed.notify_all();
  for (auto &then : waiters)
    then(state->failure);
}

bool Event::isSet() const { return state->isSet; }

bool Event::hasFailed() const {
  return state && state->isSet && !state->failure.empty();
}

llvm::Error Event::await() const {
  if (!state)
    return llvm::Error::success();
  if (!state->isSet) {
    std::unique_lock lock(state->mutex);
    state->changed.wait(lock, [&] { return state->isSet.load(); });
  }
  if (state->failure.empty())
    return llvm::Error::success();
  return llvm::createStringError(state->failure);
}

void Event::onReady(llvm::unique_function<void(llvm::StringRef)> then) const {
  if (!state)
    return then("");
  if (!state->isSet) {
    std::lock_guard lock(state->mutex);
    if (!state->isSet) {
      state->waiters.push_back(std::move(then));
      return;
    }
  }
  then(state->failure);
}
