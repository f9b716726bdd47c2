//===- kernel_cache.h - compiled kernels on disk ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A directory of object files, shared by any number of processes. An object
// holds a few kernels and has one name (hard link) per kernel: a hash of the
// kernel's structure, of this build of the library and of the machine's
// features, so that incompatible code is never found. Files are written
// atomically and carry a checksum, and the least recently used ones are removed
// when there are too many. A failure of the cache is never an error of the
// program that uses it.
//
// A checksum does not make machine code trustworthy: whoever can write an
// object can write its checksum. So a directory or file is not used if it
// belongs to another user (root excepted), or if its group or others can write
// it.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_JIT_KERNEL_CACHE_H
#define SHARDWRIGHT_CPU_JIT_KERNEL_CACHE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <optional>
#include <string>

namespace shardwright::cpu {

class KernelCache {
public:
  static constexpr int64_t defaultBytes = int64_t(1) << 30;

  /// `target` identifies the build and machine that can share code. The
  /// directory is created if absent. `maxBytes` 0: use
  /// SHARDWRIGHT_KERNEL_CACHE_SIZE (64MiB, 2GiB; bytes without a unit), or the
  /// default.
  KernelCache(std::string directory, std::string target, int64_t maxBytes = 0);

  /// Returns why others can put code into the directory; empty if they cannot.
  /// If not empty, no other member may be called.
  std::string distrust() const;

  /// Finds the object that holds the kernel, if there is one. Objects with
  /// equal ids are the same.
  struct Found {
    std::string path;
    llvm::sys::fs::UniqueID id;
  };
  std::optional<Found> find(llvm::StringRef symbol) const;

  /// Loads the object, or returns what is wrong with the file; a damaged file
  /// is removed.
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
  load(const Found &found) const;

  /// Stores an object under the names of all its kernels.
  llvm::Error store(llvm::ArrayRef<std::string> symbols,
                    llvm::StringRef object) const;

  /// If the total size exceeds the limit, removes the least recently used
  /// objects until it is a fifth below the limit. Returns the remaining bytes.
  int64_t trim() const;

private:
  std::string pathOf(llvm::StringRef symbol) const;

  std::string directory, target;
  int64_t maxBytes;
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_JIT_KERNEL_CACHE_H
