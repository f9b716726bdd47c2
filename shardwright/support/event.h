//===- event.h - completion of asynchronous work ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_SUPPORT_EVENT_H
#define SHARDWRIGHT_SUPPORT_EVENT_H

#include "llvm/ADT/FunctionExtras.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace shardwright {

/// Completion of asynchronous work, as success or failure. Copies are the same
/// event. The failure's text is kept for all waiters. Thread-safe.
class Event {
public:
  /// A pending event; its creator calls `set` once.
  Event();
  /// An event that is set, without failure. It owns nothing.
  static Event ready() { return Event(nullptr); }

  void set(llvm::Error error = llvm::Error::success());
  bool isReady() const { return !state || isSet(); }
  /// True if the work is complete and has failed.
  bool hasFailed() const;
  /// Blocks until it is set.
  llvm::Error await() const;
  /// Calls `then` with the failure's text (empty if none): immediately if the
  /// event is set, else on the thread that sets it.
  void onReady(llvm::unique_function<void(llvm::StringRef failure)> then) const;

  /// True if both are the same event.
  friend bool operator==(const Event &a, const Event &b) {
    return a.state == b.state;
  }

private:
  struct State;
  explicit Event(std::shared_ptr<State> state) : state(std::move(state)) {}
  bool isSet() const;
  std::shared_ptr<State> state; ///< null: set, without failure
};

} // namespace shardwright

#endif // SHARDWRIGHT_SUPPORT_EVENT_H
