//===- tcp_stream.h - one connection of the TCP engine ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A connection carries frames: a header, and the bytes of a packet or of a part
// of a payload.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_JOB_TCP_STREAM_H
#define SHARDWRIGHT_JOB_TCP_STREAM_H

#include "shardwright/job/engine.h"

#include <deque>
#include <map>
#include <vector>

namespace shardwright::tcp {

enum class FrameKind : uint32_t { Packet, Payload };

struct FrameHeader {
  FrameKind kind = FrameKind::Packet;
  uint32_t tag = 0; ///< of a payload
  uint64_t size = 0;
};

/// What reading or writing a socket has come to.
enum class Progress {
  Blocked, ///< the socket can take or give no more for now
  More,    ///< there may be more, but others should have their turn
  Ended,   ///< the connection
};

/// What is sent on a socket. Not thread-safe.
class OutStream {
public:
  void addPacket(std::vector<char> bytes) {
    packets.push_back(std::move(bytes));
  }
  void addPayload(uint32_t tag, llvm::ArrayRef<char> bytes, Engine::Done done) {
    payloads.push_back({tag, bytes, 0, false, std::move(done)});
  }
  bool isEmpty() const {
    return !isInFrame && packets.empty() && payloads.empty();
  }
  /// Sends what the socket takes without blocking. Adds the `done` of payloads
  /// that have been sent. Blocked also if there is nothing more.
  Progress write(int socket, std::vector<Engine::Done> &sent);
  /// Removes everything; returns the `done` of payloads.
  std::vector<Engine::Done> clear();

private:
  struct Payload {
    uint32_t tag;
    llvm::ArrayRef<char> bytes;
    size_t at;
    bool isBegun;
    Engine::Done done;
  };
  bool beginFrame();
  void endFrame(std::vector<Engine::Done> &sent);

  std::deque<std::vector<char>> packets;
  std::deque<Payload> payloads;
  /// The frame under way: of the first packet or payload.
  bool isInFrame = false;
  FrameHeader header;
  llvm::ArrayRef<char> body;
  size_t at = 0; ///< bytes sent of header and body
};

/// What is received from a socket.
class InStream {
public:
  InStream() : buffer(bufferBytes) {}

  /// Where the payload of a tag goes; called before it is sent.
  struct Destination {
    llvm::MutableArrayRef<char> to;
    size_t at = 0;
    Engine::Done done;
  };
  /// Reads what the socket gives without blocking. Calls `takePacket` for each
  /// packet; `find` returns the destination of a tag, or null, and stays valid
  /// until `finish` is called with true, or with false if the sender has given
  /// up. False from a callback or malformed frames end the connection.
  struct User {
    virtual ~User() = default;
    virtual void takePacket(llvm::ArrayRef<char> bytes) = 0;
    virtual Destination *find(uint32_t tag) = 0;
    virtual void finish(uint32_t tag, bool isGood) = 0;
  };
  Progress read(int socket, User &user);

private:
  static constexpr size_t bufferBytes = 2 * Engine::maxPacketBytes;
  bool parse(User &user);
  bool beginPayload(const FrameHeader &header, User &user);
  void advance(User &user, size_t size);

  std::vector<char> buffer;
  size_t begin = 0, end = 0;
  /// The part of a payload under way.
  Destination *destination = nullptr;
  uint32_t tag = 0;
  size_t left = 0;
};

} // namespace shardwright::tcp

#endif // SHARDWRIGHT_JOB_TCP_STREAM_H
