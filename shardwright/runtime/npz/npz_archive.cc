//===- npz_archive.cc - an npz file that is being read --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/npz/npz_archive.h"

#include "shardwright/runtime/npz/numpy_types.h"
#include "shardwright/support/box_copy.h"
#include "shardwright/support/error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <optional>

using namespace shardwright;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

llvm::Error OpenMember::read(char *to, uint64_t size) {
  while (size > 0) {
    int64_t got =
        zip_fread(file.get(), to, std::min<uint64_t>(size, uint64_t(1) << 30));
    if (got < 0)
      return fail(zip_file_strerror(file.get()));
    if (got == 0)
      return fail("ends too early");
    to += got;
    size -= got;
  }
  return llvm::Error::success();
}

llvm::Error OpenMember::readEnd() {
  // Reading the end checks the CRC.
  char extra;
  if (int64_t more = zip_fread(file.get(), &extra, 1))
    return fail(more < 0 ? zip_file_strerror(file.get())
                         : "goes on after its last element");
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static StringRef fullNameOf(zip_t *archive, int64_t index) {
  const char *raw = zip_get_name(archive, index, ZIP_FL_ENC_RAW);
  return raw ? raw : "";
}

StringRef NpzArchive::nameOf(int64_t index) const {
  StringRef full = fullNameOf(archive.get(), index);
  full.consume_back(".npy");
  return full;
}

llvm::Error NpzArchive::inMember(int64_t index, llvm::Error e) const {
  return fail(name, ": member '", nameOf(index), "': ", toString(std::move(e)));
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

llvm::Expected<std::vector<int64_t>>
NpzArchive::numbered(StringRef prefix, int64_t wanted) const {
  std::vector<int64_t> members(wanted, -1);
  for (int64_t i = 0, e = count(); i < e; ++i) {
    std::optional<int64_t> index = numberOf(nameOf(i), prefix);
    if (!index)
      continue;
    if (*index >= wanted)
      return fail(name, ": array '", nameOf(i), "' is unexpected; ", wanted,
                  " expected, from '", prefix, "0' on");
    members[*index] = i;
  }
  for (int64_t i = 0; i < wanted; ++i)
    if (members[i] < 0)
      return fail(name, ": no array '", prefix, i, "'; ", wanted,
                  " expected, from '", prefix, "0' on");
  return members;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

llvm::Expected<NpzArchive> NpzArchive::open(StringRef path) {
  NpzArchive reader;
  reader.name = path.str();
  if (std::error_code code = llvm::sys::fs::file_size(path, reader.fileBytes))
    return fail(path, ": cannot read: ", code.message());
  int code = 0;
  reader.archive.reset(zip_open(reader.name.c_str(), ZIP_RDONLY, &code));
  if (!reader.archive)
    return fail(path, ": cannot read as npz: ", zipErrorText(code));
  for (int64_t i = 0; i < reader.count(); ++i)
    if (!fullNameOf(reader.archive.get(), i).ends_with(".npy"))
      return reader.inMember(i, fail("not an .npy array"));
  return reader;
}

llvm::Expected<OpenMember> NpzArchive::member(int64_t index) const {
  llvm::Expected<OpenMember> opened = tryMember(index);
  if (!opened)
    return inMember(index, opened.takeError());
  return opened;
}

llvm::Expected<Array> NpzArchive::array(int64_t index,
                                        OpenMember member) const {
  llvm::Expected<Array> read = tryArray(std::move(member));
  if (!read)
    return inMember(index, read.takeError());
  return read;
}

llvm::Expected<OpenMember> NpzArchive::tryMember(int64_t index) const {
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
  if (llvm::Error e = member.read(head.data(), head.size()))
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
  if (llvm::Error e = member.read(head.data() + have, head.size() - have))
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

llvm::Expected<Array> NpzArchive::tryArray(OpenMember member) {
  const NpyHeader &header = member.header;
  llvm::Expected<Array> array = Array::allocate(header.type, header.shape);
  if (!array)
    return array;
  if (llvm::Error e =
          member.read(static_cast<char *>(array->data()), member.dataBytes))
    return e;
  if (llvm::Error e = member.readEnd())
    return e;
  fromNumpyBits(header.type, array->data(), array->elements());
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
