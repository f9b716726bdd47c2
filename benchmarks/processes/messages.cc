//===- messages.cc - times of messages between processes ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Joins the job of the environment, and prints in process 0 the microseconds of
// each exchange as JSON. In an exchange each process sends a message to the
// next and receives one from the last; with `once`, only processes 0 and 1 take
// turns (a round trip).
//
//===----------------------------------------------------------------------===//

#include "benchmarks/clock.h"
#include "shardwright/job/job.h"
#include "shardwright/job/transport.h"

#include "llvm/Support/raw_ostream.h"

#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <vector>

using namespace shardwright;

namespace {

/// Waits for the transfers of a thread.
class Waiter {
public:
  Transport::Done begin() {
    std::lock_guard lock(mutex);
    ++pending;
    return [this](llvm::Error error) {
      if (error) {
        llvm::errs() << llvm::toString(std::move(error)) << '\n';
        std::_Exit(1);
      }
      std::lock_guard lock(mutex);
      if (--pending == 0)
        changed.notify_one();
    };
  }
  void wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return pending == 0; });
  }

private:
  std::mutex mutex;
  std::condition_variable changed;
  int pending = 0;
};

} // namespace

int main(int argc, char **argv) {
  bool isRoundTrip = argc > 3 && llvm::StringRef(argv[3]) == "once";
  int64_t size = argc > 1 ? std::atoll(argv[1]) : 1024;
  int32_t repetitions = argc > 2 ? std::atoi(argv[2]) : 100;
  auto opened = Job::open({});
  if (!opened) {
    llvm::errs() << llvm::toString(opened.takeError()) << '\n';
    return 1;
  }
  Job &job = **opened;
  Transport &transport = job.transport();
  int32_t self = job.process(), count = job.numProcesses();
  int32_t next = (self + 1) % count, last = (self + count - 1) % count;
  RunDescription run;
  run.key = {1, 0};
  run.name = "messages";
  for (int32_t p = 0; p < count; ++p)
    run.participants.push_back(p);
  transport.openRun(run, [](RunFailure failure) {
    llvm::errs() << failure.text << '\n';
    std::_Exit(1);
  });
  std::vector<char> from(size, char(self)), to(size);
  std::vector<double> times;
  Waiter waiter;
  for (int32_t i = 0; i < repetitions + 5; ++i) {
    MessageKey key;
    key.step = i;
    auto send = [&](int32_t peer) {
      transport.send(peer, run.key, key, from, waiter.begin());
    };
    auto receive = [&](int32_t peer) {
      transport.receive(peer, run.key, key, to, nullptr, waiter.begin());
    };
    double start = wallSeconds();
    if (!isRoundTrip) {
      receive(last);
      send(next);
      waiter.wait();
    } else if (self == 0) {
      receive(1);
      send(1);
      waiter.wait();
    } else if (self == 1) {
      receive(0);
      waiter.wait();
      send(0);
      waiter.wait();
    }
    if (i >= 5)
      times.push_back(1e6 * (wallSeconds() - start));
    bool isRight =
        size == 0 || to[size - 1] == char(isRoundTrip ? 1 - self : last);
    if (!isRight && (!isRoundTrip || self < 2)) {
      llvm::errs() << "wrong bytes\n";
      return 1;
    }
  }
  transport.closeRun(run.key);
  if (self == 0) {
    llvm::outs() << "[";
    for (auto [i, time] : llvm::enumerate(times))
      llvm::outs() << (i ? ", " : "") << llvm::format("%.2f", time);
    llvm::outs() << "]\n";
    llvm::outs().flush();
  }
  job.leave();
  return 0;
}
