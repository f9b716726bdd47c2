//===- optimized_program.cc - collectives of another compiler's program ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_client/optimized_program.h"

#include "shardwright/mesh/hlo/proto_wire.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace shardwright;
using namespace shardwright::pjrt_client;

static constexpr llvm::StringLiteral kinds[] = {
    "all-gather",           "all-reduce",         "all-to-all",
    "collective-broadcast", "collective-permute", "reduce-scatter"};

namespace {

/// Reads xla.HloModuleProto.
class HloReader {
public:
  bool readModule(llvm::StringRef bytes) {
    return fields(bytes, {3}, [&](int, llvm::StringRef computation) {
      return fields(computation, {2}, [&](int, llvm::StringRef instruction) {
        return readInstruction(instruction);
      });
    });
  }
  std::map<std::string, CollectiveCount> counts;

private:
  /// Visits fields of a message that are messages or strings.
  template <typename Visit>
  static bool fields(llvm::StringRef bytes, std::initializer_list<int> wanted,
                     Visit visit) {
    ProtoReader reader(bytes, 0, fieldSet(wanted));
    while (!reader.atEnd()) {
      if (!reader.next())
        return false;
      if (reader.field() && !visit(reader.field(), reader.bytes()))
        return false;
    }
    return true;
  }
  bool readInstruction(llvm::StringRef bytes);
  /// Bytes of an array, or of all arrays of a tuple.
  static bool readShape(llvm::StringRef bytes, int64_t &size,
                        std::vector<llvm::StringRef> &parts, int depth = 0);
};

} // namespace

/// Bytes of an element of xla.PrimitiveType; 0 for tuples, tokens and others.
static int64_t widthOf(int64_t type) {
  switch (type) {
  case 4:  // S32
  case 8:  // U32
  case 11: // F32
    return 4;
  case 5:  // S64
  case 9:  // U64
  case 12: // F64
  case 15: // C64
    return 8;
  case 3:  // S16
  case 7:  // U16
  case 10: // F16
  case 16: // BF16
    return 2;
  case 18: // C128
    return 16;
  case 0:
  case 13: // TUPLE
  case 14: // OPAQUE_TYPE
  case 17: // TOKEN
    return 0;
  default:
    return 1;
  }
}

bool HloReader::readShape(llvm::StringRef bytes, int64_t &size,
                          std::vector<llvm::StringRef> &parts, int depth) {
  constexpr int kMostDepth = 8;
  if (depth > kMostDepth)
    return false;
  int64_t type = 0;
  llvm::SmallVector<int64_t, 6> dims;
  ProtoReader reader(bytes, fieldSet({2, 3}), fieldSet({3, 4}));
  while (!reader.atEnd()) {
    if (!reader.next())
      return false;
    if (reader.field() == 2)
      type = reader.varint();
    else if (reader.field() == 3 && !reader.repeated(dims))
      return false;
    else if (reader.field() == 4) {
      std::vector<llvm::StringRef> inner;
      if (depth == 0)
        parts.push_back(reader.bytes());
      if (!readShape(reader.bytes(), size, inner, depth + 1))
        return false;
    }
  }
  int64_t own = widthOf(type);
  for (int64_t dim : dims)
    if (dim < 0 || __builtin_mul_overflow(own, dim, &own))
      return false;
  return !__builtin_add_overflow(size, own, &size);
}

bool HloReader::readInstruction(llvm::StringRef bytes) {
  llvm::StringRef opcode, shape;
  if (!fields(bytes, {2, 3}, [&](int field, llvm::StringRef value) {
        (field == 2 ? opcode : shape) = value;
        return true;
      }))
    return false;
  bool isStart = opcode.consume_back("-start");
  if (!llvm::is_contained(kinds, opcode))
    return true;
  std::vector<llvm::StringRef> parts;
  int64_t size = 0;
  if (!readShape(shape, size, parts))
    return false;
  // (operands, results, ...)
  if (isStart && parts.size() > 1) {
    std::vector<llvm::StringRef> inner;
    size = 0;
    if (!readShape(parts[1], size, inner))
      return false;
  }
  CollectiveCount &count = counts[opcode.str()];
  ++count.count;
  count.resultBytes += size;
  return true;
}

/// Counts `stablehlo.all_reduce` in the text of a module.
static std::map<std::string, CollectiveCount>
countInText(llvm::StringRef text) {
  std::map<std::string, CollectiveCount> counts;
  for (llvm::StringRef kind : kinds) {
    std::string name = "stablehlo." + kind.str();
    std::replace(name.begin(), name.end(), '-', '_');
    for (llvm::StringRef rest = text;;) {
      auto [before, after] = rest.split(name);
      if (before.size() == rest.size())
        break;
      if (after.empty() ||
          !(llvm::isAlnum(after.front()) || after.front() == '_'))
        ++counts[kind.str()].count;
      rest = after;
    }
  }
  return counts;
}

std::optional<std::vector<CollectiveCount>>
pjrt_client::countCollectives(llvm::StringRef format, llvm::StringRef code) {
  std::map<std::string, CollectiveCount> counts;
  if (format == "mlir") {
    counts = countInText(code);
  } else if (format == "hlo" || format == "hlo_with_config") {
    llvm::StringRef module = code;
    if (format == "hlo_with_config") {
      ProtoReader reader(code, 0, fieldSet({1}));
      while (!reader.atEnd()) {
        if (!reader.next())
          return std::nullopt;
        if (reader.field() == 1)
          module = reader.bytes();
      }
    }
    HloReader reader;
    if (!reader.readModule(module))
      return std::nullopt;
    counts = std::move(reader.counts);
  } else {
    return std::nullopt;
  }
  std::vector<CollectiveCount> list;
  for (auto &[kind, count] : counts) {
    count.kind = kind;
    list.push_back(count);
  }
  return list;
}
