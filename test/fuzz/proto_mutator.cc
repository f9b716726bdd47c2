//===- proto_mutator.cc - mutates protocol buffers ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "proto_mutator.h"

#include "shardwright/mesh/hlo/proto_wire.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>
#include <memory>
#include <random>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t limit);

using namespace shardwright;

namespace {

using Wire = ProtoReader::Wire;

/// A field, and the fields in it if its bytes are a message.
struct Field {
  int number = 0;
  Wire wire = Wire::Varint;
  uint64_t value = 0;
  std::string bytes;
  std::vector<Field> fields;
};

constexpr int mostNesting = 24;

/// False if the bytes are not a message.
bool parse(llvm::StringRef bytes, std::vector<Field> &fields, int depth = 0) {
  for (ProtoReader reader(bytes); !reader.atEnd();) {
    if (!reader.next())
      return false;
    Field &field = fields.emplace_back();
    field.number = reader.anyField();
    field.wire = reader.wire();
    field.value = reader.varint();
    field.bytes = reader.bytes().str();
    if (field.wire == Wire::Length && !field.bytes.empty() &&
        depth < mostNesting && !parse(field.bytes, field.fields, depth + 1))
      field.fields.clear();
  }
  return true;
}

void appendVarint(std::string &out, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    out += char(value | 0x80);
  out += char(value);
}

std::string write(const std::vector<Field> &fields) {
  std::string out;
  for (const Field &field : fields) {
    appendVarint(out, uint64_t(field.number) << 3 | uint64_t(field.wire));
    if (field.wire == Wire::Varint) {
      appendVarint(out, field.value);
      continue;
    }
    std::string content =
        field.fields.empty() ? field.bytes : write(field.fields);
    if (field.wire == Wire::Length)
      appendVarint(out, content.size());
    out += content;
  }
  return out;
}

class Mutator {
public:
  explicit Mutator(unsigned seed) : random(seed) {}

  void run(std::vector<Field> &root) {
    for (int count = 1 + below(3); count > 0; --count)
      once(root);
  }

private:
  uint64_t below(uint64_t limit) { return limit ? random() % limit : 0; }

  /// The lists of fields at all depths.
  static void collect(std::vector<Field> &fields,
                      std::vector<std::vector<Field> *> &lists) {
    if (fields.empty())
      return;
    lists.push_back(&fields);
    for (Field &field : fields)
      collect(field.fields, lists);
  }

  std::vector<Field> &anyList(std::vector<Field> &root) {
    std::vector<std::vector<Field> *> lists;
    collect(root, lists);
    return lists.empty() ? root : *lists[below(lists.size())];
  }

  uint64_t interesting(uint64_t old) {
    switch (below(8)) {
    case 0:
      return old + 1;
    case 1:
      return old - 1;
    case 2:
      return -old;
    case 3:
      return uint64_t(1) << below(64);
    case 4:
      return INT64_MAX - below(2);
    case 5:
      return old ^ (uint64_t(1) << below(64));
    default:
      return below(40);
    }
  }

  void changeContent(Field &field) {
    if (field.wire == Wire::Varint) {
      field.value = interesting(field.value);
      return;
    }
    field.fields.clear();
    size_t room = field.wire == Wire::Length ? field.bytes.size() + 16
                                             : field.bytes.size();
    std::string buffer = field.bytes;
    buffer.resize(room);
    size_t size = LLVMFuzzerMutate(reinterpret_cast<uint8_t *>(buffer.data()),
                                   field.bytes.size(), room);
    if (field.wire == Wire::Length)
      buffer.resize(size);
    field.bytes = std::move(buffer);
  }

  void once(std::vector<Field> &root) {
    std::vector<Field> &list = anyList(root);
    if (list.empty())
      return;
    size_t at = below(list.size());
    switch (below(8)) {
    case 0:
      list.erase(list.begin() + at);
      return;
    case 1:
      list.insert(list.begin() + at, Field(list[at]));
      return;
    case 2:
      std::swap(list[at], list[below(list.size())]);
      return;
    case 3: {
      // The content of a field of the same number elsewhere.
      std::vector<Field> &other = anyList(root);
      for (int tries = 0; tries < 8 && !other.empty(); ++tries) {
        Field from = other[below(other.size())];
        if (from.number != list[at].number || from.wire != list[at].wire)
          continue;
        list[at] = std::move(from);
        return;
      }
      return;
    }
    case 4: {
      std::vector<Field> &other = anyList(root);
      if (other.empty())
        return;
      Field from = other[below(other.size())];
      list.insert(list.begin() + at, std::move(from));
      return;
    }
    case 5:
      list[at].number = 1 + below(99);
      return;
    default:
      changeContent(list[at]);
    }
  }

  std::mt19937_64 random;
};

} // namespace

size_t fuzz::mutateProto(uint8_t *data, size_t size, size_t limit,
                         unsigned seed) {
  std::vector<Field> root;
  if (seed % 16 == 0 || !parse({reinterpret_cast<char *>(data), size}, root) ||
      root.empty())
    return LLVMFuzzerMutate(data, size, limit);
  Mutator(seed).run(root);
  std::string bytes = write(root);
  if (bytes.empty() || bytes.size() > limit)
    return LLVMFuzzerMutate(data, size, limit);
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}
