//===- processes_test.cc - runs of several processes ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/execute/executor_test_util.h"
#include "shardwright/job/memory_engine_test_util.h"

#include "gmock/gmock.h"

using namespace shardwright;
using namespace shardwright::cpu;
using namespace shardwright::cpu::test;
using shardwright::test::MemoryJob;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// Processes that each run a program of their own, on threads of this one.
class Processes {
public:
  Processes(std::vector<int32_t> owners, int32_t count, uint64_t seed = 1,
            MessengerOptions options = {}, int64_t inlineBytes = 64)
      : owners(std::move(owners)), count(count),
        job(count, seed, options, /*maxDelay=*/50, inlineBytes) {}

  /// Runs programs[p], or the only one, in each process p of `who`.
  std::vector<std::string> run(llvm::ArrayRef<const Program *> programs,
                               llvm::ArrayRef<Arrays *> arrays,
                               uint64_t launch = 0,
                               RunStatistics *statistics = nullptr) {
    std::vector<std::string> errors(count);
    std::vector<std::thread> threads;
    for (int32_t process = 0; process < count; ++process) {
      const Program *p = programs[programs.size() == 1 ? 0 : process];
      Arrays *all = arrays[arrays.size() == 1 ? 0 : process];
      if (!p)
        continue;
      threads.emplace_back([&, process, p, all] {
        ThreadPool pool(2);
        std::vector<DeviceBuffers> local;
        for (size_t d = 0; d < owners.size(); ++d)
          if (owners[d] == process)
            local.push_back(all->buffers[d]);
        auto executor = llvm::cantFail(Executor::create(*p, {process, owners}));
        RemoteOptions remote{process == 0 && transportOf0 ? transportOf0
                                                          : &job.of(process),
                             {5, launch},
                             "devices 0-3",
                             nullptr};
        errors[process] = messageOf(
            executor->run(local, pool, process == 0 ? statistics : nullptr,
                          nullptr, &remote));
      });
    }
    for (std::thread &thread : threads)
      thread.join();
    return errors;
  }

  std::vector<int32_t> owners;
  int32_t count;
  MemoryJob job;
  Transport *transportOf0 = nullptr; ///< instead of that of the job
};

/// Counts the owned bytes that are under way.
class CountingTransport final : public Transport {
public:
  explicit CountingTransport(Transport &to) : to(to) {}

  void openRun(RunDescription run,
               llvm::unique_function<void(RunFailure)> fail) override {
    run.sendBeyondLimit = [this, next = run.sendBeyondLimit] {
      ++timesBeyondLimit;
      next();
    };
    to.openRun(std::move(run), std::move(fail));
  }
  void closeRun(const RunKey &run) override { to.closeRun(run); }
  void abortRun(const RunDescription &run, RunFailure failure) override {
    to.abortRun(run, std::move(failure));
  }
  void send(int32_t peer, const RunKey &run, const MessageKey &key,
            llvm::ArrayRef<char> bytes, Done done) override {
    to.send(peer, run, key, bytes, std::move(done));
  }
  bool sendOwned(int32_t peer, const RunKey &run, const MessageKey &key,
                 std::shared_ptr<const char> bytes, int64_t size,
                 Done done) override {
    int64_t now = underWay += size;
    for (int64_t seen = most;
         now > seen && !most.compare_exchange_weak(seen, now);)
      ;
    return to.sendOwned(
        peer, run, key, std::move(bytes), size,
        [this, size, done = std::move(done)](llvm::Error e) mutable {
          underWay -= size;
          done(std::move(e));
        });
  }
  void receive(int32_t peer, const RunKey &run, const MessageKey &key,
               llvm::MutableArrayRef<char> bytes, std::shared_ptr<void> owner,
               Done done) override {
    to.receive(peer, run, key, bytes, std::move(owner), std::move(done));
  }
  void reportQuiet(const RunKey &run, int64_t numDone, std::string where,
                   bool isThrottled) override {
    to.reportQuiet(run, numDone, std::move(where), isThrottled);
  }

  std::atomic<int64_t> underWay{0}, most{0}, timesBeyondLimit{0};

private:
  Transport &to;
};

Program allReduceOf(int32_t devices, int32_t fill = 0) {
  Builder b(devices);
  SlotId x = b.argument(), y = b.slot(), r = b.result();
  b.kernel(addOne, {x}, {y});
  for (int32_t i = 0; i < fill; ++i)
    b.kernel(addOne, {x}, {y});
  b.allReduce(y, r);
  return b.finish();
}

/// A program of four devices gives the same results on two processes, which go
/// on beside so many collectives.
void expectAsOnOneProcess(const Program &p, uint64_t seeds,
                          int64_t overlapped) {
  Arrays expected(p), arrays(p);
  count(expected);
  count(arrays);
  ThreadPool pool(2);
  ASSERT_EQ(messageOf(execute(p, expected.buffers, pool)), "");
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    Processes processes({0, 1, 1, 0}, 2, seed);
    RunStatistics statistics;
    EXPECT_THAT(processes.run({&p}, {&arrays}, 0, &statistics),
                ElementsAre("", ""));
    EXPECT_EQ(statistics.overlapped, overlapped);
    for (int d = 0; d < 4; ++d)
      EXPECT_EQ(arrays.result(d), expected.result(d));
  }
}

TEST(Processes, CountWhatTheySend) {
  Program p = allReduceOf(4);
  Arrays arrays(p);
  count(arrays);
  Processes processes({0, 0, 1, 1}, 2);
  RunStatistics statistics;
  EXPECT_THAT(processes.run({&p}, {&arrays}, 0, &statistics),
              ElementsAre("", ""));
  // One partial sum of its two devices.
  EXPECT_EQ(statistics.sentBetweenProcesses, width * 4);
  EXPECT_THAT(arrays.result(3), ElementsAre(64, 68, 72, 76));
}

TEST(Processes, DevicesGoOnBesideACollective) {
  // The result of the first collective is needed only after other work, some of
  // which is a collective too; the operand of the second is overwritten before
  // its result is needed.
  Builder b(4);
  SlotId x = b.argument(), y = b.slot(), z = b.slot(), u = b.slot(),
         v = b.slot(), w = b.slot(), t = b.slot(), r = b.result();
  b.kernel(addOne, {x}, {y});
  b.allReduce(y, z); // until `mix`
  b.kernel(slow, {x}, {u});
  b.allReduce(u, v); // until u changes
  b.kernel(slow, {y}, {w});
  b.kernel(addOne, {x}, {u});
  b.kernel(mix, {z, w}, {t});
  b.kernel(mix, {v, t}, {w});
  b.kernel(mix, {w, u}, {r});
  Program p = b.finish();
  expectAsOnOneProcess(p, /*seeds=*/29, /*overlapped=*/2);
}

TEST(Processes, OperandsAreKeptUntilTheCollectiveIsFinished) {
  // A gather reads the operands of its own process last. They are overwritten
  // by the next step but one.
  Builder b(4);
  SlotId x = b.argument(), y = b.slot(), u = b.slot(), r = b.result();
  SlotId all = b.slot(ElementType::F32, {4 * width});
  b.kernel(addOne, {x}, {y});
  CollectiveSpec gather;
  gather.kind = CollectiveKind::AllGather;
  gather.type = ElementType::F32;
  gather.inputShape = {width};
  gather.outputShape = {4 * width};
  b.p.collectives.push_back(gather);
  b.step(StepKind::Collective, {y}, {all}, b.p.collectives.size() - 1);
  b.kernel(slow, {x}, {u});
  b.kernel(mix, {x, u}, {y});
  b.kernel(mix, {all, y}, {r}); // the part of device 0
  Program p = b.finish();
  expectAsOnOneProcess(p, /*seeds=*/9, /*overlapped=*/1);
}

TEST(Processes, AFailureOfOneIsAnErrorOfAll) {
  Builder b(4);
  SlotId x = b.argument(), y = b.slot(), r = b.result();
  b.kernel(failIfNegative, {x}, {y});
  b.allReduce(x, r);
  Program p = b.finish();
  Arrays arrays(p);
  count(arrays);
  arrays.argument<float>(2, 0) = -1;
  for (uint64_t seed = 1; seed < 20; ++seed) {
    Processes processes({0, 0, 1, 1}, 2, seed);
    EXPECT_THAT(
        processes.run({&p}, {&arrays}),
        ElementsAre("process 1: kernel (step 0): device 2: its input is "
                    "negative",
                    "kernel (step 0): device 2: its input is negative"));
    // The job goes on.
    Arrays sound(p);
    count(sound);
    EXPECT_THAT(processes.run({&p}, {&sound}, 1), ElementsAre("", ""));
    EXPECT_THAT(sound.result(0), ElementsAre(60, 64, 68, 72));
  }
}

TEST(Processes, OtherProgramsAreErrorsOfAll) {
  Program f = allReduceOf(4), g = allReduceOf(4, 1);
  f.name = "jit_f";
  g.name = "jit_g";
  Arrays arrays(f);
  count(arrays);
  Processes processes({0, 0, 1, 1}, 2);
  std::string text =
      "process 0 runs jit_f where process 1 runs jit_g (launch 0 on devices "
      "0-3): all processes must launch the same programs in the same order";
  for (const std::string &error : processes.run({&f, &g}, {&arrays}))
    EXPECT_THAT(error, HasSubstr(text));
}

TEST(Processes, ADeadlockIsReportedEverywhere) {
  // Device 0 of process 0 and device 2 of process 1 come to their collectives
  // in different order.
  Builder b(4);
  SlotId x = b.argument(), first = b.argument(ElementType::Pred, {});
  SlotId y = b.slot(), z = b.slot(), r = b.result();
  Builder::Groups all = {{0, 1, 2, 3}};
  b.branch(
      first, [&] { b.allReduce(x, y, all); }, [&] { b.allReduce(x, z, all); });
  b.step(StepKind::Copy, {x}, {r});
  Program p = b.finish();
  Arrays arrays(p);
  count(arrays);
  for (int d = 0; d < 4; ++d)
    arrays.argument<uint8_t>(d, 1) = d < 2;
  for (uint64_t seed = 1; seed < 6; ++seed) {
    Processes processes({0, 0, 1, 1}, 2, seed);
    for (const std::string &error : processes.run({&p}, {&arrays}))
      EXPECT_THAT(
          error,
          AllOf(HasSubstr("deadlock"),
                HasSubstr("devices 0, 1 wait at all_reduce at test:0 for "
                          "devices 2, 3"),
                HasSubstr("devices 2, 3 wait at all_reduce at test:1 for "
                          "devices 0, 1")));
  }
}

TEST(Processes, ALostPeerIsAnErrorThatNamesIt) {
  Program p = allReduceOf(4);
  Arrays arrays(p);
  count(arrays);
  Processes processes({0, 0, 1, 1}, 2);
  std::thread killer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    processes.job.lose(1);
  });
  std::vector<std::string> errors =
      processes.run({&p, nullptr}, {&arrays, &arrays});
  killer.join();
  EXPECT_THAT(errors[0],
              AllOf(HasSubstr("process 1 (host1, pid 4711) has gone"),
                    HasSubstr("all_reduce at test:0 waits for its devices "
                              "2, 3")));
}

TEST(Processes, ALateProcessIsWaitedFor) {
  Program p = allReduceOf(4);
  Arrays arrays(p);
  count(arrays);
  Processes processes({0, 0, 1, 1}, 2);
  std::vector<std::string> late;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    late = processes.run({nullptr, &p}, {&arrays});
  });
  std::vector<std::string> errors = processes.run({&p, nullptr}, {&arrays});
  other.join();
  EXPECT_EQ(errors[0], "");
  EXPECT_EQ(late[1], "");
  EXPECT_THAT(arrays.result(0), ElementsAre(64, 68, 72, 76));
}

//===----------------------------------------------------------------------===//
// Copies of permutes
//===----------------------------------------------------------------------===//

/// Device 0 sends to device 1 in a loop, and then both meet. Each has its own
/// number of iterations.
Program senderProgram() {
  Builder b(2);
  SlotId x = b.argument(), limit = b.argument(ElementType::S32, {}),
         y = b.slot(), z = b.slot(), r = b.result();
  b.kernel(addOne, {x}, {z});
  b.loop(limit, [&] {
    b.permute(z, y, {{0, 1}});
    b.kernel(slow, {y}, {y});
  });
  b.allReduce(z, r);
  return b.finish();
}

constexpr int64_t messageBytes = width * 4;

/// Runs it on two processes with room for two copies.
void runSender(const Program &p, Arrays &arrays, int32_t sends,
               int32_t receives, int64_t &most, int64_t &timesBeyondLimit) {
  count(arrays);
  arrays.argument<int32_t>(0, 1) = sends;
  arrays.argument<int32_t>(1, 1) = receives;
  MessengerOptions options;
  options.maxOwnedBytes = 2 * messageBytes;
  Processes processes({0, 1}, 2, 7, options, /*inlineBytes=*/0);
  CountingTransport transport(processes.job.of(0));
  processes.transportOf0 = &transport;
  EXPECT_THAT(processes.run({&p}, {&arrays}), ElementsAre("", ""));
  most = transport.most;
  timesBeyondLimit = transport.timesBeyondLimit;
}

TEST(Processes, SourcesWaitForSlowTargets) {
  Program p = senderProgram();
  Arrays arrays(p);
  int64_t most = 0, timesBeyondLimit = 0;
  // Lockstep and diverged: the trip counts differ.
  for (int32_t sends : {30, 31}) {
    runSender(p, arrays, sends, 30, most, timesBeyondLimit);
    EXPECT_LE(most, 3 * messageBytes) << sends;
    EXPECT_GT(most, messageBytes) << sends;
  }
}

TEST(Processes, SourcesGoOnIfNothingElseCan) {
  Program p = senderProgram();
  Arrays arrays(p);
  int64_t most = 0, timesBeyondLimit = 0;
  // Device 1 waits for device 0, and takes none of its messages before.
  runSender(p, arrays, 20, 0, most, timesBeyondLimit);
  EXPECT_EQ(most, 20 * messageBytes);
  EXPECT_EQ(timesBeyondLimit, 1);
}

} // namespace
