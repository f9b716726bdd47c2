//===- key_value_store.h - where processes find each other ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_JOB_KEY_VALUE_STORE_H
#define SHARDWRIGHT_JOB_KEY_VALUE_STORE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <chrono>
#include <string>

namespace shardwright {

/// Bytes by name that all processes of a job see. Thread-safe. Used only while
/// a job is opened.
class KeyValueStore {
public:
  virtual ~KeyValueStore() = default;
  /// Fails if the key has a value already.
  virtual llvm::Error put(llvm::StringRef key, llvm::StringRef value) = 0;
  /// Waits for the key; fails if it has no value within the limit.
  virtual llvm::Expected<std::string> get(llvm::StringRef key,
                                          std::chrono::milliseconds limit) = 0;
};

} // namespace shardwright

#endif // SHARDWRIGHT_JOB_KEY_VALUE_STORE_H
