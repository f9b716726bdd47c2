//===- transport_test.cc - what every transport must do -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/collectives/memory_transport_test_util.h"
#include "shardwright/support/event.h"

#include "llvm/ADT/STLExtras.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <array>
#include <atomic>
#include <deque>
#include <string>

using namespace shardwright;
using namespace shardwright::cpu;
using namespace shardwright::cpu::test;
using testing::HasSubstr;

namespace {

/// A transfer under way.
struct Transfer {
  Event done;
  Transport::Done callback() {
    return [done = done](llvm::Error e) mutable { done.set(std::move(e)); };
  }
  std::string message() { return toString(done.await()); }
};

MessageKey keyOf(uint64_t launch, int32_t step = 0, int32_t part = 0) {
  MessageKey key;
  key.run.launch = launch;
  key.step = step;
  key.part = part;
  return key;
}

Transfer send(Transport &from, int32_t peer, const MessageKey &key,
              const std::string &text) {
  Transfer transfer;
  llvm::ArrayRef<char> piece(text.data(), text.size());
  from.send(peer, key, piece, transfer.callback());
  return transfer;
}

Transfer receive(Transport &to, int32_t peer, const MessageKey &key,
                 std::string &text) {
  Transfer transfer;
  llvm::MutableArrayRef<char> piece(text.data(), text.size());
  to.receive(peer, key, piece, transfer.callback());
  return transfer;
}

TEST(Transport, EitherSideMayBeFirst) {
  MemoryJob job(2, 1);
  for (bool sendsFirst : {true, false}) {
    std::string text = "hello", got(5, '-');
    Transfer sent, received;
    auto doSend = [&] { sent = send(job.of(1), 0, keyOf(sendsFirst), text); };
    if (sendsFirst)
      doSend();
    received = receive(job.of(0), 1, keyOf(sendsFirst), got);
    if (!sendsFirst)
      doSend();
    EXPECT_EQ(received.message(), "");
    EXPECT_EQ(sent.message(), "");
    EXPECT_EQ(got, text);
  }
}

TEST(Transport, PiecesAreCutAnewAndMayBeEmpty) {
  MemoryJob job(2, 2);
  std::string text = "0123456789", got(10, '-');
  llvm::ArrayRef<char> all(text.data(), text.size());
  llvm::MutableArrayRef<char> to(got.data(), got.size());
  Transfer sent, received;
  job.of(0).send(1, keyOf(0), {all.take_front(3), {}, all.drop_front(3)},
                 sent.callback());
  job.of(1).receive(0, keyOf(0), {to.drop_back(1), to.take_back(1)},
                    received.callback());
  EXPECT_EQ(sent.message() + received.message(), "");
  EXPECT_EQ(got, text);
  // A message without bytes is one all the same.
  Transfer nothing, none;
  job.of(0).send(1, keyOf(1), {}, nothing.callback());
  job.of(1).receive(0, keyOf(1), {}, none.callback());
  EXPECT_EQ(nothing.message() + none.message(), "");
}

TEST(Transport, KeysTellMessagesApart) {
  constexpr int32_t processes = 3, messages = 40;
  MemoryJob job(processes, 3);
  std::deque<std::string> texts, got;
  std::deque<Transfer> transfers;
  std::vector<std::pair<std::string *, std::string *>> expected;
  std::mt19937 random(4);
  std::vector<std::array<int32_t, 3>> order;
  for (int32_t from = 0; from < processes; ++from)
    for (int32_t to = 0; to < processes; ++to)
      for (int32_t m = 0; m < messages && from != to; ++m)
        order.push_back({from, to, m});
  auto key = [](int32_t m) { return keyOf(m % 2, m / 2 % 4, m / 8); };
  std::map<std::array<int32_t, 3>, std::string *> textOf, gotOf;
  std::shuffle(order.begin(), order.end(), random);
  for (auto &at : order) {
    texts.push_back(std::to_string(1000 + at[0] * 100 + at[1] * 50 + at[2]));
    textOf[at] = &texts.back();
    transfers.push_back(send(job.of(at[0]), at[1], key(at[2]), texts.back()));
  }
  std::shuffle(order.begin(), order.end(), random);
  for (auto &at : order) {
    got.emplace_back(4, '-');
    gotOf[at] = &got.back();
    transfers.push_back(receive(job.of(at[1]), at[0], key(at[2]), got.back()));
  }
  for (Transfer &transfer : transfers)
    EXPECT_EQ(transfer.message(), "");
  for (auto &[at, text] : textOf)
    EXPECT_EQ(*gotOf[at], *text);
}

TEST(Transport, OtherSizesAreErrorsOnBothSides) {
  MemoryJob job(2, 5);
  std::string text = "hello", got(4, '-');
  Transfer sent = send(job.of(0), 1, keyOf(0), text);
  Transfer received = receive(job.of(1), 0, keyOf(0), got);
  EXPECT_THAT(sent.message(), HasSubstr("5 bytes"));
  EXPECT_THAT(received.message(), HasSubstr("5 bytes"));
}

TEST(Transport, ALostPeerFailsWhatWaitsForItAndNothingElse) {
  MemoryJob job(3, 6);
  std::string text = "hello", got(5, '-'), other(5, '-');
  Transfer early = receive(job.of(0), 1, keyOf(0), got);
  Transfer sound = receive(job.of(0), 2, keyOf(0), other);
  job.lose(1);
  EXPECT_THAT(early.message(), HasSubstr("process 1 has gone"));
  EXPECT_THAT(send(job.of(2), 1, keyOf(0), text).message(),
              HasSubstr("process 1 has gone"));
  EXPECT_EQ(send(job.of(2), 0, keyOf(0), text).message(), "");
  EXPECT_EQ(sound.message(), "");
  EXPECT_EQ(other, text);
}

TEST(Transport, CancelledRunsReturnTheirPieces) {
  MemoryJob job(2, 7);
  std::string text = "hello", later = "later", got(5, '-'), other(5, '-');
  Transfer waits = receive(job.of(0), 1, keyOf(0), got);
  Transfer sound = receive(job.of(0), 1, keyOf(1), other);
  job.of(0).cancel(keyOf(0).run);
  EXPECT_THAT(waits.message(), HasSubstr("cancelled"));
  // What the peer sends in the cancelled run is taken, and goes nowhere.
  EXPECT_EQ(send(job.of(1), 0, keyOf(0), text).message(), "");
  EXPECT_EQ(got, "-----");
  EXPECT_THAT(receive(job.of(0), 1, keyOf(0, 1), got).message(),
              HasSubstr("cancelled"));
  // Other runs go on.
  EXPECT_EQ(send(job.of(1), 0, keyOf(1), later).message(), "");
  EXPECT_EQ(sound.message(), "");
  EXPECT_EQ(other, later);
}

TEST(Transport, CallersMayHoldLocksThatDoneTakes) {
  MemoryJob job(2, 8);
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
    llvm::ArrayRef<char> from(text.data(), text.size());
    llvm::MutableArrayRef<char> to(got.data(), got.size());
    job.of(0).send(1, keyOf(0), from, done);
    job.of(1).receive(0, keyOf(0), to, done);
  }
  EXPECT_EQ(toString(all.await()), "");
}

} // namespace
