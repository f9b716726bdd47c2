//===- proto_wire.h - read and write protocol buffers -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The wire format of proto3, for shardings, compile options and HLO modules.
// The protobuf library would be larger than this layer, and would conflict with
// XLA's copy of it in the same process.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_MESH_HLO_PROTO_WIRE_H
#define SHARDWRIGHT_MESH_HLO_PROTO_WIRE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <initializer_list>
#include <string>

namespace shardwright {

/// Writes fields in the order of the calls. Omits zeros and empty strings, as
/// proto3 does, but never messages.
class ProtoWriter {
public:
  void varint(int field, int64_t value) {
    if (value == 0)
      return;
    raw(uint64_t(field) << 3);
    raw(value);
  }
  void string(int field, llvm::StringRef value) {
    if (!value.empty())
      message(field, value);
  }
  void message(int field, llvm::StringRef value) {
    raw(uint64_t(field) << 3 | 2);
    raw(value.size());
    bytes += value;
  }
  void packed(int field, llvm::ArrayRef<int64_t> values) {
    if (values.empty())
      return;
    ProtoWriter list;
    for (int64_t value : values)
      list.raw(value);
    message(field, list.bytes);
  }
  std::string take() { return std::move(bytes); }

private:
  void raw(uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      bytes += char(value | 0x80);
    bytes += char(value);
  }
  std::string bytes;
};

/// A set of field numbers below 32.
constexpr uint32_t fieldSet(std::initializer_list<int> numbers) {
  uint32_t set = 0;
  for (int number : numbers)
    set |= 1u << number;
  return set;
}

/// Reads one field after another. Views the given bytes. A field of another
/// wire type than its message declares counts as unknown and gets number 0.
class ProtoReader {
public:
  /// `varints` and `lengths`: the integer fields of the message, and the fields
  /// that are messages, strings or packed (repeated integers are in both).
  ProtoReader(llvm::StringRef bytes, uint32_t varints, uint32_t lengths)
      : rest(bytes), varints(varints), lengths(lengths) {}
  /// For messages whose fields are read with anyField() and wire().
  explicit ProtoReader(llvm::StringRef bytes) : ProtoReader(bytes, 0, 0) {}
  bool atEnd() const { return rest.empty(); }
  /// Reads a field; false if the bytes are malformed.
  bool next() {
    if (!read())
      return false;
    anyNumber = number;
    uint32_t allowed = wireType == 0 ? varints : wireType == 2 ? lengths : 0;
    if (number >= 32 || !(allowed >> number & 1))
      number = 0;
    return true;
  }
  int field() const { return number; }
  /// The number of the field whether the message knows it or not.
  int anyField() const { return anyNumber; }
  /// How the field was written, known or not.
  enum class Wire { Varint = 0, Fixed64 = 1, Length = 2, Fixed32 = 5 };
  Wire wire() const { return Wire(wireType); }
  /// The bytes behind the field.
  llvm::StringRef remaining() const { return rest; }
  int64_t varint() const { return value; }
  /// The value of a field of type int32 or enum.
  int32_t varint32() const { return value; }
  /// The content of a field with a length; the 4 or 8 bytes of a fixed one.
  llvm::StringRef bytes() const { return content; }
  /// Appends the elements of a repeated integer, packed or not.
  bool repeated(llvm::SmallVectorImpl<int64_t> &out, bool is32 = false) const {
    if (wireType != 0)
      return packed(content, out, is32);
    out.push_back(is32 ? int32_t(value) : int64_t(value));
    return true;
  }
  /// Appends the integers that are packed in `list`.
  static bool packed(llvm::StringRef list, llvm::SmallVectorImpl<int64_t> &out,
                     bool is32 = false) {
    while (!list.empty()) {
      uint64_t element;
      if (!raw(list, element))
        return false;
      out.push_back(is32 ? int32_t(element) : int64_t(element));
    }
    return true;
  }

private:
  bool read() {
    uint64_t tag, length;
    value = 0;
    content = {};
    if (!raw(rest, tag) || (tag >> 3) == 0 || (tag >> 3) > (1u << 29))
      return false;
    number = tag >> 3;
    switch (wireType = tag & 7) {
    case 0:
      return raw(rest, value);
    case 1:
      return skip(8);
    case 2:
      if (!raw(rest, length) || length > rest.size())
        return false;
      content = rest.take_front(length);
      rest = rest.drop_front(length);
      return true;
    case 5:
      return skip(4);
    default:
      return false;
    }
  }
  static bool raw(llvm::StringRef &from, uint64_t &value) {
    value = 0;
    for (int shift = 0; shift < 64 && !from.empty(); shift += 7) {
      uint8_t byte = from.front();
      from = from.drop_front();
      value |= uint64_t(byte & 0x7f) << shift;
      if (byte < 0x80)
        return true;
    }
    return false;
  }
  bool skip(size_t size) {
    if (rest.size() < size)
      return false;
    content = rest.take_front(size);
    rest = rest.drop_front(size);
    return true;
  }

  llvm::StringRef rest, content;
  uint32_t varints, lengths;
  uint64_t value = 0;
  int number = 0, anyNumber = 0, wireType = 0;
};

} // namespace shardwright

#endif // SHARDWRIGHT_MESH_HLO_PROTO_WIRE_H
