//===- check_files.h - errors of files before the work begins - -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TOOLS_CHECK_FILES_H
#define SHARDWRIGHT_TOOLS_CHECK_FILES_H

#include "command_line.h"

namespace shardwright {

/// True if the file can be created or replaced: its directory can be written,
/// and it is not a directory itself. `-` and the empty path are always right.
/// False: the error has been printed.
bool checkWritable(llvm::StringRef option, llvm::StringRef path);

/// Checks the file of an option FORM=FILE, if both are given.
bool checkReportFile(llvm::StringRef option,
                     const std::optional<std::string> &value);
/// Checks --stats=json=FILE and --report=FORM=FILE.
bool checkReportFiles(const CommonOptions &options);

/// Checks all files that a run reads and writes, before it compiles.
bool checkRunFiles(const RunOptions &options);

} // namespace shardwright

#endif // SHARDWRIGHT_TOOLS_CHECK_FILES_H
