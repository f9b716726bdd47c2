//===- tcp_engine_test.cc - the engine on TCP connections -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/job/tcp_connect.h"
#include "shardwright/job/tcp_engine.h"
#include "shardwright/job/tcp_stream.h"
#include "shardwright/support/event.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <arpa/inet.h>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <random>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace shardwright;
using testing::HasSubstr;

namespace {

/// A store in memory.
struct Store {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, std::string> values;

  std::string get(const std::string &key) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return values.count(key); });
    return values[key];
  }
  EngineOptions options(int32_t process, int32_t count) {
    EngineOptions options;
    options.process = process;
    options.numProcesses = count;
    options.address = "127.0.0.1";
    options.startTimeout = 20000;
    options.put = [this](const std::string &key, const std::string &value,
                         std::string &) {
      std::lock_guard lock(mutex);
      values[key] = value;
      changed.notify_all();
      return true;
    };
    options.get = [this](const std::string &key, std::string &value,
                         std::string &) {
      value = get(key);
      return true;
    };
    return options;
  }
};

/// Keeps what arrives.
struct User final : EngineUser {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<int32_t, std::vector<std::string>> packets;
  std::map<int32_t, std::string> lost;

  void packetArrived(int32_t peer, llvm::ArrayRef<char> bytes) override {
    std::lock_guard lock(mutex);
    packets[peer].emplace_back(bytes.begin(), bytes.end());
    changed.notify_all();
  }
  void peerLost(int32_t peer, llvm::StringRef why) override {
    std::lock_guard lock(mutex);
    EXPECT_FALSE(lost.count(peer));
    lost[peer] = why.str();
    changed.notify_all();
  }
  void waitForPackets(int32_t peer, size_t count) {
    std::unique_lock lock(mutex);
    EXPECT_TRUE(changed.wait_for(lock, std::chrono::seconds(60), [&] {
      return packets[peer].size() >= count;
    }));
  }
  std::string waitForLoss(int32_t peer) {
    std::unique_lock lock(mutex);
    EXPECT_TRUE(changed.wait_for(lock, std::chrono::seconds(60),
                                 [&] { return lost.count(peer); }));
    return lost[peer];
  }
};

/// The engines of some processes.
struct Engines {
  explicit Engines(int32_t count) : users(count), engines(count) {
    std::vector<std::thread> threads;
    for (int32_t p = 0; p < count; ++p)
      threads.emplace_back([&, p] {
        engines[p] = llvm::cantFail(makeTcpEngine(store.options(p, count)));
      });
    for (std::thread &thread : threads)
      thread.join();
    for (int32_t p = 0; p < count; ++p)
      engines[p]->start(users[p]);
  }
  ~Engines() {
    for (auto &engine : engines)
      if (engine)
        engine->stop();
  }
  void end(int32_t process) {
    engines[process]->stop();
    engines[process] = nullptr;
  }

  Store store;
  std::deque<User> users;
  std::vector<std::unique_ptr<Engine>> engines;
};

Engine::Done doneOf(Event event) {
  return [event](llvm::StringRef failure) mutable {
    event.set(failure.empty() ? llvm::Error::success()
                              : llvm::createStringError(failure));
  };
}

std::vector<char> bytesOf(std::mt19937_64 &random, size_t size) {
  std::vector<char> bytes(size);
  uint64_t value = random();
  for (size_t i = 0; i < size; ++i)
    bytes[i] = char(value += i * 0x9e3779b97f4a7c15 >> 32);
  return bytes;
}

TEST(TcpEngine, PacketsAndPayloadsArriveWhole) {
  constexpr int32_t count = 3, number = 60;
  static constexpr size_t sizes[] = {2,       1000,    65536,   65537,
                                     1 << 20, 2 << 20, 2097153, 7000001};
  Engines all(count);
  std::mt19937_64 random(1);
  std::map<std::pair<int32_t, int32_t>, std::vector<std::string>> packets;
  std::deque<std::vector<char>> sent, received;
  std::vector<Event> events;
  for (int32_t i = 0; i < number; ++i)
    for (int32_t p = 0; p < count; ++p) {
      int32_t to = (p + 1 + random() % (count - 1)) % count;
      if (random() % 2) {
        auto bytes = bytesOf(random, random() % (Engine::maxPacketBytes + 1));
        packets[{p, to}].emplace_back(bytes.begin(), bytes.end());
        all.engines[p]->sendPacket(to, std::move(bytes));
        continue;
      }
      sent.push_back(bytesOf(random, sizes[random() % std::size(sizes)]));
      received.emplace_back(sent.back().size());
      Event sends, receives;
      all.engines[to]->receivePayload(p, i, received.back(), doneOf(receives));
      all.engines[p]->sendPayload(to, i, sent.back(), doneOf(sends));
      events.push_back(sends);
      events.push_back(receives);
    }
  for (Event &event : events)
    EXPECT_EQ(toString(event.await()), "");
  EXPECT_TRUE(sent == received);
  for (auto &[pair, expected] : packets) {
    all.users[pair.second].waitForPackets(pair.first, expected.size());
    EXPECT_TRUE(all.users[pair.second].packets[pair.first] == expected);
  }
}

TEST(TcpEngine, ASenderMayGiveUp) {
  Engines all(2);
  std::vector<char> to(1000);
  Event sent, received;
  all.engines[1]->receivePayload(0, 7, to, doneOf(received));
  all.engines[0]->sendPayload(1, 7, {}, doneOf(sent));
  EXPECT_THAT(toString(received.await()), HasSubstr("given up"));
  EXPECT_EQ(toString(sent.await()), "");
}

TEST(TcpEngine, AnEndedConnectionFailsItsPayloads) {
  for (bool isDropped : {false, true}) {
    Engines all(3);
    std::vector<char> to(1000), large(64 << 20);
    Event waits, sends, later;
    all.engines[0]->receivePayload(1, 7, to, doneOf(waits));
    // The other side does not take it.
    all.engines[1]->receivePayload(0, 8, large, [](llvm::StringRef) {});
    if (isDropped)
      all.engines[0]->dropPeer(1, "no answer");
    else
      all.end(1);
    EXPECT_EQ(all.users[0].waitForLoss(1),
              isDropped ? "no answer" : "connection closed");
    EXPECT_NE(toString(waits.await()), "");
    all.engines[0]->sendPayload(1, 9, large, doneOf(later));
    EXPECT_NE(toString(later.await()), "");
    all.engines[0]->sendPacket(1, {'x'});
    if (!isDropped)
      EXPECT_EQ(all.users[2].waitForLoss(1), "connection closed");
    // The other connections go on.
    all.engines[0]->sendPacket(2, {'y'});
    all.users[2].waitForPackets(0, 1);
  }
}

/// A socket that is connected to where a process listens.
FileDescriptor connectTo(const std::string &published) {
  llvm::SmallVector<llvm::StringRef, 3> parts;
  llvm::StringRef(published).split(parts, ' ');
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, parts[0].str().c_str(), &address.sin_addr);
  address.sin_port = htons(std::stoi(parts[1].str()));
  FileDescriptor socket(::socket(AF_INET, SOCK_STREAM, 0));
  EXPECT_EQ(connect(socket.get(), reinterpret_cast<sockaddr *>(&address),
                    sizeof(address)),
            0);
  return socket;
}

TEST(TcpEngine, StrangersAreNotAccepted) {
  Store store;
  std::unique_ptr<Engine> first, second;
  std::thread thread(
      [&] { first = llvm::cantFail(makeTcpEngine(store.options(0, 2))); });
  std::string where = store.get("0");
  FileDescriptor silent = connectTo(where), garbage = connectTo(where);
  silent.close();
  // The right words, but not the secret; says that it is process 1.
  std::string text("shardwr1"
                   "\0\0\0\0\0\0\0\0"
                   "\1\0\0\0\0\0\0\0",
                   24);
  ASSERT_EQ(send(garbage.get(), text.data(), text.size(), MSG_NOSIGNAL),
            ssize_t(text.size()));
  second = llvm::cantFail(makeTcpEngine(store.options(1, 2)));
  thread.join();
  User a, b;
  first->start(a);
  second->start(b);
  first->sendPacket(1, {'x'});
  b.waitForPackets(0, 1);
  second->sendPacket(0, {'y'});
  a.waitForPackets(1, 1);
  first->stop();
  second->stop();
}

TEST(TcpEngine, AMissingProcessIsNamed) {
  Store store;
  EngineOptions options = store.options(0, 2);
  options.startTimeout = 50;
  EXPECT_THAT(toString(makeTcpEngine(options).takeError()),
              HasSubstr("process 1 has not connected in time"));
}

/// Frames that no process sends end the connection.
TEST(TcpEngine, MalformedFramesEndTheConnection) {
  struct Frames final : tcp::InStream::User {
    tcp::InStream::Destination destination;
    std::vector<char> memory = std::vector<char>(10);
    void takePacket(llvm::ArrayRef<char>) override {}
    tcp::InStream::Destination *find(uint32_t tag) override {
      destination.to = memory;
      return tag == 1 ? &destination : nullptr;
    }
    void finish(uint32_t, bool) override {}
  };
  tcp::FrameHeader headers[] = {
      {tcp::FrameKind(7), 0, 0},
      {tcp::FrameKind::Packet, 0, Engine::maxPacketBytes + 1},
      {tcp::FrameKind::Packet, 0, ~uint64_t(0)},
      {tcp::FrameKind::Payload, 2, 5},  // an unknown tag
      {tcp::FrameKind::Payload, 1, 11}, // too large
  };
  for (const tcp::FrameHeader &header : headers) {
    int sockets[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    FileDescriptor from(sockets[0]), to(sockets[1]);
    std::vector<char> bytes(100);
    std::memcpy(bytes.data(), &header, sizeof(header));
    ASSERT_EQ(write(from.get(), bytes.data(), bytes.size()), 100);
    tcp::InStream in;
    Frames frames;
    EXPECT_EQ(in.read(to.get(), frames), tcp::Progress::Ended);
  }
}

} // namespace
