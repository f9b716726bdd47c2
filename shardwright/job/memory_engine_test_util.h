//===- memory_engine_test_util.h - processes in one -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The processes of a job as objects of one process, with delays that follow a
// seed, processes that die and processes that are stopped.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_JOB_MEMORY_ENGINE_TEST_UTIL_H
#define SHARDWRIGHT_JOB_MEMORY_ENGINE_TEST_UTIL_H

#include "shardwright/job/engine.h"
#include "shardwright/job/messenger.h"

#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace shardwright::test {

/// Engines that share one mutex. Each has a thread, which takes the packets of
/// a peer in order, those of several peers in any order, and payloads when both
/// sides have been called. It pauses between them, as the seed says.
class MemoryNetwork {
public:
  /// `maxDelay` is the longest pause in microseconds.
  MemoryNetwork(int32_t numProcesses, uint64_t seed, int64_t maxDelay = 50,
                int64_t inlineBytes = 64)
      : count(numProcesses), maxDelay(maxDelay), inlineLimit(inlineBytes),
        states(numProcesses) {
    for (int32_t p = 0; p < count; ++p) {
      states[p].random.seed(seed * 1000 + p);
      states[p].packets.resize(count);
    }
  }

  /// The engine of a process; called once for each. The network outlives it.
  std::unique_ptr<Engine> makeEngine(int32_t process) {
    return std::make_unique<MemoryEngine>(*this, process);
  }

  /// As if the process had died.
  void lose(int32_t process) { disconnect(process, "connection closed"); }
  /// As if the process had been stopped: it neither receives nor sends.
  void stop(int32_t process) { setStopped(process, true); }
  void resume(int32_t process) { setStopped(process, false); }
  /// Packets from one process to another wait until `release`.
  void hold(int32_t from, int32_t to) {
    std::lock_guard lock(mutex);
    held.insert({from, to});
  }
  void release(int32_t from, int32_t to) {
    std::lock_guard lock(mutex);
    held.erase({from, to});
    states[to].changed.notify_all();
  }

private:
  using Address = std::tuple<int32_t, int32_t, uint32_t>; ///< from, to, tag
  struct Payload {
    std::optional<llvm::ArrayRef<char>> from;
    std::optional<llvm::MutableArrayRef<char>> to;
    Engine::Done sent, received;
  };
  struct State {
    EngineUser *user = nullptr;
    std::mt19937_64 random;
    bool isStopped = false, isEnding = false;
    /// Empty in place of bytes: the connection ends, with the reason.
    struct Item {
      std::vector<char> bytes;
      bool isEnd = false;
      std::string why;
    };
    std::vector<std::deque<Item>> packets; ///< by sender
    std::deque<llvm::unique_function<void()>> calls;
    std::condition_variable changed;
  };

  class MemoryEngine final : public Engine {
  public:
    MemoryEngine(MemoryNetwork &network, int32_t process) : network(network) {
      ownProcess = process;
      count = network.count;
    }
    void stop() override {
      network.disconnect(ownProcess, "connection closed");
      {
        std::lock_guard lock(network.mutex);
        network.states[ownProcess].isEnding = true;
      }
      network.states[ownProcess].changed.notify_all();
      if (worker.joinable())
        worker.join();
      std::lock_guard lock(network.mutex);
      network.states[ownProcess].calls.clear();
    }
    llvm::StringRef name() const override { return "memory"; }
    void start(EngineUser &user) override {
      network.states[ownProcess].user = &user;
      worker = std::thread([this] { network.work(ownProcess); });
    }
    int64_t inlineBytes() const override { return network.inlineLimit; }
    void sendPacket(int32_t peer, std::vector<char> bytes) override {
      network.add(ownProcess, peer, {std::move(bytes), false, ""});
    }
    void sendPayload(int32_t peer, uint32_t tag, llvm::ArrayRef<char> bytes,
                     Done done) override {
      network.addPayload({ownProcess, peer, tag}, [&](Payload &payload) {
        payload.from = bytes;
        payload.sent = std::move(done);
      });
    }
    void receivePayload(int32_t peer, uint32_t tag,
                        llvm::MutableArrayRef<char> to, Done done) override {
      network.addPayload({peer, ownProcess, tag}, [&](Payload &payload) {
        payload.to = to;
        payload.received = std::move(done);
      });
    }
    void post(llvm::unique_function<void()> function) override {
      std::lock_guard lock(network.mutex);
      network.states[ownProcess].calls.push_back(std::move(function));
      network.states[ownProcess].changed.notify_all();
    }
    void dropPeer(int32_t peer, llvm::StringRef why) override {
      std::lock_guard lock(network.mutex);
      network.cut(peer, ownProcess, why.str());
      network.cut(ownProcess, peer, "connection closed");
    }
    void leave() override {}
    void setActive(bool) override {}

  private:
    MemoryNetwork &network;
    std::thread worker;
  };

  void add(int32_t from, int32_t to, State::Item item) {
    std::lock_guard lock(mutex);
    if (ended.count({from, to}))
      return;
    states[to].packets[from].push_back(std::move(item));
    states[to].changed.notify_all();
  }

  template <typename Set> void addPayload(const Address &address, Set set) {
    std::lock_guard lock(mutex);
    Payload &payload = payloads[address];
    set(payload);
    auto [from, to, tag] = address;
    if (ended.count({from, to})) {
      failPayload(address, payload);
      payloads.erase(address);
    } else if (payload.from && payload.to) {
      states[to].changed.notify_all();
    }
  }

  /// Ends the connection in one direction; those packets still arrive that have
  /// been sent. With the mutex.
  void cut(int32_t from, int32_t to, std::string why) {
    if (from == to || !ended.insert({from, to}).second)
      return;
    states[to].packets[from].push_back({{}, true, std::move(why)});
    states[to].changed.notify_all();
    for (auto it = payloads.begin(); it != payloads.end();) {
      auto [a, b, tag] = it->first;
      if ((a == from && b == to) || (a == to && b == from)) {
        failPayload(it->first, it->second);
        it = payloads.erase(it);
      } else {
        ++it;
      }
    }
  }

  void failPayload(const Address &address, Payload &payload) {
    auto [from, to, tag] = address;
    auto finish = [&](int32_t process, Engine::Done &done) {
      if (!done)
        return;
      states[process].calls.push_back(
          [done = std::move(done)]() mutable { done("connection closed"); });
      states[process].changed.notify_all();
    };
    finish(from, payload.sent);
    finish(to, payload.received);
  }

  void disconnect(int32_t process, const std::string &why) {
    std::lock_guard lock(mutex);
    for (int32_t p = 0; p < count; ++p) {
      cut(process, p, why);
      cut(p, process, why);
    }
  }

  void setStopped(int32_t process, bool isStopped) {
    std::lock_guard lock(mutex);
    states[process].isStopped = isStopped;
    states[process].changed.notify_all();
    for (State &state : states)
      state.changed.notify_all();
  }

  /// Moves a payload to `process` for which both sides have been called.
  void movePayload(const Address &address) {
    auto node = payloads.extract(address);
    Payload &payload = node.mapped();
    auto [from, to, tag] = address;
    bool isGivenUp = payload.from->empty();
    if (!isGivenUp)
      std::memcpy(payload.to->data(), payload.from->data(),
                  payload.from->size());
    states[from].calls.push_back(
        [done = std::move(payload.sent)]() mutable { done(""); });
    states[from].changed.notify_all();
    states[to].calls.push_back(
        [isGivenUp, done = std::move(payload.received)]() mutable {
          done(isGivenUp ? "the sender has given up" : "");
        });
  }

  /// The thread of an engine.
  void work(int32_t process) {
    State &state = states[process];
    std::unique_lock lock(mutex);
    while (!state.isEnding) {
      std::vector<int32_t> senders;
      for (int32_t p = 0; p < count && !state.isStopped; ++p)
        if (!state.packets[p].empty() && !held.count({p, process}) &&
            (!states[p].isStopped || ended.count({p, process})))
          senders.push_back(p);
      std::vector<Address> ready;
      for (auto &[address, payload] : payloads)
        if (std::get<1>(address) == process && payload.from && payload.to &&
            !state.isStopped && !states[std::get<0>(address)].isStopped)
          ready.push_back(address);
      size_t hasCall = !state.calls.empty() && !state.isStopped;
      size_t choices = senders.size() + ready.size() + hasCall;
      if (choices == 0) {
        state.changed.wait(lock);
        continue;
      }
      if (maxDelay && state.random() % 2) {
        auto delay = std::chrono::microseconds(state.random() % maxDelay);
        lock.unlock();
        std::this_thread::sleep_for(delay);
        lock.lock();
        if (state.isEnding || state.isStopped)
          continue;
      }
      size_t which = state.random() % choices;
      if (which < senders.size()) {
        deliver(state, senders[which], lock);
      } else if (which - senders.size() < ready.size()) {
        // May have failed during the pause.
        if (payloads.count(ready[which - senders.size()]))
          movePayload(ready[which - senders.size()]);
      } else {
        auto call = std::move(state.calls.front());
        state.calls.pop_front();
        lock.unlock();
        call();
        lock.lock();
      }
    }
  }

  void deliver(State &state, int32_t from, std::unique_lock<std::mutex> &lock) {
    typename State::Item item = std::move(state.packets[from].front());
    state.packets[from].pop_front();
    lock.unlock();
    if (item.isEnd)
      state.user->peerLost(from, item.why);
    else
      state.user->packetArrived(from, item.bytes);
    lock.lock();
  }

  const int32_t count;
  const int64_t maxDelay, inlineLimit;
  std::mutex mutex;
  std::vector<State> states;
  std::map<Address, Payload> payloads;
  std::set<std::pair<int32_t, int32_t>> ended, held; ///< directions
};

/// A job in memory: a messenger for each process.
class MemoryJob {
public:
  MemoryJob(int32_t numProcesses, uint64_t seed, MessengerOptions options = {},
            int64_t maxDelay = 50, int64_t inlineBytes = 64)
      : network(numProcesses, seed, maxDelay, inlineBytes) {
    std::vector<ProcessRecord> records(numProcesses);
    for (int32_t p = 0; p < numProcesses; ++p) {
      records[p].host = "host" + std::to_string(p);
      records[p].pid = 4710 + p;
    }
    for (int32_t p = 0; p < numProcesses; ++p)
      messengers.push_back(
          std::make_unique<Messenger>(network.makeEngine(p), records, options));
  }

  Messenger &of(int32_t process) { return *messengers[process]; }
  /// As if the process had died.
  void lose(int32_t process) { network.lose(process); }
  void stop(int32_t process) { network.stop(process); }
  void resume(int32_t process) { network.resume(process); }
  void hold(int32_t from, int32_t to) { network.hold(from, to); }
  void release(int32_t from, int32_t to) { network.release(from, to); }
  /// Destroys the messenger of a process.
  void end(int32_t process) { messengers[process].reset(); }

private:
  MemoryNetwork network;
  std::vector<std::unique_ptr<Messenger>> messengers;
};

} // namespace shardwright::test

#endif // SHARDWRIGHT_JOB_MEMORY_ENGINE_TEST_UTIL_H
