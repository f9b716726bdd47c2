//===- proto_message.h - messages that were checked when read ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Messages of protocol buffers by field number. `checkMessage` checks a message
// and all messages in it once, without recursion beyond a limit. After that
// reading fields cannot fail: a field that is absent has its default value, as
// in proto3, and fields that the specification does not list are ignored.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_HLO_PROTO_MESSAGE_H
#define SHARDWRIGHT_INTEROP_HLO_PROTO_MESSAGE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>

namespace shardwright::hlo {

enum class FieldType : uint8_t {
  Int32,   ///< also enums
  Int64,   ///< also bool and unsigned integers
  Float,   ///< 4 bytes
  Double,  ///< 8 bytes
  String,  ///< UTF-8
  Bytes,   ///< also messages that another reader checks
  Message, ///< checked with the field's specification
};

struct MessageSpec;

struct FieldSpec {
  int number;
  const char *name;
  FieldType type;
  bool isRepeated = false;
  const MessageSpec *message = nullptr;
};

/// The fields of a message that we read, by increasing number.
struct MessageSpec {
  const char *name;
  llvm::ArrayRef<FieldSpec> fields;

  /// Null if the field is not read.
  const FieldSpec *find(int number) const;
};

/// Limit of messages in messages: shapes and literals of tuples nest.
inline constexpr int maxMessageNesting = 64;

/// Returns an error that names message and field if the bytes are not a
/// message, a string is not UTF-8, a field that is not repeated occurs twice,
/// or messages nest too deeply. A field of another wire type than its
/// specification's is ignored, as in proto3.
llvm::Error checkMessage(llvm::StringRef bytes, const MessageSpec &spec);

/// The fields of one message. Views bytes that `checkMessage` accepted.
class ProtoMessage {
public:
  /// An empty message.
  ProtoMessage() = default;
  ProtoMessage(llvm::StringRef bytes, const MessageSpec &spec);

  bool has(int field) const { return find(field) != nullptr; }
  int64_t integer(int field) const;
  bool flag(int field) const { return integer(field) != 0; }
  float real(int field) const;
  /// A field of type double.
  double realDouble(int field) const;
  llvm::StringRef bytes(int field) const;
  /// The integers of a repeated field, packed or not.
  llvm::SmallVector<int64_t> integers(int field) const;
  /// Elements of a repeated float or double as little-endian bytes.
  std::string fixed(int field) const;
  /// Elements of a repeated string.
  llvm::SmallVector<llvm::StringRef> strings(int field) const;
  /// A message; an absent one is empty.
  ProtoMessage message(int field) const;
  llvm::SmallVector<ProtoMessage, 0> messages(int field) const;

private:
  struct Field {
    int number;
    bool isVarint;
    int64_t value;
    llvm::StringRef content;
  };
  const Field *find(int field) const;

  const MessageSpec *spec = nullptr;
  llvm::SmallVector<Field, 8> fields;
};

} // namespace shardwright::hlo

#endif // SHARDWRIGHT_INTEROP_HLO_PROTO_MESSAGE_H
