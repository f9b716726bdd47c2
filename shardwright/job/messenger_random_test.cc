//===- messenger_random_test.cc - random traffic between processes --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Each process runs a random script for each run: sends, receives that it waits
// for, and pauses. Which runs deadlock follows from the scripts.
//
//===----------------------------------------------------------------------===//

#include "shardwright/job/memory_engine_test_util.h"
#include "shardwright/job/messenger_test_util.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>

using namespace shardwright;
using namespace shardwright::test;
using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

struct Message {
  int32_t from, to;
  MessageKey key;
  std::string bytes;
};

struct Action {
  enum Kind { Send, Receive, Pause, Abort, Die } kind;
  const Message *message = nullptr;
};

struct RandomRun {
  RunKey key;
  std::vector<int32_t> participants;
  std::vector<Message> messages;
  std::map<int32_t, std::vector<Action>> scripts;
  bool willFail = false;     ///< a process aborts or dies
  bool willDeadlock = false; ///< unless it fails before
};

/// Executes the scripts in one loop: a receive waits for its send.
bool canFinish(const RandomRun &run) {
  std::map<int32_t, size_t> at;
  std::set<const Message *> sent;
  for (bool hasMoved = true; hasMoved;) {
    hasMoved = false;
    for (auto &[p, script] : run.scripts) {
      size_t &i = at[p];
      for (; i < script.size(); ++i, hasMoved = true) {
        if (script[i].kind == Action::Send)
          sent.insert(script[i].message);
        else if (script[i].kind == Action::Receive &&
                 !sent.count(script[i].message))
          break;
      }
    }
  }
  return llvm::all_of(run.scripts, [&](auto &entry) {
    return at[entry.first] == entry.second.size();
  });
}

RandomRun makeRun(std::mt19937_64 &random, int32_t numProcesses,
                  uint64_t launch) {
  RandomRun run;
  run.key = runOf(launch);
  for (int32_t p = 0; p < numProcesses; ++p)
    run.participants.push_back(p);
  static constexpr size_t sizes[] = {0, 1, 63, 64, 65, 500, 100000};
  size_t count = random() % 20;
  for (size_t m = 0; m < count; ++m) {
    int32_t from = random() % numProcesses;
    int32_t to = (from + 1 + random() % (numProcesses - 1)) % numProcesses;
    std::string bytes(sizes[random() % std::size(sizes)], '-');
    for (char &c : bytes)
      c = 'a' + random() % 26;
    run.messages.push_back({from, to, keyOf(m), std::move(bytes)});
  }
  for (int32_t p = 0; p < numProcesses; ++p)
    run.scripts[p];
  for (const Message &message : run.messages) {
    run.scripts[message.from].push_back({Action::Send, &message});
    run.scripts[message.to].push_back({Action::Receive, &message});
  }
  // Messages in one order everywhere do not deadlock, swapped ones may.
  for (auto &[p, script] : run.scripts)
    for (size_t swaps = random() % 3; swaps && script.size() > 1; --swaps)
      std::swap(script[random() % script.size()],
                script[random() % script.size()]);
  run.willDeadlock = !canFinish(run);
  for (auto &[p, script] : run.scripts)
    for (size_t pauses = random() % 3; pauses; --pauses)
      script.insert(script.begin() + random() % (script.size() + 1),
                    {Action::Pause});
  if (random() % 4 == 0) {
    run.willFail = true;
    auto &script = run.scripts[random() % numProcesses];
    script.insert(script.begin() + random() % (script.size() + 1),
                  {Action::Abort});
  }
  return run;
}

/// A process in a run: counts transfers and waits for them.
class Participant {
public:
  Participant(MemoryJob &job, const RandomRun &run, int32_t process,
              uint64_t seed)
      : job(job), run(run), process(process), random(seed),
        state(std::make_shared<State>()) {}

  /// Returns the failure, if any.
  std::string execute() {
    Messenger &transport = job.of(process);
    RunDescription description = describe(run.key, run.participants);
    transport.openRun(description, [state = state](RunFailure failure) {
      std::lock_guard lock(state->mutex);
      state->failure = failure.text;
      state->changed.notify_all();
    });
    for (const Action &action : run.scripts.at(process)) {
      if (!act(transport, description, action))
        return result;
    }
    if (!wait(transport, [&] { return state->pending == 0; }))
      return abort(transport, description);
    transport.closeRun(run.key);
    return "";
  }

private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    int64_t numDone = 0, pending = 0;
    std::string failure;
  };

  /// Waits and says so; false if the run has failed.
  template <typename Condition>
  bool wait(Messenger &transport, Condition holds) {
    std::unique_lock lock(state->mutex);
    while (!holds() && state->failure.empty()) {
      transport.reportQuiet(run.key, state->numDone,
                            "process " + std::to_string(process) + " waits");
      state->changed.wait(lock);
    }
    return state->failure.empty();
  }
  std::string abort(Messenger &transport, const RunDescription &description) {
    {
      std::lock_guard lock(state->mutex);
      result = state->failure;
    }
    transport.abortRun(description, {process, result});
    return result;
  }
  Transport::Done done(std::shared_ptr<std::string> to, std::string expected,
                       std::shared_ptr<bool> isDone) {
    ++state->pending;
    return [=, state = state](llvm::Error error) {
      bool hasFailed = bool(error);
      llvm::consumeError(std::move(error));
      std::lock_guard lock(state->mutex);
      if (!hasFailed && to)
        EXPECT_TRUE(*to == expected);
      ++state->numDone;
      --state->pending;
      *isDone = !hasFailed;
      state->changed.notify_all();
    };
  }

  bool act(Messenger &transport, const RunDescription &description,
           const Action &action) {
    auto isDone = std::make_shared<bool>(false);
    switch (action.kind) {
    case Action::Pause:
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 8000));
      return true;
    case Action::Abort:
      result = "process " + std::to_string(process) + " gave up";
      transport.abortRun(description, {process, "gave up"});
      return false;
    case Action::Die:
      job.lose(process);
      return true;
    case Action::Send: {
      const std::string &bytes = action.message->bytes;
      // The lock is held by callers of the executor, too.
      std::lock_guard lock(state->mutex);
      if (random() % 2) {
        transport.send(action.message->to, run.key, action.message->key,
                       {bytes.data(), bytes.size()}, done(nullptr, "", isDone));
      } else {
        std::shared_ptr<char> copy(new char[bytes.size()],
                                   std::default_delete<char[]>());
        std::copy(bytes.begin(), bytes.end(), copy.get());
        transport.sendOwned(action.message->to, run.key, action.message->key,
                            copy, bytes.size(), done(nullptr, "", isDone));
      }
      return true;
    }
    case Action::Receive: {
      auto to =
          std::make_shared<std::string>(action.message->bytes.size(), '?');
      {
        std::lock_guard lock(state->mutex);
        transport.receive(action.message->from, run.key, action.message->key,
                          {to->data(), to->size()}, to,
                          done(to, action.message->bytes, isDone));
      }
      if (wait(transport, [&] { return *isDone; }))
        return true;
      abort(transport, description);
      return false;
    }
    }
    return false;
  }

  MemoryJob &job;
  const RandomRun &run;
  int32_t process;
  std::mt19937_64 random;
  std::shared_ptr<State> state;
  std::string result;
};

void checkResults(const RandomRun &run,
                  const std::map<int32_t, std::string> &results, int32_t dead) {
  for (auto &[p, result] : results) {
    SCOPED_TRACE("process " + std::to_string(p));
    if (p == dead)
      continue;
    bool mayFail = run.willFail || dead >= 0;
    if (!mayFail && !run.willDeadlock)
      EXPECT_EQ(result, "");
    else if (!mayFail)
      EXPECT_THAT(result, AnyOf("", StartsWith("deadlock: ")));
    else
      EXPECT_THAT(result,
                  AnyOf("", StartsWith("deadlock: "), HasSubstr("gave up"),
                        HasSubstr("has gone (connection closed)")));
  }
  bool hasFailed = false;
  for (auto &[p, result] : results)
    hasFailed |= !result.empty();
  EXPECT_EQ(hasFailed || !run.willDeadlock, true);
}

void runCase(uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  int32_t numProcesses = 2 + random() % 3;
  MessengerOptions options;
  options.quietAfter = std::chrono::milliseconds(2);
  MemoryJob job(numProcesses, seed, options, random() % 3 ? 50 : 2000);
  std::vector<RandomRun> runs;
  size_t numRuns = 1 + random() % 3;
  runs.reserve(numRuns);
  for (size_t r = 0; r < numRuns; ++r)
    runs.push_back(makeRun(random, numProcesses, r));
  int32_t dead = -1;
  if (random() % 8 == 0) {
    dead = random() % numProcesses;
    auto &script = runs[random() % numRuns].scripts[dead];
    script.insert(script.begin() + random() % (script.size() + 1),
                  {Action::Die});
  }
  // All runs at a time, or one after the other in each process.
  bool isConcurrent = random() % 2;
  std::mutex mutex;
  std::vector<std::map<int32_t, std::string>> results(numRuns);
  std::vector<std::thread> threads;
  auto execute = [&](size_t r, int32_t p) {
    std::string result =
        Participant(job, runs[r], p, seed * 100 + r * 10 + p).execute();
    std::lock_guard lock(mutex);
    results[r][p] = result;
  };
  for (int32_t p = 0; p < numProcesses; ++p) {
    if (isConcurrent) {
      for (size_t r = 0; r < numRuns; ++r)
        threads.emplace_back([&, r, p] { execute(r, p); });
    } else {
      threads.emplace_back([&, p] {
        for (size_t r = 0; r < numRuns; ++r)
          execute(r, p);
      });
    }
  }
  for (std::thread &thread : threads)
    thread.join();
  for (size_t r = 0; r < numRuns; ++r)
    checkResults(runs[r], results[r], dead);
}

TEST(MessengerRandom, ScriptsEndAsTheyMust) {
  const char *text = std::getenv("SHARDWRIGHT_MESSENGER_CASES");
  uint64_t count = text ? std::strtoull(text, nullptr, 10) : 300;
  text = std::getenv("SHARDWRIGHT_MESSENGER_SEED");
  uint64_t first = text ? std::strtoull(text, nullptr, 10) : 1;
  for (uint64_t seed = first;
       seed < first + count && !testing::Test::HasFailure(); ++seed)
    runCase(seed);
}

} // namespace
