//===- tcp_stream.cc - one connection of the TCP engine -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/job/tcp_stream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/uio.h>

using namespace shardwright;
using namespace shardwright::tcp;

/// Bytes of a payload in one frame: packets wait for no more.
static constexpr size_t partBytes = 2 << 20;
/// Bytes after which other connections have their turn.
static constexpr size_t turnBytes = 4 << 20;

//===----------------------------------------------------------------------===//
// Sending
//===----------------------------------------------------------------------===//

bool OutStream::beginFrame() {
  at = 0;
  if (!packets.empty()) {
    body = packets.front();
    header = {FrameKind::Packet, 0, body.size()};
  } else if (!payloads.empty()) {
    const Payload &payload = payloads.front();
    body = payload.bytes.drop_front(payload.at);
    body = body.take_front(std::min(body.size(), partBytes));
    header = {FrameKind::Payload, payload.tag, body.size()};
  } else {
    return false;
  }
  isInFrame = true;
  return true;
}

void OutStream::endFrame(std::vector<Engine::Done> &sent) {
  isInFrame = false;
  if (header.kind == FrameKind::Packet) {
    packets.pop_front();
    return;
  }
  Payload payload = std::move(payloads.front());
  payloads.pop_front();
  payload.at += body.size();
  if (payload.at == payload.bytes.size())
    sent.push_back(std::move(payload.done));
  else // payloads take turns
    payloads.push_back(std::move(payload));
}

Progress OutStream::write(int socket, std::vector<Engine::Done> &sent) {
  size_t total = 0;
  while (isInFrame || beginFrame()) {
    iovec parts[2];
    msghdr message = {};
    message.msg_iov = parts;
    if (at < sizeof(header))
      parts[message.msg_iovlen++] = {reinterpret_cast<char *>(&header) + at,
                                     sizeof(header) - at};
    llvm::ArrayRef<char> rest =
        body.drop_front(at > sizeof(header) ? at - sizeof(header) : 0);
    if (!rest.empty())
      parts[message.msg_iovlen++] = {const_cast<char *>(rest.data()),
                                     rest.size()};
    ssize_t size = sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR)
      continue;
    if (size < 0)
      return errno == EAGAIN || errno == EWOULDBLOCK ? Progress::Blocked
                                                     : Progress::Ended;
    at += size;
    total += size;
    if (at == sizeof(header) + body.size())
      endFrame(sent);
    if (total > turnBytes)
      return isEmpty() ? Progress::Blocked : Progress::More;
  }
  return Progress::Blocked;
}

std::vector<Engine::Done> OutStream::clear() {
  std::vector<Engine::Done> all;
  for (Payload &payload : payloads)
    all.push_back(std::move(payload.done));
  payloads.clear();
  packets.clear();
  isInFrame = false;
  return all;
}

//===----------------------------------------------------------------------===//
// Receiving
//===----------------------------------------------------------------------===//

Progress InStream::read(int socket, User &user) {
  size_t total = 0;
  while (total <= turnBytes) {
    ssize_t size;
    // Straight to its place, unless the buffer takes the rest and more.
    bool isDirect = destination && begin == end && left > bufferBytes / 4;
    if (isDirect) {
      size = recv(socket, destination->to.data() + destination->at, left,
                  MSG_DONTWAIT);
    } else {
      if (begin != 0) {
        std::memmove(buffer.data(), buffer.data() + begin, end - begin);
        end -= begin;
        begin = 0;
      }
      size =
          recv(socket, buffer.data() + end, buffer.size() - end, MSG_DONTWAIT);
    }
    if (size < 0 && errno == EINTR)
      continue;
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      return Progress::Blocked;
    if (size <= 0)
      return Progress::Ended;
    total += size;
    if (isDirect) {
      advance(user, size);
    } else {
      end += size;
      if (!parse(user))
        return Progress::Ended;
    }
  }
  return Progress::More;
}

/// Takes complete frames from the buffer; false if one is malformed.
bool InStream::parse(User &user) {
  while (begin < end) {
    if (destination) {
      size_t size = std::min(left, end - begin);
      std::memcpy(destination->to.data() + destination->at,
                  buffer.data() + begin, size);
      begin += size;
      advance(user, size);
      continue;
    }
    FrameHeader header;
    if (end - begin < sizeof(header))
      return true;
    std::memcpy(&header, buffer.data() + begin, sizeof(header));
    if (header.kind == FrameKind::Payload) {
      begin += sizeof(header);
      if (!beginPayload(header, user))
        return false;
      continue;
    }
    if (header.kind != FrameKind::Packet ||
        header.size > size_t(Engine::maxPacketBytes))
      return false;
    if (end - begin < sizeof(header) + header.size)
      return true;
    begin += sizeof(header);
    llvm::ArrayRef<char> bytes(buffer.data() + begin, header.size);
    begin += header.size;
    user.takePacket(bytes);
  }
  return true;
}

bool InStream::beginPayload(const FrameHeader &header, User &user) {
  Destination *found = user.find(header.tag);
  if (!found || header.size > found->to.size() - found->at)
    return false;
  if (header.size == 0) { // the sender has given up
    user.finish(header.tag, false);
    return true;
  }
  destination = found;
  tag = header.tag;
  left = header.size;
  return true;
}

/// Bytes of the payload have come to their place.
void InStream::advance(User &user, size_t size) {
  destination->at += size;
  left -= size;
  if (left != 0)
    return;
  bool isComplete = destination->at == destination->to.size();
  destination = nullptr;
  if (isComplete)
    user.finish(tag, true);
}
