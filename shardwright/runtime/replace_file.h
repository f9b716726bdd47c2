//===- replace_file.h - Write a file whole or not at all ---------*- C++
//-*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file that a reader finds is complete: it is written under a temporary name
// and renamed. What a name stands for is kept: through a symbolic link its
// target is replaced, and a device or a pipe (/dev/null, a FIFO) is written to,
// never replaced by a file.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_REPLACE_FILE_H
#define SHARDWRIGHT_RUNTIME_REPLACE_FILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace shardwright {

/// Lets `write` make a file of a temporary name, which then takes the place of
/// `path`. An error of `write` is returned and leaves `path` as it was; others
/// are the system's ("No space left on device"), without the path.
llvm::Error
replaceFile(llvm::StringRef path,
            llvm::function_ref<llvm::Error(const std::string &)> write);

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_REPLACE_FILE_H
