//===- packet.cc - what messengers tell each other ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/job/packet.h"

#include "shardwright/support/byte_stream.h"

#include <cstring>
#include <type_traits>

using namespace shardwright;

static_assert(std::is_trivially_copyable_v<PacketHeader>);

std::vector<char> shardwright::encodePacket(const PacketHeader &header,
                                            llvm::ArrayRef<char> rest) {
  std::vector<char> bytes;
  bytes.reserve(sizeof(header) + rest.size());
  auto *begin = reinterpret_cast<const char *>(&header);
  bytes.insert(bytes.end(), begin, begin + sizeof(header));
  bytes.insert(bytes.end(), rest.begin(), rest.end());
  return bytes;
}

std::optional<PacketHeader>
shardwright::decodePacket(llvm::ArrayRef<char> bytes,
                          llvm::ArrayRef<char> &rest) {
  PacketHeader header;
  if (bytes.size() < sizeof(header))
    return std::nullopt;
  std::memcpy(static_cast<void *>(&header), bytes.data(), sizeof(header));
  rest = bytes.drop_front(sizeof(header));
  if (header.kind > PacketKind::Goodbye ||
      header.state > uint8_t(RunState::Unknown))
    return std::nullopt;
  if (header.kind == PacketKind::Message &&
      (header.value < 0 ||
       (header.isInline && header.value != int64_t(rest.size()))))
    return std::nullopt;
  return header;
}

std::vector<char> shardwright::encodeState(const ParticipantState &state) {
  cpu::ByteWriter writer;
  writer.list(state.counts, [&](const auto &entry) {
    writer.integer(entry.first);
    writer.integer(entry.second.sent);
    writer.integer(entry.second.received);
  });
  writer.string(state.where);
  std::string text = writer.take();
  return {text.begin(), text.end()};
}

std::optional<ParticipantState>
shardwright::decodeState(const PacketHeader &header,
                         llvm::ArrayRef<char> rest) {
  cpu::ByteReader reader(llvm::StringRef(rest.data(), rest.size()));
  ParticipantState state;
  state.state = RunState(header.state);
  state.numDone = header.value;
  state.isThrottled = header.flag;
  size_t count = reader.count();
  for (size_t i = 0; i < count && !reader.failed(); ++i) {
    int32_t peer = reader.id();
    int64_t sent = reader.integer();
    state.counts[peer] = {sent, reader.integer()};
  }
  state.where = reader.string().str();
  if (reader.failed())
    return std::nullopt;
  return state;
}
