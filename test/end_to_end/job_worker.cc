//===- job_worker.cc - one process of the jobs of jobs.py -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// job_worker SCENARIO [SEED]: joins the job that the environment names, and
// prints what happens, a line each.
//
//===----------------------------------------------------------------------===//

#include "shardwright/job/job.h"
#include "shardwright/job/transport.h"
#include "shardwright/support/event.h"

#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <random>
#include <thread>
#include <unistd.h>

using namespace shardwright;

namespace {

using Clock = std::chrono::steady_clock;

/// By one write: mpirun gives terminals, which are written without a buffer, and
/// joins the lines of all processes.
void print(const llvm::Twine &line) {
  llvm::outs() << (line + "\n").str();
  llvm::outs().flush();
}

[[noreturn]] void stop(llvm::Error error) {
  print("error: " + llvm::toString(std::move(error)));
  _exit(3);
}

std::shared_ptr<Job> openJob(llvm::StringRef build = "a") {
  JobOptions options;
  options.numDevices = 4;
  options.mustAgree = {{"build of Shardwright", build.str()}};
  auto job = Job::open(options);
  if (!job)
    stop(job.takeError());
  return *job;
}

RunDescription describe(Job &job, uint64_t launch) {
  RunDescription run;
  run.key = {42, launch};
  run.programHash = 1;
  run.name = "jit_f";
  for (int32_t p = 0; p < job.numProcesses(); ++p)
    run.participants.push_back(p);
  run.describeWait = [](int32_t peer, const MessageKey &key) {
    return "step " + std::to_string(key.step) + " waits for process " +
           std::to_string(peer);
  };
  return run;
}

/// Waits for the failure of a run, or for success of all its transfers.
struct Waiter {
  std::mutex mutex;
  std::condition_variable changed;
  int64_t numPending = 0;
  std::string failure;

  void fail(const std::string &text) {
    std::lock_guard lock(mutex);
    if (failure.empty())
      failure = text;
    changed.notify_all();
  }
  static Transport::Done begin(const std::shared_ptr<Waiter> &waiter) {
    std::lock_guard lock(waiter->mutex);
    ++waiter->numPending;
    return [waiter](llvm::Error error) {
      if (error)
        waiter->fail(llvm::toString(std::move(error)));
      std::lock_guard lock(waiter->mutex);
      --waiter->numPending;
      waiter->changed.notify_all();
    };
  }
  std::string wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return numPending == 0 || !failure.empty(); });
    return failure;
  }
};

std::shared_ptr<Waiter> openRun(Job &job, const RunDescription &run) {
  auto waiter = std::make_shared<Waiter>();
  job.transport().openRun(
      run, [waiter](RunFailure failure) { waiter->fail(failure.text); });
  return waiter;
}

/// All processes make the same messages of a seed.
struct Message {
  int32_t from, to;
  MessageKey key;
  size_t size;
  char fill;
  bool isRight(llvm::ArrayRef<char> bytes) const {
    for (size_t i = 0; i < bytes.size(); ++i)
      if (bytes[i] != char(fill + i * 7))
        return false;
    return true;
  }
};

/// Random messages between random processes, all posted in random order.
void exchange(Job &job, uint64_t seed, uint64_t launch) {
  std::mt19937_64 random(seed * 1000 + launch), order(seed + job.process());
  static constexpr size_t sizes[] = {0,     1,     100,     8191,
                                     8192,  8193,  5000,    32767,
                                     32768, 32769, 1 << 20, 10 << 20};
  std::vector<Message> messages;
  size_t count = random() % 60;
  for (size_t m = 0; m < count; ++m) {
    Message message;
    message.from = random() % job.numProcesses();
    message.to = (message.from + 1 + random() % (job.numProcesses() - 1)) %
                 job.numProcesses();
    message.key.step = m;
    message.size = sizes[random() % (launch % 8 ? 11 : 12)];
    message.fill = random();
    messages.push_back(message);
  }
  std::shuffle(messages.begin(), messages.end(), order);
  RunDescription run = describe(job, launch);
  auto waiter = openRun(job, run);
  std::deque<std::vector<char>> buffers;
  std::vector<std::pair<const Message *, const std::vector<char> *>> received;
  for (const Message &message : messages) {
    if (message.from != job.process() && message.to != job.process())
      continue;
    std::vector<char> &bytes = buffers.emplace_back(message.size);
    if (message.from == job.process()) {
      for (size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = char(message.fill + i * 7);
      job.transport().send(message.to, run.key, message.key, bytes,
                           Waiter::begin(waiter));
    } else {
      received.push_back({&message, &bytes});
      job.transport().receive(message.from, run.key, message.key, bytes,
                              nullptr, Waiter::begin(waiter));
    }
  }
  std::string failure = waiter->wait();
  if (!failure.empty()) {
    job.transport().abortRun(run, {-1, failure});
    print("error: " + failure);
    _exit(3);
  }
  job.transport().closeRun(run.key);
  for (auto &[message, bytes] : received)
    if (!message->isRight(*bytes)) {
      print("wrong bytes in message " + llvm::Twine(message->key.step) +
            " of launch " + llvm::Twine(launch));
      _exit(4);
    }
}

void checkHostCalls(Job &job) {
  std::string own = "process " + std::to_string(job.process());
  own.resize(100000 * job.process() + 20, '.');
  auto all = job.allGather(own);
  if (!all)
    stop(all.takeError());
  for (int32_t p = 0; p < job.numProcesses(); ++p)
    if (!llvm::StringRef((*all)[p]).starts_with("process " + std::to_string(p) +
                                                ".") ||
        (*all)[p].size() != size_t(100000 * p + 20))
      print("wrong all_gather");
  int32_t last = job.numProcesses() - 1;
  auto some = job.broadcast(last, own);
  if (!some)
    stop(some.takeError());
  if (*some != (*all)[last])
    print("wrong broadcast");
  auto gathered = job.gather(1, own);
  if (!gathered)
    stop(gathered.takeError());
  if (job.process() == 1 ? *gathered != *all : !gathered->empty())
    print("wrong gather");
  if (llvm::Error error = job.barrier())
    stop(std::move(error));
}

void runTraffic(uint64_t seed) {
  auto job = openJob();
  checkHostCalls(*job);
  for (uint64_t launch = 0; launch < 40; ++launch)
    exchange(*job, seed, launch);
  print("process " + llvm::Twine(job->process()) + " of " +
        llvm::Twine(job->numProcesses()) + " by " + job->engineName() + ": ok");
  job->leave();
}

/// Process 1 comes to an end in the middle of a run.
void runFault(llvm::StringRef fault) {
  auto job = openJob();
  if (llvm::Error error = job->barrier())
    stop(std::move(error));
  RunDescription run = describe(*job, 0);
  auto waiter = openRun(*job, run);
  Clock::time_point start = Clock::now();
  // More than the sockets hold, so that the sender ends in the middle.
  std::vector<char> bytes(100), large(1 << 26);
  if (job->process() == 1) {
    // The others have posted their receives.
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    if (fault == "leave") {
      job->leave();
      _exit(0);
    }
    if (fault == "kill")
      raise(SIGKILL);
    if (fault == "stop")
      raise(SIGSTOP);
    if (fault == "large") // in the middle of a payload
      job->transport().send(0, run.key, {}, large, Waiter::begin(waiter));
    _exit(0);
  }
  job->transport().receive(1, run.key, {}, fault == "large" ? large : bytes,
                           nullptr, Waiter::begin(waiter));
  std::string failure = waiter->wait();
  job->transport().abortRun(run, {-1, failure});
  auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(
      Clock::now() - start);
  print("failed after " + llvm::Twine(waited.count()) + " ms: " + failure);
  // The other processes go on.
  RunDescription later = describe(*job, 1);
  later.key.deviceSet = 43;
  llvm::erase(later.participants, 1);
  auto others = openRun(*job, later);
  std::deque<std::vector<char>> buffers;
  for (int32_t p : later.participants)
    if (p != job->process()) {
      job->transport().send(p, later.key, {}, bytes, Waiter::begin(others));
      job->transport().receive(p, later.key, {}, buffers.emplace_back(100),
                               nullptr, Waiter::begin(others));
    }
  failure = others->wait();
  job->transport().closeRun(later.key);
  print("the others: " + (failure.empty() ? "ok" : failure));
  // What has been sent arrives before the connections end.
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  _exit(0);
}

} // namespace

int main(int argc, char **argv) {
  llvm::StringRef scenario = argc > 1 ? argv[1] : "";
  if (scenario == "traffic") {
    runTraffic(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
  } else if (scenario == "fault") {
    runFault(argc > 2 ? argv[2] : "");
  } else if (scenario == "agree") {
    // The last process is of another build.
    const char *process = std::getenv("SHARDWRIGHT_PROCESS");
    for (const char *rank : {"OMPI_COMM_WORLD_RANK", "PMI_RANK"})
      if (!process)
        process = std::getenv(rank);
    openJob(llvm::StringRef(process) == "2" ? "b" : "a");
    print("opened");
  } else if (scenario == "order") {
    auto job = openJob();
    llvm::Error error = llvm::Error::success();
    if (job->process() == 0)
      error = job->barrier();
    else
      error = job->broadcast(0, "").takeError();
    print(error ? llvm::toString(std::move(error)) : "no error");
    job->leave();
  } else if (scenario == "reopen") {
    for (int i = 0; i < 2; ++i) {
      auto job = openJob(), same = openJob();
      checkHostCalls(*same);
      job->leave();
    }
    print("ok");
  } else {
    llvm::errs() << "job_worker: unknown scenario\n";
    return 2;
  }
  return 0;
}
