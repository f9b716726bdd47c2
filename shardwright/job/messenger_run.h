//===- messenger_run.h - what a messenger knows of a run --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The records of messenger.h. They are used with its mutex only.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_JOB_MESSENGER_RUN_H
#define SHARDWRIGHT_JOB_MESSENGER_RUN_H

#include "shardwright/job/packet.h"
#include "shardwright/job/transport.h"

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace shardwright::messenger {

using Clock = std::chrono::steady_clock;

/// A message to a peer, until the peer has it or does not want it.
struct Send {
  RunKey run;
  MessageKey key;
  llvm::ArrayRef<char> bytes;
  std::shared_ptr<const char> owner; ///< of the bytes, in sendOwned
  Transport::Done done;              ///< null: has been called
  bool isUnderWay = false;           ///< the engine has the bytes
  Clock::time_point since;
};

struct Receive {
  int32_t peer = 0;
  MessageKey key;
  llvm::MutableArrayRef<char> to;
  std::shared_ptr<void> owner;
  Transport::Done done; ///< null: has been called
  Clock::time_point since;
};

/// A message whose header has arrived, without a receive.
struct Arrived {
  uint64_t programHash = 0;
  int64_t size = 0;
  bool isInline = false;
  uint32_t tag = 0;        ///< of the payload
  std::vector<char> bytes; ///< of an inline message
};

/// A report that a run does nothing but wait.
struct QuietReport {
  int64_t numDone = 0;
  std::string where;
  bool isThrottled = false;
  Clock::time_point sendAt;
  Clock::duration interval; ///< until the next reminder
};

using PeerAndKey = std::pair<int32_t, MessageKey>;

/// A run that has been opened here, or of which packets have arrived before.
struct Run {
  bool isOpen = false;
  RunDescription description; ///< if open
  llvm::unique_function<void(RunFailure)> fail;
  /// Of a run that is not open: with which it will fail.
  std::optional<RunFailure> failure;

  std::map<PeerAndKey, Arrived> arrived;
  /// Without a header.
  std::map<PeerAndKey, std::shared_ptr<Receive>> receives;
  /// Receives whose payload is under way.
  std::set<std::shared_ptr<Receive>> receiving;
  int32_t numSending = 0; ///< sends whose payload is under way
  /// Of sends whose payload failed because the peer is lost.
  std::vector<Transport::Done> failedSends;
  std::map<int32_t, MessageCounts> counts;
  int64_t numDone = 0; ///< transfers that are done, or are about to be
  std::optional<QuietReport> quiet;
  std::set<int32_t> mismatches; ///< peers that have been told ours
  /// When a line about a wait for a peer is due, in how long after its start.
  std::map<int32_t, Clock::duration> lateAfter;
};

/// What is remembered of a closed run.
struct ClosedRun {
  uint64_t programHash = 0;
  std::string name, devices;
  bool hasSucceeded = false;
  llvm::SmallVector<int32_t, 8> participants;
  ParticipantState state;
};

/// The closed runs: whether a run is closed is known for good, details for the
/// last thousand.
class ClosedRuns {
public:
  void add(const RunKey &key, ClosedRun details);
  bool contains(const RunKey &key) const;
  /// Null if it is not known any more.
  const ClosedRun *find(const RunKey &key) const;
  ClosedRun *find(const RunKey &key);

private:
  /// Of a device set: all launches below `below`, and those in `above`.
  struct Launches {
    uint64_t below = 0;
    std::set<uint64_t> above;
  };
  std::map<uint64_t, Launches> launches;
  std::map<RunKey, ClosedRun> details;
  std::deque<RunKey> order;
};

enum class PeerState : uint8_t { Connected, Ended, Lost };

struct Peer {
  PeerState state = PeerState::Connected;
  std::string why; ///< it is lost
  uint32_t nextTag = 0;
  std::map<uint32_t, std::shared_ptr<Send>> sends; ///< by tag
  int64_t ownedBytes = 0;
  Clock::time_point lastPacket = Clock::now();
  /// When a ping was sent that has not been answered.
  std::optional<Clock::time_point> pingedAt;
  Clock::time_point lastPing{}; ///< when one was sent
  /// What the last answer said about the run that was asked for.
  RunKey askedRun;
  RunState runState = RunState::Unknown;
};

/// The question of a lowest participant whether a run is deadlocked.
struct Round {
  uint32_t number = 0;
  llvm::SmallVector<int32_t, 8> participants;
  std::map<int32_t, ParticipantState> answers;
  /// Those of the question before, if this is the second.
  std::optional<std::map<int32_t, ParticipantState>> earlier;
};

} // namespace shardwright::messenger

#endif // SHARDWRIGHT_JOB_MESSENGER_RUN_H
