//===- zip_directory.cc - where a zip file stores its members -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/npz/zip_directory.h"

#include "llvm/Support/Endian.h"

using namespace shardwright;
using llvm::StringRef;

namespace {

uint64_t read16(StringRef at, size_t offset) {
  return llvm::support::endian::read16le(at.data() + offset);
}
uint64_t read32(StringRef at, size_t offset) {
  return llvm::support::endian::read32le(at.data() + offset);
}
uint64_t read64(StringRef at, size_t offset) {
  return llvm::support::endian::read64le(at.data() + offset);
}

/// The bytes from `offset` on, if there are at least `size`.
std::optional<StringRef> from(StringRef file, uint64_t offset, uint64_t size) {
  if (offset > file.size() || file.size() - offset < size)
    return std::nullopt;
  return file.drop_front(offset);
}

constexpr StringRef endMark("PK\5\6", 4), end64Mark("PK\6\6", 4),
    locator64Mark("PK\6\7", 4), entryMark("PK\1\2", 4), localMark("PK\3\4", 4);
constexpr uint64_t endBytes = 22, locator64Bytes = 20, end64Bytes = 56,
                   entryBytes = 46, localBytes = 30;

/// The offset of the central directory.
std::optional<uint64_t> findDirectory(StringRef file) {
  if (file.size() < endBytes)
    return std::nullopt;
  // A comment of at most 65,535 bytes follows the end record.
  constexpr size_t mostComment = 0xffff;
  size_t first = file.size() - std::min(file.size(), endBytes + mostComment);
  size_t at = file.drop_front(first).rfind(endMark);
  if (at == StringRef::npos)
    return std::nullopt;
  at += first;
  auto end = from(file, at, endBytes);
  if (!end)
    return std::nullopt;
  uint64_t directory = read32(*end, 16);
  if (directory != 0xffffffff)
    return directory;
  auto locator = at < locator64Bytes
                     ? std::nullopt
                     : from(file, at - locator64Bytes, locator64Bytes);
  if (!locator || !locator->starts_with(locator64Mark))
    return std::nullopt;
  auto end64 = from(file, read64(*locator, 8), end64Bytes);
  if (!end64 || !end64->starts_with(end64Mark))
    return std::nullopt;
  return read64(*end64, 48);
}

/// Replaces 32-bit fields that are full by those of the zip64 extra field,
/// which holds the full ones only, in this order. False: it lacks some.
bool readZip64(StringRef extra, uint64_t &size, uint64_t &compressed,
               uint64_t &offset) {
  while (extra.size() >= 4) {
    uint64_t id = read16(extra, 0), bytes = read16(extra, 2);
    extra = extra.drop_front(4);
    if (bytes > extra.size())
      return false;
    StringRef fields = extra.take_front(bytes);
    extra = extra.drop_front(bytes);
    if (id != 1)
      continue;
    for (uint64_t *value : {&size, &compressed, &offset}) {
      if (*value != 0xffffffff)
        continue;
      if (fields.size() < 8)
        return false;
      *value = read64(fields, 0);
      fields = fields.drop_front(8);
    }
  }
  return size != 0xffffffff && compressed != 0xffffffff && offset != 0xffffffff;
}

} // namespace

std::optional<StoredMember> shardwright::findStoredMember(StringRef file,
                                                          int64_t index) {
  std::optional<uint64_t> at = findDirectory(file);
  for (int64_t i = 0; at; ++i) {
    auto entry = from(file, *at, entryBytes);
    if (!entry || !entry->starts_with(entryMark))
      return std::nullopt;
    uint64_t nameBytes = read16(*entry, 28), extraBytes = read16(*entry, 30);
    uint64_t commentBytes = read16(*entry, 32);
    uint64_t whole = entryBytes + nameBytes + extraBytes + commentBytes;
    if (entry->size() < whole)
      return std::nullopt;
    if (i < index) {
      *at += whole;
      continue;
    }
    uint64_t flags = read16(*entry, 8), method = read16(*entry, 10);
    uint64_t compressed = read32(*entry, 20), size = read32(*entry, 24),
             offset = read32(*entry, 42);
    bool isEncrypted = flags & 1;
    if (method != 0 || isEncrypted ||
        !readZip64(entry->substr(entryBytes + nameBytes, extraBytes), size,
                   compressed, offset) ||
        size != compressed)
      return std::nullopt;
    // The lengths of name and extra field may differ in the local header.
    auto local = from(file, offset, localBytes);
    if (!local || !local->starts_with(localMark))
      return std::nullopt;
    uint64_t begin =
        offset + localBytes + read16(*local, 26) + read16(*local, 28);
    if (!from(file, begin, size))
      return std::nullopt;
    return StoredMember{begin, size};
  }
  return std::nullopt;
}
