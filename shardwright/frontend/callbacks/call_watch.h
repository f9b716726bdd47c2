//===- call_watch.h - functions of the user that do not return --*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CALLBACKS_CALL_WATCH_H
#define SHARDWRIGHT_FRONTEND_CALLBACKS_CALL_WATCH_H

#include "shardwright/frontend/callbacks/call_limits.h"
#include "shardwright/frontend/mesh/run_waits.h"

namespace shardwright::frontend {

/// The limits of a call: the settings of the thread that started the run which
/// calls, or of this thread.
struct CallLimits {
  double reportAfter, timeout;
  static CallLimits current();
};

/// A function of the user is called while the object exists. If that takes
/// long, reports name it, its program and its device:
/// `callback 'f' of jit(g) (device 3) has been running for 30.0 s`.
class WatchedCall {
public:
  /// `what`: `callback 'f'`.
  explicit WatchedCall(std::string what);
  ~WatchedCall();
  WatchedCall(const WatchedCall &) = delete;
  WatchedCall &operator=(const WatchedCall &) = delete;

private:
  std::string name;
  detail::ScopedUserCall scope;
  uint64_t number;
};

/// Calls `call` on a thread of its own. False if it has not returned after this
/// time; it then goes on, and must own what it uses.
bool callWithin(double seconds, std::function<void()> call);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_CALLBACKS_CALL_WATCH_H
