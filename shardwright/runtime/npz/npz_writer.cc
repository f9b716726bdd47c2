//===- npz_writer.cc - writes numpy's .npz files --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/npz/npz.h"

#include "shardwright/runtime/npz/npy_header.h"
#include "shardwright/runtime/npz/numpy_types.h"
#include "shardwright/runtime/npz/zip_archive.h"
#include "shardwright/runtime/replace_file.h"
#include "shardwright/support/error.h"
#include "shardwright/support/shape.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <optional>

using namespace shardwright;
using llvm::StringRef;

namespace {

/// The bytes of a member, as libzip reads them: the header, then the elements
/// window by window.
class MemberSource {
public:
  explicit MemberSource(ArrayReader &array)
      : array(array), header(npyHeader(numpyType(array.type()), array.shape())),
        windows(array.shape(), byteWidth(array.type())) {}

  uint64_t size() const { return header.size() + array.bytes(); }
  void rewind() {
    windows = Windows(array.shape(), byteWidth(array.type()));
    rest = header;
  }
  /// The number of bytes, 0 at the end, or -1: see `takeFailure`.
  int64_t read(char *to, uint64_t most);
  std::optional<std::string> takeFailure() {
    return std::exchange(failure, std::nullopt);
  }

  /// What libzip calls. libzip owns no MemberSource.
  static zip_int64_t call(void *source, void *data, zip_uint64_t size,
                          zip_source_cmd_t command);

private:
  llvm::Error nextWindow(const Box &box);

  ArrayReader &array;
  const std::string header;
  Windows windows;
  std::shared_ptr<void> memory; ///< of a window
  StringRef rest; ///< of the header or window, what has not been read
  std::optional<std::string> failure;
};

} // namespace

llvm::Error MemberSource::nextWindow(const Box &box) {
  int64_t width = byteWidth(array.type()), count = product(box.extent);
  if (!memory) { // the first window is the largest
    auto made = Array::allocate(array.type(), box.extent);
    if (!made)
      return made.takeError();
    memory = made->storage();
  }
  auto *elements = static_cast<char *>(memory.get());
  if (llvm::Error e =
          array.read(box, elements, rowMajorStrides(box.extent, width)))
    return e;
  // The bits of narrow integers without their extension.
  if (int bits = narrowBits(array.type()))
    for (int64_t i = 0; i < count; ++i)
      elements[i] = char(elements[i] & ((1 << bits) - 1));
  rest = StringRef(elements, count * width);
  return llvm::Error::success();
}

int64_t MemberSource::read(char *to, uint64_t most) {
  uint64_t done = 0;
  while (done < most) {
    if (rest.empty()) {
      Box box;
      if (!windows.next(box))
        break;
      if (llvm::Error e = nextWindow(box)) {
        failure = toString(std::move(e));
        return -1;
      }
    }
    size_t count = std::min<uint64_t>(most - done, rest.size());
    std::memcpy(to + done, rest.data(), count);
    rest = rest.drop_front(count);
    done += count;
  }
  return int64_t(done);
}

zip_int64_t MemberSource::call(void *source, void *data, zip_uint64_t size,
                               zip_source_cmd_t command) {
  auto &self = *static_cast<MemberSource *>(source);
  switch (command) {
  case ZIP_SOURCE_SUPPORTS:
    return zip_source_make_command_bitmap(
        ZIP_SOURCE_SUPPORTS, ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE,
        ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, -1);
  case ZIP_SOURCE_OPEN:
    self.rewind();
    return 0;
  case ZIP_SOURCE_READ:
    return self.read(static_cast<char *>(data), size);
  case ZIP_SOURCE_CLOSE:
    self.memory = nullptr;
    return 0;
  case ZIP_SOURCE_STAT: {
    auto *stat = static_cast<zip_stat_t *>(data);
    zip_stat_init(stat);
    stat->size = self.size();
    stat->valid |= ZIP_STAT_SIZE;
    return sizeof *stat;
  }
  case ZIP_SOURCE_ERROR: {
    // writeNpzInWindows reports the failure itself.
    zip_error_t error;
    zip_error_init_with_code(&error, ZIP_ER_READ);
    zip_int64_t result = zip_error_to_data(&error, data, size);
    zip_error_fini(&error);
    return result;
  }
  case ZIP_SOURCE_FREE:
    return 0;
  default:
    return -1;
  }
}

/// Writes an archive without members as numpy does; libzip would write no file.
static llvm::Error writeEmptyArchive(const std::string &path) {
  return writeStream(path, [](llvm::raw_ostream &os) {
    os << StringRef("PK\5\6", 4) << std::string(18, '\0');
  });
}

/// Stores the members.
static llvm::Error
writeMembers(const std::string &path, llvm::ArrayRef<NamedReader> arrays,
             llvm::ArrayRef<std::unique_ptr<MemberSource>> contents) {
  int code = 0;
  Archive archive(zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
  if (!archive)
    return fail(zipErrorText(code));
  for (auto [array, content] : llvm::zip_equal(arrays, contents)) {
    zip_source_t *source =
        zip_source_function(archive.get(), MemberSource::call, content.get());
    if (!source)
      return fail(zip_strerror(archive.get()));
    int64_t index = zip_file_add(archive.get(), (array.name + ".npy").c_str(),
                                 source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(source);
      return fail("member '", array.name, "': ", zip_strerror(archive.get()));
    }
    // 1 January 1980, as in numpy: the file must not depend on the time.
    if (zip_set_file_compression(archive.get(), index, ZIP_CM_STORE, 0) ||
        zip_file_set_dostime(archive.get(), index, 0, 0x21, 0))
      return fail(zip_strerror(archive.get()));
  }
  if (zip_close(archive.get()) != 0)
    return fail(zip_strerror(archive.get()));
  archive.release();
  return llvm::Error::success();
}

llvm::Error shardwright::writeNpzInWindows(StringRef path,
                                           llvm::ArrayRef<NamedReader> arrays) {
  // libzip reads the sources in zip_close.
  std::vector<std::unique_ptr<MemberSource>> contents;
  for (const NamedReader &named : arrays)
    contents.push_back(std::make_unique<MemberSource>(*named.array));
  llvm::Error written = replaceFile(path, [&](const std::string &temporary) {
    return arrays.empty() ? writeEmptyArchive(temporary)
                          : writeMembers(temporary, arrays, contents);
  });
  if (!written)
    return written;
  for (const auto &content : contents)
    if (auto failure = content->takeFailure()) {
      llvm::consumeError(std::move(written));
      return fail(*failure);
    }
  return fail(path, ": cannot write: ", toString(std::move(written)));
}

llvm::Error shardwright::writeNpz(StringRef path,
                                  llvm::ArrayRef<NamedArray> arrays) {
  std::vector<WholeArrayReader> readers;
  readers.reserve(arrays.size());
  std::vector<NamedReader> named;
  for (const NamedArray &array : arrays)
    named.push_back({array.name, &readers.emplace_back(array.array)});
  return writeNpzInWindows(path, named);
}
