//===- deadlock_test.cc - deadlocks between processes ---------------------===//
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

#include <atomic>
#include <string>

using namespace shardwright;
using namespace shardwright::test;
using testing::HasSubstr;

namespace {

TEST(Messenger, DeadlocksAreReportedEverywhere) {
  MemoryJob job(3, 13);
  std::vector<OpenRun> runs;
  std::vector<std::string> got(3, std::string(5, '-'));
  std::vector<Transfer> waits;
  std::string text(1000, 'x');
  for (int32_t p = 0; p < 3; ++p)
    runs.push_back(open(job.of(p), describe(runOf(0), {0, 1, 2})));
  // Each waits for the next one; a message lies unmatched.
  Transfer sent = send(job.of(2), 1, runOf(0), keyOf(9), text);
  for (int32_t p = 0; p < 3; ++p) {
    waits.push_back(
        receive(job.of(p), (p + 1) % 3, runOf(0), keyOf(p), got[p]));
    job.of(p).reportQuiet(runOf(0), 0,
                          "device " + std::to_string(p) + " waits");
  }
  for (int32_t p = 0; p < 3; ++p) {
    EXPECT_EQ(runs[p].failure(),
              "deadlock: process 0: device 0 waits; process 1: device 1 "
              "waits; process 2: device 2 waits");
    EXPECT_EQ(waits[p].message(), runs[p].failure());
  }
  // Process 1 may have dropped it before process 2 knew of the deadlock.
  EXPECT_THAT(sent.message(), testing::AnyOf("", runs[2].failure()));
}

TEST(Messenger, ThrottledProcessesGoOnBeforeARunIsDeadlocked) {
  for (int32_t throttled : {0, 1}) {
    MemoryJob job(2, 15);
    std::atomic<int> goesOn = 0;
    std::vector<OpenRun> runs;
    for (int32_t p = 0; p < 2; ++p) {
      RunDescription run = describe(runOf(0), {0, 1});
      run.sendBeyondLimit = [&goesOn, p, throttled] {
        goesOn += p == throttled ? 1 : 100;
      };
      runs.push_back(open(job.of(p), run));
    }
    std::string got(5, '-');
    Transfer wait =
        receive(job.of(1 - throttled), throttled, runOf(0), keyOf(0), got);
    for (int32_t p = 0; p < 2; ++p)
      job.of(p).reportQuiet(runOf(0), 0, "waits", p == throttled);
    while (goesOn == 0)
      std::this_thread::yield();
    EXPECT_EQ(goesOn, 1);
    // It goes on, and then nothing can.
    job.of(throttled).reportQuiet(runOf(0), 0, "waits again");
    EXPECT_EQ(runs[throttled].failure(),
              throttled ? "deadlock: process 0: waits; process 1: waits again"
                        : "deadlock: process 0: waits again; process 1: waits");
    EXPECT_EQ(goesOn, 1);
  }
}

TEST(Messenger, AProcessThatHasFinishedIsPartOfADeadlock) {
  for (int32_t finished : {0, 1}) {
    MemoryJob job(2, 14);
    std::string got(5, '-'), text(1000, 'x');
    std::vector<OpenRun> runs;
    for (int32_t p = 0; p < 2; ++p)
      runs.push_back(open(job.of(p), describe(runOf(0), {0, 1})));
    int32_t waits = 1 - finished;
    Transfer sent = send(job.of(waits), finished, runOf(0), keyOf(1), text);
    Transfer received =
        receive(job.of(waits), finished, runOf(0), keyOf(0), got);
    job.of(finished).closeRun(runOf(0));
    EXPECT_EQ(sent.message(), "");
    job.of(waits).reportQuiet(runOf(0), 1, "device 4 waits");
    EXPECT_EQ(runs[waits].failure(),
              finished == 0
                  ? "deadlock: process 0 has finished; process 1: device 4 "
                    "waits"
                  : "deadlock: process 0: device 4 waits; process 1 has "
                    "finished");
  }
}

TEST(Messenger, AnOutdatedReportOfQuietIsIgnored) {
  MemoryJob job(2, 15);
  std::vector<OpenRun> runs;
  for (int32_t p = 0; p < 2; ++p)
    runs.push_back(open(job.of(p), describe(runOf(0), {0, 1})));
  std::string text = "hello", got(5, '-'), other(5, '-');
  Transfer sent = send(job.of(0), 1, runOf(0), keyOf(0), text);
  EXPECT_EQ(receive(job.of(1), 0, runOf(0), keyOf(0), got).message(), "");
  EXPECT_EQ(sent.message(), "");
  Transfer last = receive(job.of(0), 1, runOf(0), keyOf(1), other);
  job.of(0).reportQuiet(runOf(0), 1, "waits");
  job.of(1).reportQuiet(runOf(0), 0, "waits"); // before `done`
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_FALSE(runs[0].hasFailed());
  sent = send(job.of(1), 0, runOf(0), keyOf(1), text);
  EXPECT_EQ(last.message() + sent.message(), "");
}

TEST(Messenger, AMessageUnderWayIsNoDeadlock) {
  MemoryJob job(3, 19);
  std::vector<OpenRun> runs;
  for (int32_t p = 0; p < 3; ++p)
    runs.push_back(open(job.of(p), describe(runOf(0), {0, 1, 2})));
  std::string text = "hello";
  std::vector<std::string> got(3, std::string(5, '-'));
  // Each waits for the one before it, and the message from 1 to 2 takes long.
  // Process 0, which asks the others, hears of them by other ways.
  job.hold(1, 2);
  Transfer sent = send(job.of(1), 2, runOf(0), keyOf(0), text);
  EXPECT_EQ(sent.message(), "");
  std::vector<Transfer> waits;
  for (int32_t p = 0; p < 3; ++p) {
    waits.push_back(receive(job.of(p), (p + 2) % 3, runOf(0),
                            keyOf(p == 2 ? 0 : p + 1), got[p]));
    job.of(p).reportQuiet(runOf(0), p == 1, "waits");
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  for (OpenRun &run : runs)
    EXPECT_FALSE(run.hasFailed());
  job.release(1, 2);
  EXPECT_EQ(waits[2].message(), "");
  EXPECT_EQ(got[2], text);
  job.of(2).abortRun(runs[2].description, {-1, "the end"});
  EXPECT_EQ(waits[0].message(), "process 2: the end");
}

} // namespace
