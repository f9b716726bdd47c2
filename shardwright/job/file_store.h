//===- file_store.h - a store of files in a folder --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_JOB_FILE_STORE_H
#define SHARDWRIGHT_JOB_FILE_STORE_H

#include "shardwright/job/key_value_store.h"

namespace shardwright {

/// A file for each key, in a folder that all processes see. A file appears with
/// all of its contents.
class FileStore final : public KeyValueStore {
public:
  /// Makes the folder if it does not exist.
  explicit FileStore(llvm::StringRef folder) : folder(folder.str()) {}

  llvm::Error put(llvm::StringRef key, llvm::StringRef value) override;
  llvm::Expected<std::string> get(llvm::StringRef key,
                                  std::chrono::milliseconds limit) override;

private:
  std::string pathOf(llvm::StringRef key) const;
  const std::string folder;
};

} // namespace shardwright

#endif // SHARDWRIGHT_JOB_FILE_STORE_H
