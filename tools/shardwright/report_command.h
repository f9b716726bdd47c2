//===- report_command.h - writes report documents --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TOOLS_REPORT_COMMAND_H
#define SHARDWRIGHT_TOOLS_REPORT_COMMAND_H

#include "session.h"

#include "shardwright/report/diff/diff.h"

namespace shardwright {

/// Writes a report document as `html`, `json` or `model-explorer`. False: the
/// error has been printed.
bool writeDocument(llvm::json::Object document, llvm::StringRef form,
                   llvm::StringRef file);

/// The report document of a module, without trials of annotations; or a
/// document that was saved, if the path ends in `.json`. On failure, the error
/// has been printed.
std::optional<llvm::json::Value> readDocument(const CommonOptions &options);

/// Compares the documents with the paths `a` and `b`. On failure, the error has
/// been printed.
std::optional<Difference> compare(const llvm::json::Value &a,
                                  llvm::StringRef nameA,
                                  const llvm::json::Value &b,
                                  llvm::StringRef nameB);

} // namespace shardwright

#endif // SHARDWRIGHT_TOOLS_REPORT_COMMAND_H
