//===- event.h - something that will have happened --------------*- C++ -*-===//
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

/// The end of asynchronous work, good or bad; copies are the same event. A
/// failure keeps its text, so that everyone who asks gets it. Thread-safe.
class Event {
public:
  /// Not yet: whoever made it calls `set` once.
  Event();
  static Event ready();

  void set(llvm::Error error = llvm::Error::success());
  bool isReady() const;
  /// Whether it has happened, and badly.
  bool hasFailed() const;
  /// Blocks until it is set.
  llvm::Error await() const;
  /// Calls `then` with the failure's text (empty: none), at once if it is set,
  /// else on the thread that sets it.
  void onReady(llvm::unique_function<void(llvm::StringRef failure)> then) const;

private:
  struct State;
  std::shared_ptr<State> state;
};

} // namespace shardwright

#endif // SHARDWRIGHT_SUPPORT_EVENT_H
