//===- option_order.cc - compile options in a fixed order -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/request/option_order.h"
#include "shardwright/mesh/hlo/proto_wire.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace shardwright;
using namespace shardwright::pjrt;

namespace {
/// A message type: its field that is a map, and its field that is a message
/// with maps. 0: none.
struct MessageType {
  int mapField = 0, nestedField = 0;
  const MessageType *nestedType = nullptr;
};

struct Field {
  int number;
  llvm::StringRef all; ///< with its tag
  llvm::StringRef content;
};
} // namespace

/// DebugOptions.xla_backend_extra_options,
/// ExecutableBuildOptionsProto.debug_options,
/// CompileOptionsProto.{env_option_overrides, executable_build_options}.
static constexpr MessageType debugOptions{357};
static constexpr MessageType buildOptions{0, 3, &debugOptions};
static constexpr MessageType compileOptions{7, 3, &buildOptions};

static llvm::StringRef keyOf(llvm::StringRef entry) {
  ProtoReader reader(entry, 0, fieldSet({1}));
  llvm::StringRef key;
  while (!reader.atEnd() && reader.next())
    if (reader.field() == 1)
      key = reader.bytes();
  return key;
}

static std::string sorted(llvm::StringRef message, const MessageType &type) {
  llvm::SmallVector<Field, 16> fields;
  llvm::SmallVector<size_t, 8> places;
  ProtoReader reader(message, 0, 0);
  for (llvm::StringRef rest = message; !reader.atEnd();) {
    if (!reader.next())
      return message.str();
    Field field{reader.anyField(), rest.drop_back(reader.remaining().size()),
                reader.bytes()};
    rest = reader.remaining();
    if (field.number == type.mapField)
      places.push_back(fields.size());
    fields.push_back(field);
  }
  std::multimap<llvm::StringRef, Field> entries;
  for (size_t place : places)
    entries.emplace(keyOf(fields[place].content), fields[place]);
  for (auto [place, entry] : llvm::zip_equal(places, entries))
    fields[place] = entry.second;
  std::string result;
  for (const Field &field : fields) {
    if (field.number == type.nestedField && type.nestedType) {
      result += field.all.drop_back(field.content.size());
      result += sorted(field.content, *type.nestedType);
    } else {
      result += field.all;
    }
  }
  return result;
}

std::string pjrt::inFixedOrder(llvm::StringRef options) {
  return sorted(options, compileOptions);
}
