//===- kernel_cache.cc - compiled kernels on disk -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/jit/kernel_cache.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <unistd.h>

using namespace llvm;

namespace shardwright::cpu {

// File format: magic, checksum of the object, object.
static constexpr StringLiteral magic("shardwright kernels 1\n");
static constexpr StringLiteral extension(".swk");
static constexpr size_t headerBytes = magic.size() + 32;
/// A used object gets a new modification time if its time is older than this.
static constexpr std::chrono::minutes markEvery(10);

static std::array<uint8_t, 32> checksum(StringRef bytes) {
  BLAKE3 hasher;
  hasher.update(bytes);
  return hasher.final<32>();
}

static int64_t bytesOfEnvironment() {
  const char *text = std::getenv("SHARDWRIGHT_KERNEL_CACHE_SIZE");
  StringRef rest = text ? text : "";
  uint64_t number = 0;
  if (rest.empty() || rest.consumeInteger(10, number))
    return 0;
  int shift = StringSwitch<int>(rest.trim())
                  .Case("KiB", 10)
                  .Case("MiB", 20)
                  .Case("GiB", 30)
                  .Case("TiB", 40)
                  .Default(0);
  return number > (uint64_t(INT64_MAX) >> shift) ? INT64_MAX
                                                 : int64_t(number << shift);
}

KernelCache::KernelCache(std::string d, std::string t, int64_t most)
    : directory(std::move(d)), target(std::move(t)),
      maxBytes(most > 0 ? most : bytesOfEnvironment()) {
  if (maxBytes == 0)
    maxBytes = defaultBytes;
  (void)sys::fs::create_directories(directory, /*IgnoreExisting=*/true,
                                    sys::fs::owner_all);
}

/// Returns why others may have written the file or directory; empty if they
/// cannot.
static std::string whyUnsafe(const sys::fs::file_status &status) {
  if (status.getUser() != geteuid() && status.getUser() != 0)
    return "it belongs to another user";
  if (status.permissions() & (sys::fs::group_write | sys::fs::others_write))
    return "users other than its owner can write it";
  return "";
}

std::string KernelCache::distrust() const {
  sys::fs::file_status status;
  // A missing directory is reported when it is written to.
  if (sys::fs::status(directory, status))
    return "";
  return whyUnsafe(status);
}

std::string KernelCache::pathOf(StringRef symbol) const {
  BLAKE3 hasher;
  hasher.update(target);
  hasher.update(";");
  hasher.update(symbol);
  BLAKE3Result<16> name = hasher.final<16>();
  SmallString<128> path(directory);
  sys::path::append(path, toHex(ArrayRef<uint8_t>(name), /*LowerCase=*/true) +
                              extension);
  return std::string(path);
}

std::optional<KernelCache::Found> KernelCache::find(StringRef symbol) const {
  Found found{pathOf(symbol), {}};
  if (sys::fs::getUniqueID(found.path, found.id))
    return std::nullopt;
  return found;
}

/// Updates the modification time, by which `trim` finds unused objects.
static void mark(StringRef path) {
  sys::fs::file_status status;
  auto now = std::chrono::system_clock::now();
  if (sys::fs::status(path, status) ||
      now - status.getLastModificationTime() < markEvery)
    return;
  int fd;
  if (sys::fs::openFileForReadWrite(path, fd, sys::fs::CD_OpenExisting,
                                    sys::fs::OF_None))
    return;
  (void)sys::fs::setLastAccessAndModificationTime(fd, now);
  sys::fs::file_t file = sys::fs::convertFDToNativeFile(fd);
  (void)sys::fs::closeFile(file);
}

Expected<std::unique_ptr<MemoryBuffer>>
KernelCache::load(const Found &found) const {
  auto unreadable = [](std::error_code e) {
    return createStringError(e, "it cannot be read");
  };
  auto opened = sys::fs::openNativeFileForRead(found.path);
  if (!opened)
    return unreadable(errorToErrorCode(opened.takeError()));
  llvm::scope_exit close([&] { (void)sys::fs::closeFile(*opened); });
  // Check the open file: its name may refer to another file by now.
  sys::fs::file_status status;
  if (std::error_code e = sys::fs::status(*opened, status))
    return unreadable(e);
  if (std::string why = whyUnsafe(status); !why.empty())
    return createStringError(why);
  auto file = MemoryBuffer::getOpenFile(*opened, found.path, status.getSize(),
                                        /*RequiresNullTerminator=*/false);
  if (!file)
    return unreadable(file.getError());
  StringRef all = (*file)->getBuffer();
  StringRef object = all.drop_front(std::min(headerBytes, all.size()));
  auto sum = checksum(object);
  if (!all.starts_with(magic) || all.size() <= headerBytes ||
      all.substr(magic.size(), sum.size()) != toStringRef(ArrayRef(sum))) {
    (void)sys::fs::remove(found.path);
    return createStringError("it is damaged");
  }
  mark(found.path);
  return MemoryBuffer::getMemBufferCopy(object, found.path);
}

/// Writes a new file at `path` atomically.
static Error writeWhole(StringRef path, StringRef object) {
  SmallString<128> temporary;
  int fd;
  if (std::error_code e = sys::fs::createUniqueFile(
          path + ".%%%%%%%%", fd, temporary, sys::fs::OF_None,
          sys::fs::owner_read | sys::fs::owner_write))
    return createStringError(e, "%s cannot be written: %s", path.str().c_str(),
                             e.message().c_str());
  std::error_code error;
  {
    raw_fd_ostream os(fd, /*shouldClose=*/true);
    os << magic << toStringRef(ArrayRef(checksum(object))) << object;
    os.close();
    error = os.error();
    os.clear_error();
  }
  if (!error)
    error = sys::fs::rename(temporary, path);
  if (!error)
    return Error::success();
  (void)sys::fs::remove(temporary);
  return createStringError(error, "%s cannot be written: %s",
                           path.str().c_str(), error.message().c_str());
}

/// True if the directory may exceed its limit. The last known size of each
/// directory is kept, so that a write need not stat all objects.
static bool mayBeFull(const std::string &directory, int64_t added,
                      int64_t maxBytes) {
  static std::mutex mutex;
  static auto *sizes = new std::map<std::string, int64_t>;
  std::lock_guard lock(mutex);
  auto [it, isNew] = sizes->try_emplace(directory, 0);
  it->second += added;
  if (!isNew && it->second < maxBytes / 8)
    return false;
  it->second = 0;
  return true;
}

Error KernelCache::store(ArrayRef<std::string> symbols,
                         StringRef object) const {
  std::string first = pathOf(symbols.front());
  if (Error e = writeWhole(first, object))
    return e;
  for (const std::string &symbol : symbols.drop_front()) {
    // Replace an existing file: it may be damaged.
    std::string path = pathOf(symbol);
    SmallString<128> temporary;
    if (!sys::fs::getPotentiallyUniqueFileName(path + ".%%%%%%%%", temporary) &&
        !sys::fs::create_hard_link(first, temporary)) {
      std::error_code failed = sys::fs::rename(temporary, path);
      // rename() does nothing if both names link to the same file.
      (void)sys::fs::remove(temporary);
      if (!failed)
        continue;
    }
    if (Error e = writeWhole(path, object)) // no links on this file system
      return e;
  }
  if (mayBeFull(directory, object.size() + headerBytes, maxBytes))
    trim();
  return Error::success();
}

int64_t KernelCache::trim() const {
  struct Object {
    sys::TimePoint<> used;
    int64_t bytes = 0;
    std::vector<std::string> names;
  };
  std::map<sys::fs::UniqueID, Object> objects;
  int64_t total = 0;
  std::error_code error;
  for (sys::fs::directory_iterator it(directory, error), end;
       it != end && !error; it.increment(error)) {
    sys::fs::file_status status;
    // Temporary files of killed writers count and are removed too.
    if (!StringRef(it->path()).contains(extension) ||
        sys::fs::status(it->path(), status) ||
        status.type() != sys::fs::file_type::regular_file)
      continue;
    Object &object = objects[status.getUniqueID()];
    if (object.names.empty())
      total += status.getSize();
    object.used = status.getLastModificationTime();
    object.bytes = status.getSize();
    object.names.push_back(it->path());
  }
  if (total <= maxBytes)
    return total;
  std::vector<const Object *> oldest;
  for (auto &[id, object] : objects)
    oldest.push_back(&object);
  llvm::sort(oldest, [](const Object *a, const Object *b) {
    return std::tie(a->used, a->names) < std::tie(b->used, b->names);
  });
  for (const Object *object : oldest) {
    if (total <= maxBytes / 5 * 4)
      break;
    for (const std::string &name : object->names)
      (void)sys::fs::remove(name);
    total -= object->bytes;
  }
  return total;
}

} // namespace shardwright::cpu
