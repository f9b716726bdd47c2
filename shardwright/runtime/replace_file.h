//===- replace_file.h - atomic replacement of files -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reader never finds a partial file: the file is written under a temporary
// name and renamed. A symbolic link is preserved and its target replaced. A
// device or a pipe (/dev/null, a FIFO) is written to, and never replaced by a
// file.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_REPLACE_FILE_H
#define SHARDWRIGHT_RUNTIME_REPLACE_FILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace llvm {
class raw_ostream;
}

namespace shardwright {

/// Calls `write` with a temporary name, then renames that file to `path`.
/// Returns an error of `write` and leaves `path` unchanged; other errors are
/// system errors ("No space left on device"), without the path.
llvm::Error
replaceFile(llvm::StringRef path,
            llvm::function_ref<llvm::Error(const std::string &)> write);
/// The same, where `write` writes to a stream.
llvm::Error
replaceFileByStream(llvm::StringRef path,
                    llvm::function_ref<void(llvm::raw_ostream &)> write);

/// Creates or truncates a file and writes it. Errors are system errors.
llvm::Error writeStream(llvm::StringRef path,
                        llvm::function_ref<void(llvm::raw_ostream &)> write);

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_REPLACE_FILE_H
