//===- npz.cc - reads numpy's .npz files ----------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/npz/npz.h"

#include "shardwright/runtime/npz/npy_header.h"
#include "shardwright/runtime/npz/zip_archive.h"
#include "shardwright/runtime/npz/zip_directory.h"
#include "shardwright/support/box_copy.h"
#include "shardwright/support/error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstring>
#include <optional>

using namespace shardwright;
using llvm::StringRef;

namespace {
struct MemberCloser {
  void operator()(zip_file_t *f) const { zip_fclose(f); }
};
using Member = std::unique_ptr<zip_file_t, MemberCloser>;
} // namespace

/// Reads exactly `size` bytes.
static llvm::Error readBytes(zip_file_t *member, char *to, uint64_t size) {
  while (size > 0) {
    int64_t got =
        zip_fread(member, to, std::min<uint64_t>(size, uint64_t(1) << 30));
    if (got < 0)
      return fail(zip_file_strerror(member));
    if (got == 0)
      return fail("ends too early");
    to += got;
    size -= got;
  }
  return llvm::Error::success();
}

namespace {
/// A member whose header has been read and whose elements are next.
struct OpenMember {
  Member file;
  NpyHeader header;
  uint64_t dataBytes = 0;
};

/// An open archive.
class Reader {
public:
  static llvm::Expected<Reader> open(StringRef path);

  int64_t count() const { return zip_get_num_entries(archive.get(), 0); }
  /// The name without `.npy`; empty if it has no such suffix.
  StringRef nameOf(int64_t index) const {
    StringRef name = fullNameOf(index);
    return name.consume_back(".npy") ? name : "";
  }
  llvm::Expected<OpenMember> member(int64_t index) const {
    llvm::Expected<OpenMember> opened = tryMember(index);
    if (!opened)
      return inMember(index, opened.takeError());
    return opened;
  }
  /// The elements of a member in the mapped file; none if they must be
  /// converted.
  std::optional<Array> mapped(int64_t index, const OpenMember &member) {
    const NpyHeader &header = member.header;
    if (header.type == ElementType::Pred || member.dataBytes == 0 ||
        (header.fortranOrder && header.shape.size() > 1))
      return std::nullopt;
    if (!map) {
      auto opened = llvm::MemoryBuffer::getFile(
          path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
      if (!opened)
        return std::nullopt;
      map = std::move(*opened);
    }
    std::optional<StoredMember> stored =
        findStoredMember(map->getBuffer(), index);
    if (!stored || stored->size < member.dataBytes)
      return std::nullopt;
    const char *data = map->getBufferStart() + stored->offset + stored->size -
                       member.dataBytes;
    return Array(header.type, header.shape,
                 std::shared_ptr<void>(map, const_cast<char *>(data)));
  }
  llvm::Expected<Array> array(int64_t index, OpenMember member) const {
    llvm::Expected<Array> read = tryArray(std::move(member));
    if (!read)
      return inMember(index, read.takeError());
    return read;
  }

private:
  StringRef fullNameOf(int64_t index) const {
    const char *raw = zip_get_name(archive.get(), index, ZIP_FL_ENC_RAW);
    return raw ? raw : "";
  }
  llvm::Error inMember(int64_t index, llvm::Error e) const {
    StringRef name = fullNameOf(index);
    name.consume_back(".npy");
    return fail(path, ": member '", name, "': ", toString(std::move(e)));
  }
  llvm::Expected<OpenMember> tryMember(int64_t index) const;
  static llvm::Expected<Array> tryArray(OpenMember member);

  std::string path;
  uint64_t fileBytes = 0;
  Archive archive;
  std::shared_ptr<llvm::MemoryBuffer> map; ///< large files are not read
};
} // namespace

llvm::Expected<Reader> Reader::open(StringRef path) {
  Reader reader;
  reader.path = path.str();
  if (std::error_code code = llvm::sys::fs::file_size(path, reader.fileBytes))
    return fail(path, ": cannot read: ", code.message());
  int code = 0;
  reader.archive.reset(zip_open(reader.path.c_str(), ZIP_RDONLY, &code));
  if (!reader.archive)
    return fail(path, ": cannot read as npz: ", zipErrorText(code));
  for (int64_t i = 0; i < reader.count(); ++i)
    if (!reader.fullNameOf(i).ends_with(".npy"))
      return reader.inMember(i, fail("not an .npy array"));
  return reader;
}

llvm::Expected<OpenMember> Reader::tryMember(int64_t index) const {
  zip_stat_t stat;
  if (zip_stat_index(archive.get(), index, 0, &stat) != 0)
    return fail(zip_strerror(archive.get()));
  // libzip does not check these sizes against the file: a corrupted size must
  // not cause a huge allocation. Deflate compresses by 1032 at most.
  if (!(stat.valid & ZIP_STAT_SIZE) || !(stat.valid & ZIP_STAT_COMP_SIZE) ||
      stat.comp_size > fileBytes || stat.size / 1040 > stat.comp_size)
    return fail("its size is not possible in a file of ", fileBytes, " bytes");
  OpenMember member;
  member.file.reset(zip_fopen_index(archive.get(), index, 0));
  if (!member.file)
    return fail(zip_strerror(archive.get()));

  std::string head(std::min<uint64_t>(stat.size, npyPrefixBytes), '\0');
  if (llvm::Error e = readBytes(member.file.get(), head.data(), head.size()))
    return e;
  llvm::Expected<size_t> headBytes = npyHeaderBytes(head);
  if (!headBytes)
    return headBytes.takeError();
  if (*headBytes > stat.size || *headBytes < head.size())
    return fail("npy header ends too early");
  // The header of an array of 32 dimensions has a few hundred bytes.
  constexpr size_t mostHeadBytes = 1 << 20;
  if (*headBytes > mostHeadBytes)
    return fail("its npy header of ", *headBytes,
                " bytes exceeds the limit of ", mostHeadBytes);
  size_t have = head.size();
  head.resize(*headBytes);
  if (llvm::Error e =
          readBytes(member.file.get(), head.data() + have, head.size() - have))
    return e;
  llvm::Expected<NpyHeader> header = parseNpyHeader(head);
  if (!header)
    return header.takeError();

  member.dataBytes = stat.size - *headBytes;
  uint64_t need = byteWidth(header->type);
  for (int64_t size : header->shape)
    if (__builtin_mul_overflow(need, uint64_t(size), &need))
      return fail("its shape overflows 64 bits");
  if (need != member.dataBytes)
    return fail(str(header->type, header->shape), " takes ", need,
                " bytes, but there are ", member.dataBytes);
  member.header = std::move(*header);
  return member;
}

llvm::Expected<Array> Reader::tryArray(OpenMember member) {
  const NpyHeader &header = member.header;
  zip_file_t *file = member.file.get();
  llvm::Expected<Array> array = Array::allocate(header.type, header.shape);
  if (!array)
    return array;
  if (llvm::Error e =
          readBytes(file, static_cast<char *>(array->data()), member.dataBytes))
    return e;
  // Reading the end checks the CRC.
  char extra;
  if (int64_t more = zip_fread(file, &extra, 1))
    return fail(more < 0 ? zip_file_strerror(file)
                         : "goes on after its last element");

  if (header.type == ElementType::Pred) {
    // In numpy any non-zero byte is true; kernels require 1.
    auto *bytes = static_cast<uint8_t *>(array->data());
    for (int64_t i = 0; i < array->elements(); ++i)
      bytes[i] = bytes[i] != 0;
  }
  if (!header.fortranOrder || header.shape.size() < 2)
    return array;
  llvm::Expected<Array> rowMajor = Array::allocate(header.type, header.shape);
  if (!rowMajor)
    return rowMajor;
  int64_t width = byteWidth(header.type);
  llvm::SmallVector<int64_t, 4> columnStrides;
  int64_t stride = width;
  for (int64_t size : header.shape) {
    columnStrides.push_back(stride);
    stride *= size;
  }
  cpu::copyBox(rowMajor->data(), cpu::rowMajorStrides(header.shape, width),
               array->data(), columnStrides, header.shape, width);
  return rowMajor;
}

llvm::Expected<std::vector<NamedHeader>>
shardwright::readNpzHeaders(StringRef path) {
  llvm::Expected<Reader> reader = Reader::open(path);
  if (!reader)
    return reader.takeError();
  std::vector<NamedHeader> headers;
  for (int64_t i = 0, e = reader->count(); i < e; ++i) {
    llvm::Expected<OpenMember> member = reader->member(i);
    if (!member)
      return member.takeError();
    headers.push_back(
        {reader->nameOf(i).str(), {member->header.type, member->header.shape}});
  }
  return headers;
}

llvm::Expected<std::vector<NamedArray>> shardwright::readNpz(StringRef path) {
  llvm::Expected<Reader> reader = Reader::open(path);
  if (!reader)
    return reader.takeError();
  std::vector<NamedArray> arrays;
  for (int64_t i = 0, e = reader->count(); i < e; ++i) {
    llvm::Expected<OpenMember> member = reader->member(i);
    if (!member)
      return member.takeError();
    llvm::Expected<Array> array = reader->array(i, std::move(*member));
    if (!array)
      return array.takeError();
    arrays.push_back({reader->nameOf(i).str(), std::move(*array)});
  }
  return arrays;
}

/// The number in a name such as `arg12` with prefix `arg`, if it has this form.
static std::optional<int64_t> numberOf(StringRef name, StringRef prefix) {
  StringRef number = name;
  int64_t index;
  if (!number.consume_front(prefix) || number.empty() ||
      !llvm::all_of(number, llvm::isDigit) || number.getAsInteger(10, index) ||
      name != (prefix + llvm::Twine(index)).str())
    return std::nullopt;
  return index;
}

static llvm::Expected<std::vector<Array>>
readNumbered(StringRef path, StringRef prefix, int64_t count, CheckHeader check,
             bool maps) {
  llvm::Expected<Reader> reader = Reader::open(path);
  if (!reader)
    return reader.takeError();
  // Like numpy, use the last of several members of one name. Find all members
  // before reading elements.
  std::vector<int64_t> members(count, -1);
  for (int64_t i = 0, e = reader->count(); i < e; ++i) {
    StringRef name = reader->nameOf(i);
    std::optional<int64_t> index = numberOf(name, prefix);
    if (!index)
      continue;
    if (*index >= count)
      return fail(path, ": array '", name, "' is one too many; ", count,
                  " expected, from '", prefix, "0' on");
    members[*index] = i;
  }
  for (int64_t i = 0; i < count; ++i)
    if (members[i] < 0)
      return fail(path, ": no array '", prefix, i, "'; ", count,
                  " expected, from '", prefix, "0' on");
  std::vector<Array> arrays;
  for (bool readsElements : {false, true})
    for (int64_t i = 0; i < count; ++i) {
      llvm::Expected<OpenMember> member = reader->member(members[i]);
      if (!member)
        return member.takeError();
      if (!readsElements) {
        if (check)
          if (llvm::Error e =
                  check(i, {member->header.type, member->header.shape}))
            return e;
        continue;
      }
      if (maps)
        if (auto mapped = reader->mapped(members[i], *member)) {
          arrays.push_back(std::move(*mapped));
          continue;
        }
      llvm::Expected<Array> array =
          reader->array(members[i], std::move(*member));
      if (!array)
        return array.takeError();
      arrays.push_back(std::move(*array));
    }
  return arrays;
}

llvm::Expected<std::vector<Array>>
shardwright::readNumberedNpz(StringRef path, StringRef prefix, int64_t count,
                             CheckHeader check) {
  return readNumbered(path, prefix, count, check, /*maps=*/false);
}

llvm::Expected<std::vector<Array>>
shardwright::mapNumberedNpz(StringRef path, StringRef prefix, int64_t count,
                            CheckHeader check) {
  return readNumbered(path, prefix, count, check, /*maps=*/true);
}
