//===- messenger_test.cc - messages between processes in memory -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/job/memory_engine_test_util.h"
#include "shardwright/job/messenger_test_util.h"

#include "llvm/ADT/STLExtras.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <array>
#include <atomic>
#include <deque>
#include <string>

using namespace shardwright;
using namespace shardwright::test;
using testing::HasSubstr;

namespace {

TEST(Messenger, OwnedBytesAreSentOnAfterTheRun) {
  MemoryJob job(2, 12);
  RunDescription run = describe(runOf(3), {0, 1});
  OpenRun zero = open(job.of(0), run);
  auto bytes = std::make_shared<std::string>(1000, 'x');
  Transfer sent;
  job.of(0).sendOwned(1, runOf(3), keyOf(0), {bytes, bytes->data()}, 1000,
                      sent.callback());
  job.of(0).closeRun(runOf(3));
  EXPECT_EQ(sent.message(), "");
  bytes = nullptr;
  OpenRun one = open(job.of(1), run);
  std::string got(1000, '-');
  EXPECT_EQ(receive(job.of(1), 0, runOf(3), keyOf(0), got).message(), "");
  EXPECT_EQ(got, std::string(1000, 'x'));
  job.of(1).closeRun(runOf(3));
}

/// Waits until all packets of a process that have been sent to another have
/// arrived, by a message of another run behind them.
void waitForPackets(MemoryJob &job, int32_t from, int32_t to) {
  std::string text = "x", got = "-";
  RunKey run = runOf(0, 1000 + from * 10 + to);
  for (int32_t p : {from, to})
    open(job.of(p), describe(run, {std::min(from, to), std::max(from, to)}));
  Transfer sent = send(job.of(from), to, run, keyOf(0), text);
  EXPECT_EQ(receive(job.of(to), from, run, keyOf(0), got).message(), "");
  EXPECT_EQ(sent.message(), "");
}

TEST(Messenger, EitherSideMayBeFirst) {
  MemoryJob job(2, 1);
  open(job.of(0), describe(runOf(0), {0, 1}));
  open(job.of(1), describe(runOf(0), {0, 1}));
  int32_t step = 0;
  // The engine puts 64 bytes into a packet.
  for (size_t size : {0u, 1u, 63u, 64u, 65u, 1000u, 10u << 20}) {
    for (bool sendsFirst : {true, false}) {
      SCOPED_TRACE(size);
      std::string text(size, '-'), got(size, '*');
      for (size_t i = 0; i < size; ++i)
        text[i] = 'a' + (i * 7 + i / 26) % 26;
      Transfer sent, received;
      MessageKey key = keyOf(++step);
      if (sendsFirst)
        sent = send(job.of(1), 0, runOf(0), key, text);
      received = receive(job.of(0), 1, runOf(0), key, got);
      if (!sendsFirst)
        sent = send(job.of(1), 0, runOf(0), key, text);
      EXPECT_EQ(received.message(), "");
      EXPECT_EQ(sent.message(), "");
      EXPECT_EQ(got, text);
    }
  }
  job.of(0).closeRun(runOf(0));
  job.of(1).closeRun(runOf(0));
}

TEST(Messenger, KeysTellMessagesApart) {
  constexpr int32_t processes = 3, messages = 40;
  MemoryJob job(processes, 3);
  for (int32_t p = 0; p < processes; ++p)
    for (int32_t r : {0, 1})
      open(job.of(p), describe(runOf(r), {0, 1, 2}));
  std::deque<std::string> texts, got;
  std::deque<Transfer> transfers;
  std::mt19937 random(4);
  std::vector<std::array<int32_t, 3>> order;
  for (int32_t from = 0; from < processes; ++from)
    for (int32_t to = 0; to < processes; ++to)
      for (int32_t m = 0; m < messages && from != to; ++m)
        order.push_back({from, to, m});
  auto run = [](int32_t m) { return runOf(m % 2); };
  auto key = [](int32_t m) { return keyOf(m / 2 % 4, m / 8); };
  // Half of the messages are inline.
  auto size = [](int32_t m) { return m % 3 ? 4 : 70; };
  std::map<std::array<int32_t, 3>, std::string *> textOf, gotOf;
  std::shuffle(order.begin(), order.end(), random);
  for (auto &at : order) {
    std::string text = std::to_string(1000 + at[0] * 100 + at[1] * 50 + at[2]);
    text.resize(size(at[2]), '.');
    texts.push_back(text);
    textOf[at] = &texts.back();
    transfers.push_back(
        send(job.of(at[0]), at[1], run(at[2]), key(at[2]), texts.back()));
  }
  std::shuffle(order.begin(), order.end(), random);
  for (auto &at : order) {
    got.emplace_back(size(at[2]), '-');
    gotOf[at] = &got.back();
    transfers.push_back(
        receive(job.of(at[1]), at[0], run(at[2]), key(at[2]), got.back()));
  }
  for (Transfer &transfer : transfers)
    EXPECT_EQ(transfer.message(), "");
  for (auto &[at, text] : textOf)
    EXPECT_EQ(*gotOf[at], *text);
}

TEST(Messenger, OtherSizesAreErrorsOnBothSides) {
  for (size_t size : {5u, 500u}) {
    MemoryJob job(2, 5);
    OpenRun a = open(job.of(0), describe(runOf(0), {0, 1}));
    OpenRun b = open(job.of(1), describe(runOf(0), {0, 1}));
    std::string text(size, 'x'), got(4, '-');
    Transfer sent = send(job.of(0), 1, runOf(0), keyOf(0), text);
    Transfer received = receive(job.of(1), 0, runOf(0), keyOf(0), got);
    std::string expected = "process 0 sends " + std::to_string(size) +
                           " bytes where process 1 expects 4";
    EXPECT_EQ(received.message(), expected);
    EXPECT_EQ(b.failure(), expected);
    EXPECT_EQ(a.failure(), expected);
    // A short message has left before the sizes are compared.
    EXPECT_EQ(sent.message(), size == 5 ? "" : expected);
  }
}

TEST(Messenger, CallersMayHoldLocksThatDoneTakes) {
  MemoryJob job(2, 8);
  open(job.of(0), describe(runOf(0), {0, 1}));
  open(job.of(1), describe(runOf(0), {0, 1}));
  std::mutex mutex;
  std::atomic<int> count = 0;
  Event all;
  std::string text = "hello", got(5, '-');
  auto done = [&](llvm::Error e) {
    EXPECT_EQ(toString(std::move(e)), "");
    std::lock_guard lock(mutex);
    if (++count == 2)
      all.set();
  };
  {
    std::lock_guard lock(mutex);
    job.of(0).send(1, runOf(0), keyOf(0), {text.data(), 5}, done);
    job.of(1).receive(0, runOf(0), keyOf(0), {got.data(), 5}, nullptr, done);
  }
  EXPECT_EQ(toString(all.await()), "");
}

TEST(Messenger, LateMessagesOfClosedRunsAreDropped) {
  MemoryJob job(2, 9);
  open(job.of(0), describe(runOf(0), {0, 1}));
  open(job.of(1), describe(runOf(0), {0, 1}));
  job.of(0).closeRun(runOf(0));
  std::string text(1000, 'x'), small = "x";
  EXPECT_EQ(send(job.of(1), 0, runOf(0), keyOf(0), text).message(), "");
  EXPECT_EQ(send(job.of(1), 0, runOf(0), keyOf(1), small).message(), "");
  job.of(1).closeRun(runOf(0));
  // Also those that had arrived before.
  open(job.of(0), describe(runOf(1), {0, 1}));
  open(job.of(1), describe(runOf(1), {0, 1}));
  Transfer sent = send(job.of(1), 0, runOf(1), keyOf(0), text);
  waitForPackets(job, 1, 0);
  job.of(0).closeRun(runOf(1));
  EXPECT_EQ(sent.message(), "");
}

TEST(Messenger, OwnedBytesAreBoundedAndReleased) {
  MessengerOptions options;
  options.maxOwnedBytes = 1000;
  MemoryJob job(2, 10, options);
  open(job.of(0), describe(runOf(0), {0, 1}));
  open(job.of(1), describe(runOf(0), {0, 1}));
  std::shared_ptr<char> bytes(new char[600], std::default_delete<char[]>());
  std::fill_n(bytes.get(), 600, 'b');
  std::weak_ptr<char> weak = bytes;
  Transfer first, second;
  EXPECT_TRUE(
      job.of(0).sendOwned(1, runOf(0), keyOf(0), bytes, 600, first.callback()));
  EXPECT_FALSE(job.of(0).sendOwned(1, runOf(0), keyOf(1), bytes, 600,
                                   second.callback()));
  bytes.reset();
  std::string got(600, '-'), gotToo(600, '-');
  EXPECT_EQ(receive(job.of(1), 0, runOf(0), keyOf(0), got).message(), "");
  EXPECT_EQ(receive(job.of(1), 0, runOf(0), keyOf(1), gotToo).message(), "");
  EXPECT_EQ(first.message() + second.message(), "");
  EXPECT_EQ(got, std::string(600, 'b'));
  EXPECT_TRUE(weak.expired());
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

TEST(Messenger, ALostPeerFailsRunsWithItAndNothingElse) {
  MemoryJob job(3, 6);
  OpenRun withLost = open(job.of(0), describe(runOf(0), {0, 1, 2}));
  open(job.of(0), describe(runOf(0, 8), {0, 2}));
  open(job.of(2), describe(runOf(0, 8), {0, 2}));
  std::string text = "hello", got(5, '-'), other(5, '-');
  Transfer waits = receive(job.of(0), 1, runOf(0), keyOf(3), got);
  Transfer sound = receive(job.of(0), 2, runOf(0, 8), keyOf(0), other);
  job.lose(1);
  EXPECT_EQ(withLost.failure(),
            "process 1 (host1, pid 4711) has gone (connection closed); step 3 "
            "waits for process 1");
  EXPECT_EQ(waits.message(), withLost.failure());
  // Later runs with it fail at once.
  OpenRun later = open(job.of(0), describe(runOf(1), {0, 1, 2}));
  EXPECT_EQ(later.failure(),
            "process 1 (host1, pid 4711) has gone (connection closed); jit_f, "
            "which needs it, was not waiting for it here");
  EXPECT_EQ(send(job.of(0), 1, runOf(1), keyOf(0), text).message(),
            later.failure());
  EXPECT_EQ(send(job.of(2), 0, runOf(0, 8), keyOf(0), text).message(), "");
  EXPECT_EQ(sound.message(), "");
  EXPECT_EQ(other, text);
}

TEST(Messenger, AbortsReachAllParticipants) {
  MemoryJob job(3, 7);
  std::vector<OpenRun> runs;
  for (int32_t p = 0; p < 3; ++p)
    runs.push_back(open(job.of(p), describe(runOf(0), {0, 1, 2})));
  std::string got(5, '-'), text(1000, 'x');
  Transfer waits = receive(job.of(1), 0, runOf(0), keyOf(0), got);
  Transfer unsent = send(job.of(0), 2, runOf(0), keyOf(0), text);
  job.of(0).abortRun(runs[0].description, {3, "no memory"});
  EXPECT_EQ(unsent.message(), "no memory");
  EXPECT_EQ(runs[1].failure(), "process 0: no memory");
  EXPECT_EQ(runs[1].state->failure.position, 3);
  EXPECT_EQ(waits.message(), "process 0: no memory");
  // Process 1 says what it has heard, not that it has failed itself.
  job.of(1).abortRun(runs[1].description, {0, "cancelled"});
  EXPECT_EQ(runs[2].failure(), "process 0: no memory");
  EXPECT_FALSE(runs[0].hasFailed());
  job.of(2).abortRun(runs[2].description, {});
  // The job goes on.
  for (int32_t p = 0; p < 3; ++p)
    open(job.of(p), describe(runOf(1), {0, 1, 2}));
  std::string hello = "hello";
  Transfer sent = send(job.of(0), 1, runOf(1), keyOf(0), hello);
  EXPECT_EQ(receive(job.of(1), 0, runOf(1), keyOf(0), got).message(), "");
  EXPECT_EQ(sent.message(), "");
  EXPECT_EQ(got, hello);
}

TEST(Messenger, AbortsWaitForRunsThatAreOpenedLater) {
  MemoryJob job(3, 11);
  // Process 0 has not even opened it. The lowest position is reported.
  job.of(0).abortRun(describe(runOf(0), {0, 1, 2}), {5, "deleted buffer"});
  job.of(2).abortRun(describe(runOf(0), {0, 1, 2}), {4, "no memory"});
  for (int32_t p : {0, 2})
    waitForPackets(job, p, 1);
  OpenRun run = open(job.of(1), describe(runOf(0), {0, 1, 2}));
  EXPECT_EQ(run.failure(), "process 2: no memory");
  std::string text = "hello";
  EXPECT_EQ(send(job.of(1), 0, runOf(0), keyOf(0), text).message(),
            "process 2: no memory");
}

TEST(Messenger, DifferentProgramsFailOnBothSides) {
  const std::string expected =
      "process 0 runs jit_f where process 1 runs jit_g (launch 17 on devices "
      "0-7): all processes must launch the same programs in the same order";
  std::string text = "hello", got(5, '-');
  for (int phase = 0; phase < 3; ++phase) {
    MemoryJob job(2, 12);
    OpenRun f = open(job.of(0), describe(runOf(17), {0, 1}, "jit_f", 1)), g;
    auto openOther = [&] {
      g = open(job.of(1), describe(runOf(17), {0, 1}, "jit_g", 2));
    };
    if (phase != 1)
      openOther();
    Transfer sent = send(job.of(0), 1, runOf(17), keyOf(0), text);
    Transfer received = receive(job.of(0), 1, runOf(17), keyOf(0), got);
    if (phase == 1) { // the header arrives early
      waitForPackets(job, 0, 1);
      openOther();
    }
    if (phase == 2) { // the other needs no messages, and is done
      job.of(1).closeRun(runOf(17));
      EXPECT_EQ(f.failure(), expected);
      continue;
    }
    EXPECT_EQ(f.failure(), expected);
    EXPECT_EQ(g.failure(), expected);
    EXPECT_EQ(received.message(), expected);
  }
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

TEST(Messenger, AStoppedPeerIsLostAfterTheTimeout) {
  MessengerOptions options;
  options.pingAfter = std::chrono::milliseconds(20);
  options.peerTimeout = std::chrono::milliseconds(300);
  MemoryJob job(2, 16, options);
  OpenRun run = open(job.of(0), describe(runOf(0), {0, 1}));
  std::string got(5, '-');
  Transfer waits = receive(job.of(0), 1, runOf(0), keyOf(0), got);
  // It is alive, only late.
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_FALSE(run.hasFailed());
  job.stop(1);
  EXPECT_EQ(run.failure(),
            "process 1 (host1, pid 4711) has gone (no answer for 300 ms); "
            "step 0 waits for process 1");
  EXPECT_EQ(waits.message(), run.failure());
}

TEST(Messenger, LongWaitsAreReported) {
  MessengerOptions options;
  options.pingAfter = std::chrono::milliseconds(20);
  options.lateAfter = std::chrono::milliseconds(200);
  options.waitLimit = std::chrono::milliseconds(1500);
  std::mutex mutex;
  std::vector<std::string> lines;
  options.report = [&](llvm::StringRef line) {
    std::lock_guard lock(mutex);
    lines.push_back(line.str());
  };
  MemoryJob job(2, 17, options);
  OpenRun run = open(job.of(0), describe(runOf(3), {0, 1}));
  std::string got(5, '-');
  Transfer waits = receive(job.of(0), 1, runOf(3), keyOf(2), got);
  EXPECT_THAT(run.failure(),
              testing::MatchesRegex(
                  "process 0 has waited 1 s for process 1 \\(launch 3 of "
                  "jit_f\\): step 2 waits for process 1; process 1 has not "
                  "started this run \\(SHARDWRIGHT_WAIT_LIMIT\\)"));
  std::lock_guard lock(mutex);
  ASSERT_EQ(lines.size(), 3u); // after 200, 400, 800 ms
  EXPECT_THAT(lines[0],
              testing::MatchesRegex(
                  "shardwright: process 0 has waited 2.. ms for process 1 "
                  "\\(launch 3 of jit_f\\): step 2 waits for process 1; "
                  "process 1 has not started this run"));
}

TEST(Messenger, PayloadsOfAPeerThatHasEndedStillArrive) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    MemoryJob job(3, seed, {}, /*maxDelay=*/500);
    open(job.of(0), describe(runOf(0), {0, 1}));
    open(job.of(1), describe(runOf(0), {0, 1}));
    std::string text(1000, 'x'), got(1000, '-');
    Transfer received = receive(job.of(0), 1, runOf(0), keyOf(0), got);
    EXPECT_EQ(send(job.of(1), 0, runOf(0), keyOf(0), text).message(), "");
    job.of(1).closeRun(runOf(0));
    job.of(1).sayGoodbye();
    EXPECT_EQ(received.message(), "");
    EXPECT_EQ(got, text);

    // The sender may learn of the goodbye before its `done` is called.
    open(job.of(0), describe(runOf(1, 9), {0, 2}));
    open(job.of(2), describe(runOf(1, 9), {0, 2}));
    Transfer sent = send(job.of(0), 2, runOf(1, 9), keyOf(0), text);
    EXPECT_EQ(receive(job.of(2), 0, runOf(1, 9), keyOf(0), got).message(), "");
    job.of(2).closeRun(runOf(1, 9));
    job.of(2).sayGoodbye();
    EXPECT_EQ(sent.message(), "");
  }
}

TEST(Messenger, APeerThatHasEndedFailsWhatNeedsIt) {
  MemoryJob job(2, 18);
  OpenRun early = open(job.of(0), describe(runOf(0), {0, 1}));
  std::string got(5, '-');
  Transfer waits = receive(job.of(0), 1, runOf(0), keyOf(0), got);
  job.of(1).sayGoodbye();
  EXPECT_EQ(early.failure(), "process 1 has ended");
  EXPECT_TRUE(job.of(0).waitForGoodbyes(std::chrono::seconds(10)));
  EXPECT_TRUE(job.of(1).waitForGoodbyes(std::chrono::milliseconds(20)));
  job.end(1);
  OpenRun later = open(job.of(0), describe(runOf(1), {0, 1}));
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(later.hasFailed());
  EXPECT_EQ(receive(job.of(0), 1, runOf(1), keyOf(0), got).message(),
            "process 1 has ended");
}

} // namespace
