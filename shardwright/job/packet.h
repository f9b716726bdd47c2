//===- packet.h - what messengers tell each other ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The packets of messenger.h and their encoding. All processes of a job run the
// same build on machines of the same byte order, which is checked when the job
// is opened, so that fields have their form in memory.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_JOB_PACKET_H
#define SHARDWRIGHT_JOB_PACKET_H

#include "shardwright/job/transport.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace shardwright {

enum class PacketKind : uint8_t {
  // About single messages.
  Message,  ///< header, and the bytes of short messages
  GoAhead,  ///< the receiver waits for the payload with the tag
  Withdraw, ///< the message with the tag is not wanted; no payload follows
  // About runs.
  Abort,    ///< the run has failed
  Mismatch, ///< the sender runs another program
  // About deadlocks.
  Quiet,  ///< to the lowest participant: the run only waits in the sender
  Ask,    ///< from there to all participants: what is the state of the run?
  Answer, ///< the state
  SendOn, ///< the run may send beyond the limit of owned bytes
  // About processes.
  Ping,
  Pong,
  Goodbye, ///< the sender leaves the job in order
};

/// What every packet begins with. Fields that a kind does not use are zero.
struct PacketHeader {
  PacketKind kind = PacketKind::Message;
  uint8_t isInline = 0; ///< Message: its bytes follow
  /// Abort: verbatim; Mismatch: wants an answer; Answer: throttled.
  uint8_t flag = 0;
  uint8_t state = 0; ///< Answer, Pong: a RunState
  /// Of the payload of a longer message; number of a Ping, Ask and its Answer.
  uint32_t tag = 0;
  RunKey run;
  MessageKey key;
  uint64_t programHash = 0;
  int64_t value = 0; ///< Message: bytes; Abort: position; Answer: numDone
};

/// What a process has done with a run.
enum class RunState : uint8_t {
  NotStarted,
  Busy,
  Quiet,    ///< only waits for messages of peers
  Finished, ///< has succeeded
  Unknown,  ///< the question was about no run
};

/// Numbers of messages exchanged with a peer in a run, with the withdrawals of
/// messages in the other direction.
struct MessageCounts {
  int64_t sent = 0, received = 0;
  friend bool operator==(const MessageCounts &,
                         const MessageCounts &) = default;
};

/// A participant's state in the recognition of a deadlock.
struct ParticipantState {
  RunState state = RunState::NotStarted;
  int64_t numDone = 0; ///< transfers
  std::map<int32_t, MessageCounts> counts;
  std::string where;        ///< it waits
  bool isThrottled = false; ///< it waits to send owned bytes
};

std::vector<char> encodePacket(const PacketHeader &header,
                               llvm::ArrayRef<char> rest = {});
/// The number of bytes before `rest`.
constexpr int64_t packetHeaderBytes = sizeof(PacketHeader);
/// Returns the header, and sets `rest` to the bytes behind it; nothing if the
/// packet is malformed.
std::optional<PacketHeader> decodePacket(llvm::ArrayRef<char> bytes,
                                         llvm::ArrayRef<char> &rest);

/// The `rest` of an Answer.
std::vector<char> encodeState(const ParticipantState &state);
std::optional<ParticipantState> decodeState(const PacketHeader &header,
                                            llvm::ArrayRef<char> rest);

} // namespace shardwright

#endif // SHARDWRIGHT_JOB_PACKET_H
