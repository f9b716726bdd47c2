//===- persistent_cache.h - compiled programs in a directory ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// JAX: the persistent compilation cache. The directory
// config::compilationCacheDir has one file for each program, `NAME-HASH`, where
// NAME is that of the module. The hash is SHA-256 of the module, the options,
// the devices, the build of this library and the processor. Processes may share
// a directory: a file appears whole or not at all.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_JIT_PERSISTENT_CACHE_H
#define SHARDWRIGHT_FRONTEND_JIT_PERSISTENT_CACHE_H

#include "shardwright/frontend/jit/program.h"

namespace shardwright::frontend {

/// Whether the settings want a directory, and the program can be kept: it calls
/// no function of this process.
bool isKeptOnDisk(const LoweredProgram &lowered);
/// The name of the program's file. `key`: what the cache in memory compares.
std::string persistentKey(const LoweredProgram &lowered,
                          const std::string &key);
/// The program in the directory, or null. A file that cannot be read, or is
/// damaged, is a warning, or an error if config::raisePersistentCacheErrors is
/// set.
Expected<CompiledPtr> loadPersistent(const std::string &key,
                                     const LoweredProgram &lowered,
                                     const std::vector<Device> &devices);
/// Keeps a program that took this time to compile, unless the settings say that
/// it is too small, and deletes those that were not used for the longest time
/// beyond config::compilationCacheMaxSize. Failures as of loadPersistent.
Status storePersistent(const std::string &key, const LoweredProgram &lowered,
                       const CompiledPtr &compiled, double seconds);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_JIT_PERSISTENT_CACHE_H
