//===- persistent_cache.cc - compiled programs in a directory -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/jit/persistent_cache.h"

#include "shardwright/frontend/base/config.h"
#include "shardwright/frontend/base/warning.h"
#include "shardwright/frontend/jit/saved_program.h"
#include "shardwright/frontend/mesh/device.h"
#include "shardwright/runtime/client.h"
#include "shardwright/runtime/replace_file.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <fcntl.h>
#include <sys/stat.h>
#include <tuple>

namespace shardwright::frontend {
namespace {

std::string pathOf(const std::string &key) {
  llvm::SmallString<256> path(config::compilationCacheDir.get());
  llvm::sys::path::append(path, key);
  return path.str().str();
}

/// A problem with the directory: a warning, unless the settings want an error.
Status report(const std::string &doing, const LoweredProgram &lowered,
              const std::string &why) {
  std::string text =
      cat("Error ", doing, " persistent compilation cache entry for 'jit_",
          lowered.request.name, "': ", why);
  if (config::raisePersistentCacheErrors.get())
    return makeError(ErrorKind::Runtime, text);
  warn(text);
  return {};
}

/// Deletes the files that were not used for the longest time, until the rest
/// fits. Other processes may delete the same ones.
void evict(int64_t limit) {
  struct Entry {
    llvm::sys::TimePoint<> used;
    int64_t bytes;
    std::string path;
  };
  std::vector<Entry> entries;
  int64_t total = 0;
  std::error_code problem;
  for (llvm::sys::fs::directory_iterator
           at(config::compilationCacheDir.get(), problem),
       end;
       at != end && !problem; at.increment(problem)) {
    llvm::sys::fs::file_status status;
    if (llvm::sys::fs::status(at->path(), status) ||
        status.type() != llvm::sys::fs::file_type::regular_file)
      continue;
    entries.push_back({status.getLastModificationTime(),
                       static_cast<int64_t>(status.getSize()), at->path()});
    total += entries.back().bytes;
  }
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
    return std::tie(a.used, a.path) < std::tie(b.used, b.path);
  });
  for (const Entry &entry : entries) {
    if (total <= limit)
      return;
    if (!llvm::sys::fs::remove(entry.path))
      total -= entry.bytes;
  }
}

} // namespace

bool isKeptOnDisk(const LoweredProgram &lowered) {
  return config::enableCompilationCache.get() &&
         !config::compilationCacheDir.get().empty() &&
         lowered.callbacks.empty() && lowered.jaxpr->effects.empty();
}

std::string persistentKey(const LoweredProgram &lowered,
                          const std::string &key) {
  llvm::SHA256 hash;
  auto add = [&](const std::string &part) {
    hash.update(cat(part.size(), ":", part));
  };
  const Backend &backend = client().backend();
  add(backend.codeIdentity());
  add(backend.description());
  add(key);
  return cat(lowered.options->name.substr(0, 100), "-",
             llvm::toHex(hash.final(), /*LowerCase=*/true));
}

Expected<CompiledPtr> loadPersistent(const std::string &key,
                                     const LoweredProgram &lowered,
                                     const std::vector<Device> &devices) {
  std::string path = pathOf(key);
  auto failed = [&](const std::string &why) -> Expected<CompiledPtr> {
    if (Status status = report("reading", lowered, why); !status)
      return status.error();
    return CompiledPtr();
  };
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file && file.getError() == std::errc::no_such_file_or_directory)
    return CompiledPtr();
  if (!file)
    return failed(cat(path, ": ", file.getError().message()));
  llvm::StringRef bytes = (*file)->getBuffer();
  Expected<SavedProgram> saved =
      loadSavedProgram({bytes.data(), bytes.size()}, devices);
  if (!saved)
    return failed(cat(path, ": ", saved.error().text));
  // The time of the last use.
  ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
  return saved->program;
}

Status storePersistent(const std::string &key, const LoweredProgram &lowered,
                       const CompiledPtr &compiled, double seconds) {
  if (seconds < config::persistentCacheMinCompileTimeSecs.get())
    return {};
  SavedProgram saved;
  saved.program = compiled;
  // Arguments that are not kept have no type here: a program found by its key
  // takes those of the call.
  size_t next = 0;
  for (bool kept : lowered.kept) {
    saved.types.push_back(kept ? lowered.jaxpr->types[lowered.jaxpr->ins[next]]
                               : Aval{DType::F32, {}});
    next += kept;
    saved.argNames.emplace_back();
    saved.donated.push_back(false);
  }
  Expected<std::string> bytes = serializeProgram(saved);
  if (!bytes)
    return report("writing", lowered, bytes.error().text);
  int64_t limit = config::compilationCacheMaxSize.get();
  auto size = static_cast<int64_t>(bytes->size());
  if (size < config::persistentCacheMinEntrySizeBytes.get() ||
      (limit >= 0 && size > limit))
    return {};
  std::string path = pathOf(key);
  if (std::error_code problem =
          llvm::sys::fs::create_directories(config::compilationCacheDir.get()))
    return report("writing", lowered, cat(path, ": ", problem.message()));
  if (llvm::Error problem = replaceFileByStream(
          path, [&](llvm::raw_ostream &os) { os << *bytes; }))
    return report("writing", lowered,
                  cat(path, ": ", llvm::toString(std::move(problem))));
  if (limit >= 0)
    evict(limit);
  return {};
}

} // namespace shardwright::frontend
