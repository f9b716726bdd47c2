//===- npz_readers.cc - reads parts of arrays in .npz files ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/npz/npz.h"

#include "shardwright/runtime/npz/npz_archive.h"
#include "shardwright/runtime/npz/numpy_types.h"
#include "shardwright/runtime/npz/zip_directory.h"
#include "shardwright/support/box_copy.h"
#include "shardwright/support/error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

#include <optional>
#include <sys/mman.h>

using namespace shardwright;
using llvm::StringRef;

/// How many bytes of a map are read before its pages are given back.
static constexpr int64_t mappedLimit = 16 << 20;

namespace {

/// An open file, which its readers share.
struct NpzFile {
  NpzArchive archive;
  /// Made when it is first used; null if the file cannot be mapped.
  std::optional<llvm::sys::fs::mapped_file_region> map;
  int64_t bytesRead = 0; ///< of the map, since its pages were given back

  explicit NpzFile(NpzArchive archive) : archive(std::move(archive)) {}
  StringRef mapped();
  void noteRead(int64_t bytes);
};

/// Reads a member, and converts the elements that numpy stores otherwise.
class MemberReader : public ArrayReader {
public:
  MemberReader(std::shared_ptr<NpzFile> file, int64_t index, ElementType type,
               NpyHeader header)
      : ArrayReader(type, header.shape), file(std::move(file)), index(index),
        header(std::move(header)) {}

  llvm::Error read(const Box &box, void *to,
                   llvm::ArrayRef<int64_t> strides) final;

protected:
  /// Reads the box as the file has it.
  virtual llvm::Error readBits(const Box &box, void *to,
                               llvm::ArrayRef<int64_t> strides) = 0;

  const std::shared_ptr<NpzFile> file;
  const int64_t index;
  const NpyHeader header;
};

/// A member that is not compressed.
class MappedReader final : public MemberReader {
public:
  MappedReader(std::shared_ptr<NpzFile> file, int64_t index, ElementType type,
               NpyHeader header, const char *data)
      : MemberReader(std::move(file), index, type, std::move(header)),
        data(data) {}

private:
  llvm::Error readBits(const Box &box, void *to,
                       llvm::ArrayRef<int64_t> strides) override;

  const char *const data;
};

/// A member that is read from its begin on.
class StreamReader final : public MemberReader {
public:
  using MemberReader::MemberReader;
  bool isSequential() const override { return true; }

private:
  llvm::Error readBits(const Box &box, void *to,
                       llvm::ArrayRef<int64_t> strides) override;
  llvm::Error readRun(int64_t first, int64_t count, char *to);
  llvm::Error skipTo(int64_t first);

  std::optional<OpenMember> member;
  int64_t position = 0; ///< the number of the next element
};

/// A member that must be read as a whole.
class WholeReader final : public MemberReader {
public:
  using MemberReader::MemberReader;

private:
  llvm::Error readBits(const Box &box, void *to,
                       llvm::ArrayRef<int64_t> strides) override;

  std::optional<WholeArrayReader> whole;
};

} // namespace

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

/// The bytes of the file; none if it cannot be mapped.
StringRef NpzFile::mapped() {
  namespace fs = llvm::sys::fs;
  if (!map) {
    map.emplace();
    auto opened = fs::openNativeFileForRead(archive.path());
    if (!opened) {
      llvm::consumeError(opened.takeError());
      return "";
    }
    fs::file_status status;
    if (!fs::status(*opened, status) && status.getSize() > 0) {
      std::error_code code;
      fs::mapped_file_region region(*opened, fs::mapped_file_region::readonly,
                                    status.getSize(), 0, code);
      if (!code)
        *map = std::move(region);
    }
    fs::closeFile(*opened);
  }
  return *map ? StringRef(map->const_data(), map->size()) : StringRef();
}

/// Gives pages back from time to time, which else count as memory of the
/// process.
void NpzFile::noteRead(int64_t bytes) {
  bytesRead += bytes;
  if (bytesRead < mappedLimit)
    return;
  // posix_madvise, which LLVM calls, ignores this advice in glibc.
  madvise(const_cast<char *>(map->const_data()), map->size(), MADV_DONTNEED);
  bytesRead = 0;
}

static llvm::SmallVector<int64_t, 4>
columnMajorStrides(llvm::ArrayRef<int64_t> shape, int64_t width) {
  llvm::SmallVector<int64_t, 4> strides;
  for (int64_t size : shape) {
    strides.push_back(width);
    width *= size;
  }
  return strides;
}

llvm::Error MappedReader::readBits(const Box &box, void *to,
                                   llvm::ArrayRef<int64_t> strides) {
  int64_t width = byteWidth(type());
  auto own = header.fortranOrder ? columnMajorStrides(shape(), width)
                                 : rowMajorStrides(shape(), width);
  Windows parts(box.extent, width, mappedLimit);
  for (Box part; parts.next(part);) {
    cpu::copyBox(static_cast<char *>(to) + offsetOf(part.begin, strides),
                 strides,
                 data + offsetOf(box.begin, own) + offsetOf(part.begin, own),
                 own, part.extent, width);
    file->noteRead(product(part.extent) * width);
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

llvm::Error StreamReader::skipTo(int64_t first) {
  if (!member || first < position) {
    auto opened = file->archive.member(index);
    if (!opened)
      return opened.takeError();
    member = std::move(*opened);
    position = 0;
  }
  int64_t width = byteWidth(type()), rest = (first - position) * width;
  std::string skipped(std::min<int64_t>(rest, 1 << 20), '\0');
  for (; rest > 0; rest -= skipped.size()) {
    skipped.resize(std::min<int64_t>(rest, skipped.size()));
    if (llvm::Error e = member->read(skipped.data(), skipped.size()))
      return file->archive.inMember(index, std::move(e));
  }
  position = first;
  return llvm::Error::success();
}

llvm::Error StreamReader::readRun(int64_t first, int64_t count, char *to) {
  if (llvm::Error e = skipTo(first))
    return e;
  llvm::Error error = member->read(to, count * byteWidth(type()));
  position += count;
  if (!error && position == elements())
    error = member->readEnd();
  if (error)
    return file->archive.inMember(index, std::move(error));
  return llvm::Error::success();
}

llvm::Error StreamReader::readBits(const Box &box, void *to,
                                   llvm::ArrayRef<int64_t> strides) {
  return forEachRun(shape(), box, byteWidth(type()), to, strides,
                    [&](int64_t first, int64_t count, char *at) {
                      return readRun(first, count, at);
                    });
}

llvm::Error WholeReader::readBits(const Box &box, void *to,
                                  llvm::ArrayRef<int64_t> strides) {
  if (!whole) {
    auto member = file->archive.member(index);
    if (!member)
      return member.takeError();
    auto array = file->archive.array(index, std::move(*member));
    if (!array)
      return array.takeError();
    whole.emplace(std::move(*array));
  }
  return whole->read(box, to, strides);
}

//===----------------------------------------------------------------------===//
// Readers
//===----------------------------------------------------------------------===//

llvm::Error MemberReader::read(const Box &box, void *to,
                               llvm::ArrayRef<int64_t> strides) {
  if (llvm::Error e = readBits(box, to, strides))
    return e;
  if (type() != ElementType::Pred && !narrowBits(type()))
    return llvm::Error::success();
  return forEachRun(shape(), box, 1, to, strides,
                    [&](int64_t, int64_t count, char *at) {
                      fromNumpyBits(type(), at, count);
                      return llvm::Error::success();
                    });
}

static std::unique_ptr<ArrayReader>
makeReader(const std::shared_ptr<NpzFile> &file, int64_t index,
           const OpenMember &member, ElementType type, NpzAccess access) {
  const NpyHeader &header = member.header;
  if (access == NpzAccess::Random && member.dataBytes > 0) {
    StringRef bytes = file->mapped();
    auto stored = findStoredMember(bytes, index);
    if (stored && stored->size >= member.dataBytes)
      return std::make_unique<MappedReader>(
          file, index, type, header,
          bytes.data() + stored->offset + stored->size - member.dataBytes);
  }
  if (header.fortranOrder && header.shape.size() > 1)
    return std::make_unique<WholeReader>(file, index, type, header);
  return std::make_unique<StreamReader>(file, index, type, header);
}

llvm::Expected<std::vector<std::unique_ptr<ArrayReader>>>
shardwright::openNumberedNpz(StringRef path, StringRef prefix,
                             llvm::ArrayRef<ElementType> types,
                             NpzAccess access, CheckHeader check) {
  auto archive = NpzArchive::open(path);
  if (!archive)
    return archive.takeError();
  auto file = std::make_shared<NpzFile>(std::move(*archive));
  auto members = file->archive.numbered(prefix, types.size());
  if (!members)
    return members.takeError();
  std::vector<std::unique_ptr<ArrayReader>> readers;
  for (auto [i, index] : llvm::enumerate(*members)) {
    auto member = file->archive.member(index);
    if (!member)
      return member.takeError();
    ArrayHeader found{member->header.type, member->header.shape};
    if (check)
      if (llvm::Error e = check(i, found))
        return e;
    if (llvm::Error e = checkNumpyType(found.type, types[i]))
      return file->archive.inMember(index, std::move(e));
    readers.push_back(makeReader(file, index, *member, types[i], access));
  }
  return readers;
}
