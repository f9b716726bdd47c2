//===- messenger_test_util.h - transfers of tests ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_JOB_MESSENGER_TEST_UTIL_H
#define SHARDWRIGHT_JOB_MESSENGER_TEST_UTIL_H

#include "shardwright/job/transport.h"
#include "shardwright/support/event.h"

#include <chrono>
#include <future>
#include <memory>
#include <string>

namespace shardwright::test {

/// Waits for an event; returns its failure, or says that it does not come.
inline std::string await(const Event &event) {
  auto promise = std::make_shared<std::promise<std::string>>();
  event.onReady([promise](llvm::StringRef failure) {
    promise->set_value(failure.str());
  });
  std::future<std::string> future = promise->get_future();
  if (future.wait_for(std::chrono::seconds(60)) == std::future_status::ready)
    return future.get();
  return "nothing for a minute";
}

/// A transfer under way.
struct Transfer {
  Event done;
  Transport::Done callback() {
    return [done = done](llvm::Error e) mutable { done.set(std::move(e)); };
  }
  std::string message() { return await(done); }
};

inline RunKey runOf(uint64_t launch, uint64_t deviceSet = 7) {
  return {deviceSet, launch};
}
inline MessageKey keyOf(int32_t step, int32_t part = 0) {
  MessageKey key;
  key.step = step;
  key.part = part;
  return key;
}

/// A run that has been opened, and its failure.
struct OpenRun {
  RunDescription description;
  struct State {
    Event failed;
    RunFailure failure;
  };
  std::shared_ptr<State> state = std::make_shared<State>();

  /// Waits for the failure.
  std::string failure() {
    std::string late = await(state->failed);
    return late.empty() ? state->failure.text : late;
  }
  bool hasFailed() const { return state->failed.isReady(); }
};

inline RunDescription describe(const RunKey &key,
                               llvm::ArrayRef<int32_t> participants,
                               llvm::StringRef name = "jit_f",
                               uint64_t hash = 1) {
  RunDescription run;
  run.key = key;
  run.programHash = hash;
  run.name = name.str();
  run.devices = "devices 0-7";
  run.participants.assign(participants.begin(), participants.end());
  run.describeWait = [](int32_t peer, const MessageKey &key) {
    return "step " + std::to_string(key.step) + " waits for process " +
           std::to_string(peer);
  };
  return run;
}

inline OpenRun open(Transport &transport, RunDescription description) {
  OpenRun run;
  run.description = description;
  transport.openRun(std::move(description),
                    [state = run.state](RunFailure failure) {
                      state->failure = std::move(failure);
                      state->failed.set();
                    });
  return run;
}

inline Transfer send(Transport &from, int32_t peer, const RunKey &run,
                     const MessageKey &key, const std::string &text) {
  Transfer transfer;
  from.send(peer, run, key, {text.data(), text.size()}, transfer.callback());
  return transfer;
}

inline Transfer receive(Transport &to, int32_t peer, const RunKey &run,
                        const MessageKey &key, std::string &text) {
  Transfer transfer;
  to.receive(peer, run, key, {text.data(), text.size()}, nullptr,
             transfer.callback());
  return transfer;
}

} // namespace shardwright::test

#endif // SHARDWRIGHT_JOB_MESSENGER_TEST_UTIL_H
