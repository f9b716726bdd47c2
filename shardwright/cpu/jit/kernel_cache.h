//===- kernel_cache.h - compiled kernels on disk ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A directory of object files, for any number of processes at a time. An object
// holds a few kernels and has one name for each (hard links), a hash of the
// kernel's structure, of this build of the library and of the machine's
// features: what does not fit is not found. Files appear whole or not at all,
// carry a checksum, and the longest unused go when there are too many. No
// failure of the cache is an error of the program that uses it.
//
// Objects are machine code, which a checksum does not make trustworthy: who can
// write one can write its checksum. A directory or file that belongs to another
// user than this process runs as (or root), or that its group or others can
// write, is not used.
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

  /// `target` tells apart what code cannot be shared between. The directory is
  /// made if absent. `maxBytes` 0: what SHARDWRIGHT_KERNEL_CACHE_SIZE says
  /// (64MiB, 2GiB; bytes without a unit), or the default.
  KernelCache(std::string directory, std::string target, int64_t maxBytes = 0);

  /// Why others can put code into the directory; empty: they cannot. Nothing
  /// else may be called then.
  std::string distrust() const;

  /// The object that holds the kernel; equal ids are one object. None: it is
  /// not there.
  struct Found {
    std::string path;
    llvm::sys::fs::UniqueID id;
  };
  std::optional<Found> find(llvm::StringRef symbol) const;

  /// The object, or what is wrong with the file; one that is damaged is
  /// removed.
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
  load(const Found &found) const;

  /// Keeps an object under the names of all its kernels.
  llvm::Error store(llvm::ArrayRef<std::string> symbols,
                    llvm::StringRef object) const;

  /// Removes the longest unused objects if all together are more than the
  /// bound, until they are a fifth below it. Returns the bytes that remain.
  int64_t trim() const;

private:
  std::string pathOf(llvm::StringRef symbol) const;

  std::string directory, target;
  int64_t maxBytes;
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_JIT_KERNEL_CACHE_H
