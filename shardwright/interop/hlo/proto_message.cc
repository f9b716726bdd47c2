//===- proto_message.cc - messages that were checked when read ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/hlo/proto_message.h"

#include "shardwright/mesh/hlo/proto_wire.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Endian.h"

using namespace shardwright;
using namespace shardwright::hlo;
using llvm::StringRef;
using llvm::Twine;

const FieldSpec *MessageSpec::find(int number) const {
  const FieldSpec *found =
      llvm::lower_bound(fields, number, [](const FieldSpec &field, int n) {
        return field.number < n;
      });
  return found != fields.end() && found->number == number ? found : nullptr;
}

/// True if a field of this specification may be written this way. Elements of
/// a repeated number are written one by one or packed.
static bool accepts(const FieldSpec &field, ProtoReader::Wire wire) {
  using Wire = ProtoReader::Wire;
  switch (field.type) {
  case FieldType::Int32:
  case FieldType::Int64:
    return wire == Wire::Varint || (field.isRepeated && wire == Wire::Length);
  case FieldType::Float:
    return wire == Wire::Fixed32 || (field.isRepeated && wire == Wire::Length);
  case FieldType::Double:
    return wire == Wire::Fixed64 || (field.isRepeated && wire == Wire::Length);
  default:
    return wire == Wire::Length;
  }
}

static bool isUtf8(StringRef text) {
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.data());
  return llvm::isLegalUTF8String(&begin, begin + text.size());
}

static llvm::Error fieldError(const MessageSpec &spec, const FieldSpec &field,
                              const Twine &what) {
  return llvm::createStringError("field '" + Twine(field.name) +
                                 "' of message " + spec.name + " " + what);
}

static llvm::Error check(StringRef bytes, const MessageSpec &spec, int depth);

static llvm::Error checkField(const ProtoReader &reader,
                              const MessageSpec &spec, const FieldSpec &field,
                              int depth) {
  StringRef content = reader.bytes();
  bool isPacked = reader.wire() == ProtoReader::Wire::Length;
  switch (field.type) {
  case FieldType::Int32:
  case FieldType::Int64: {
    llvm::SmallVector<int64_t> elements;
    if (!reader.repeated(elements))
      return fieldError(spec, field, "is not a list of integers");
    break;
  }
  case FieldType::Float:
  case FieldType::Double: {
    size_t size = field.type == FieldType::Float ? 4 : 8;
    if (isPacked && content.size() % size != 0)
      return fieldError(spec, field,
                        "has " + Twine(content.size()) +
                            " bytes, expected a multiple of " + Twine(size));
    break;
  }
  case FieldType::String:
    if (!isUtf8(content))
      return fieldError(spec, field, "is not UTF-8");
    break;
  case FieldType::Bytes:
    break;
  case FieldType::Message:
    return check(content, *field.message, depth + 1);
  }
  return llvm::Error::success();
}

static llvm::Error check(StringRef bytes, const MessageSpec &spec, int depth) {
  if (depth > maxMessageNesting)
    return llvm::createStringError("messages nest deeper than " +
                                   Twine(maxMessageNesting) +
                                   " levels, in message " + Twine(spec.name));
  llvm::SmallSet<int, 16> seen;
  for (ProtoReader reader(bytes); !reader.atEnd();) {
    if (!reader.next())
      return llvm::createStringError("message " + Twine(spec.name) +
                                     " is not a protocol buffer");
    const FieldSpec *field = spec.find(reader.anyField());
    if (!field || !accepts(*field, reader.wire()))
      continue;
    if (!field->isRepeated && !seen.insert(field->number).second)
      return fieldError(spec, *field, "occurs twice");
    if (llvm::Error e = checkField(reader, spec, *field, depth))
      return e;
  }
  return llvm::Error::success();
}

llvm::Error hlo::checkMessage(StringRef bytes, const MessageSpec &spec) {
  return check(bytes, spec, 0);
}

ProtoMessage::ProtoMessage(StringRef bytes, const MessageSpec &spec)
    : spec(&spec) {
  for (ProtoReader reader(bytes); !reader.atEnd() && reader.next();) {
    const FieldSpec *field = spec.find(reader.anyField());
    if (!field || !accepts(*field, reader.wire()))
      continue;
    bool isVarint = reader.wire() == ProtoReader::Wire::Varint;
    int64_t value =
        field->type == FieldType::Int32 ? reader.varint32() : reader.varint();
    fields.push_back({field->number, isVarint, value, reader.bytes()});
  }
}

const ProtoMessage::Field *ProtoMessage::find(int field) const {
  const auto *found =
      llvm::find_if(fields, [&](const Field &f) { return f.number == field; });
  return found == fields.end() ? nullptr : found;
}

int64_t ProtoMessage::integer(int field) const {
  const Field *found = find(field);
  return found ? found->value : 0;
}

float ProtoMessage::real(int field) const {
  StringRef content = bytes(field);
  return content.size() == 4
             ? llvm::bit_cast<float>(
                   llvm::support::endian::read32le(content.data()))
             : 0.0f;
}

double ProtoMessage::realDouble(int field) const {
  StringRef content = bytes(field);
  return content.size() == 8
             ? llvm::bit_cast<double>(
                   llvm::support::endian::read64le(content.data()))
             : 0.0;
}

StringRef ProtoMessage::bytes(int field) const {
  const Field *found = find(field);
  return found ? found->content : StringRef();
}

llvm::SmallVector<int64_t> ProtoMessage::integers(int field) const {
  llvm::SmallVector<int64_t> elements;
  const FieldSpec *declared = spec ? spec->find(field) : nullptr;
  if (!declared)
    return elements;
  bool is32 = declared->type == FieldType::Int32;
  for (const Field &f : fields) {
    if (f.number != field)
      continue;
    if (f.isVarint)
      elements.push_back(f.value);
    else
      ProtoReader::packed(f.content, elements, is32);
  }
  return elements;
}

std::string ProtoMessage::fixed(int field) const {
  std::string elements;
  for (const Field &f : fields)
    if (f.number == field)
      elements += f.content;
  return elements;
}

llvm::SmallVector<StringRef> ProtoMessage::strings(int field) const {
  llvm::SmallVector<StringRef> all;
  for (const Field &f : fields)
    if (f.number == field)
      all.push_back(f.content);
  return all;
}

ProtoMessage ProtoMessage::message(int field) const {
  const FieldSpec *declared = spec ? spec->find(field) : nullptr;
  const Field *found = find(field);
  return found && declared && declared->message
             ? ProtoMessage(found->content, *declared->message)
             : ProtoMessage();
}

llvm::SmallVector<ProtoMessage, 0> ProtoMessage::messages(int field) const {
  llvm::SmallVector<ProtoMessage, 0> all;
  const FieldSpec *declared = spec ? spec->find(field) : nullptr;
  if (!declared || !declared->message)
    return all;
  for (const Field &f : fields)
    if (f.number == field)
      all.emplace_back(f.content, *declared->message);
  return all;
}
