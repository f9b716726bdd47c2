//===- memory_transport_test_util.h - processes in one ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_COLLECTIVES_MEMORY_TRANSPORT_TEST_UTIL_H
#define SHARDWRIGHT_CPU_COLLECTIVES_MEMORY_TRANSPORT_TEST_UTIL_H

#include "shardwright/cpu/collectives/transport.h"

#include "llvm/ADT/SmallVector.h"

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <thread>
#include <tuple>
#include <vector>

namespace shardwright::cpu::test {

/// The processes of a job as objects of this one. Messages that match are
/// delivered by one thread, in an order and after delays that follow the seed.
class MemoryJob {
public:
  MemoryJob(int32_t numProcesses, uint64_t seed)
      : random(seed), isLost(numProcesses) {
    for (int32_t p = 0; p < numProcesses; ++p)
      endpoints.push_back(std::make_unique<Endpoint>(*this, p));
    worker = std::thread([this] { work(); });
  }
  /// Transfers that wait for the other side are dropped.
  ~MemoryJob() {
    {
      std::lock_guard lock(mutex);
      isOver = true;
    }
    changed.notify_all();
    worker.join();
  }

  Transport &of(int32_t process) { return *endpoints[process]; }

  /// As if the process had died.
  void lose(int32_t process) {
    std::lock_guard lock(mutex);
    isLost[process] = true;
    failIf(
        [&](const Address &a) { return a.from == process || a.to == process; },
        "process " + std::to_string(process) + " has gone");
  }

private:
  /// Where a message goes.
  struct Address {
    int32_t from, to;
    MessageKey key;
    friend auto operator<=>(const Address &, const Address &) = default;
  };
  struct Send {
    llvm::SmallVector<llvm::ArrayRef<char>, 4> pieces;
    Transport::Done done;
  };
  struct Receive {
    llvm::SmallVector<llvm::MutableArrayRef<char>, 4> pieces;
    Transport::Done done;
  };
  /// The sides of a message that have been called.
  struct Message {
    std::optional<Send> send;
    std::optional<Receive> receive;
  };

  class Endpoint final : public Transport {
  public:
    Endpoint(MemoryJob &job, int32_t process) : job(job), process(process) {}
    void send(int32_t peer, const MessageKey &key,
              llvm::ArrayRef<llvm::ArrayRef<char>> pieces, Done done) override {
      job.add({process, peer, key}, process, peer, [&](Message &message) {
        message.send = Send{{pieces.begin(), pieces.end()}, std::move(done)};
      });
    }
    void receive(int32_t peer, const MessageKey &key,
                 llvm::ArrayRef<llvm::MutableArrayRef<char>> pieces,
                 Done done) override {
      job.add({peer, process, key}, process, peer, [&](Message &message) {
        message.receive =
            Receive{{pieces.begin(), pieces.end()}, std::move(done)};
      });
    }
    void cancel(const RunKey &run) override {
      std::lock_guard lock(job.mutex);
      job.cancelled.insert({process, run});
      for (auto &[address, message] : job.messages)
        if (address.key.run == run)
          job.dropCancelled(address, message);
      job.changed.notify_all();
    }

  private:
    MemoryJob &job;
    int32_t process;
  };

  void add(const Address &address, int32_t process, int32_t peer,
           llvm::function_ref<void(Message &)> set) {
    std::lock_guard lock(mutex);
    Message &message = messages[address];
    set(message);
    for (int32_t p : {process, peer})
      if (isLost[p])
        fail(message, "process " + std::to_string(p) + " has gone");
    dropCancelled(address, message);
    changed.notify_all();
  }

  // All below hold the mutex.

  template <typename Side>
  void finish(std::optional<Side> &side, llvm::Error error) {
    if (!side) {
      llvm::consumeError(std::move(error));
      return;
    }
    finished.push_back({std::move(side->done), std::move(error)});
    side.reset();
  }
  void fail(Message &message, const std::string &why) {
    finish(message.send, llvm::createStringError(why));
    finish(message.receive, llvm::createStringError(why));
  }
  void failIf(llvm::function_ref<bool(const Address &)> holds,
              const std::string &why) {
    for (auto &[address, message] : messages)
      if (holds(address))
        fail(message, why);
    changed.notify_all();
  }
  void dropCancelled(const Address &address, Message &message) {
    constexpr const char *why = "the run has been cancelled";
    if (cancelled.count({address.from, address.key.run}))
      finish(message.send, llvm::createStringError(why));
    if (cancelled.count({address.to, address.key.run})) {
      finish(message.receive, llvm::createStringError(why));
      finish(message.send, llvm::Error::success());
    }
  }
  void deliver(Message &message) {
    std::vector<char> bytes;
    for (llvm::ArrayRef<char> piece : message.send->pieces)
      bytes.insert(bytes.end(), piece.begin(), piece.end());
    size_t wanted = 0;
    for (llvm::MutableArrayRef<char> piece : message.receive->pieces)
      wanted += piece.size();
    if (wanted != bytes.size())
      return fail(message, "a message of " + std::to_string(bytes.size()) +
                               " bytes, expected " + std::to_string(wanted));
    const char *from = bytes.data();
    for (llvm::MutableArrayRef<char> piece : message.receive->pieces) {
      if (!piece.empty())
        std::memcpy(piece.data(), from, piece.size());
      from += piece.size();
    }
    finish(message.send, llvm::Error::success());
    finish(message.receive, llvm::Error::success());
  }

  void work() {
    std::unique_lock lock(mutex);
    while (!isOver) {
      if (!finished.empty()) {
        size_t which = random() % finished.size();
        auto [done, error] = std::move(finished[which]);
        finished.erase(finished.begin() + which);
        auto delay = std::chrono::microseconds(random() % 50);
        lock.unlock();
        std::this_thread::sleep_for(delay);
        done(std::move(error));
        lock.lock();
        continue;
      }
      std::erase_if(messages, [](const auto &entry) {
        return !entry.second.send && !entry.second.receive;
      });
      std::vector<Message *> matched;
      for (auto &[address, message] : messages)
        if (message.send && message.receive)
          matched.push_back(&message);
      if (matched.empty())
        changed.wait(lock);
      else
        deliver(*matched[random() % matched.size()]);
    }
    for (auto &[done, error] : finished)
      llvm::consumeError(std::move(error));
  }

  std::vector<std::unique_ptr<Endpoint>> endpoints;
  std::mutex mutex;
  std::condition_variable changed;
  std::mt19937_64 random;
  std::vector<bool> isLost;
  bool isOver = false;
  std::map<Address, Message> messages;
  std::set<std::pair<int32_t, RunKey>> cancelled;
  /// Transfers whose `done` is still to be called.
  std::vector<std::pair<Transport::Done, llvm::Error>> finished;
  std::thread worker;
};

} // namespace shardwright::cpu::test

#endif // SHARDWRIGHT_CPU_COLLECTIVES_MEMORY_TRANSPORT_TEST_UTIL_H
