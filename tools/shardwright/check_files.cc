//===- check_files.cc - errors of files before the work begins ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "check_files.h"

#include "shardwright/runtime/npz/npz.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace shardwright {

bool checkWritable(StringRef option, StringRef path) {
  if (path.empty() || path == "-")
    return true;
  StringRef directory = sys::path::parent_path(path);
  if (directory.empty())
    directory = ".";
  std::string why;
  if (sys::fs::is_directory(path))
    why = "it is a directory";
  else if (!sys::fs::exists(directory))
    why = "there is no directory '" + directory.str() + "'";
  else if (!sys::fs::is_directory(directory))
    why = "'" + directory.str() + "' is not a directory";
  else if (!sys::fs::can_write(directory) && !sys::fs::can_write(path))
    why = "the directory '" + directory.str() + "' cannot be written";
  else
    return true;
  badInput(option + ": cannot write '" + path + "': " + why,
           "name a file in a directory that exists and can be written");
  return false;
}

bool checkReportFile(StringRef option,
                     const std::optional<std::string> &value) {
  return !value || checkWritable(option, StringRef(*value).split('=').second);
}

bool checkReportFiles(const CommonOptions &options) {
  return checkReportFile("--stats", options.stats) &&
         checkReportFile("--report", options.report);
}

/// The names of the arrays are read; their types are compared once the program
/// is known.
static bool checkReadable(StringRef option, StringRef path, StringRef remedy) {
  if (path.empty())
    return true;
  auto headers = readNpzHeaders(path);
  if (headers)
    return true;
  badInput(option + toString(headers.takeError()), remedy);
  return false;
}

bool checkRunFiles(const RunOptions &options) {
  return checkReadable("--expect: ", options.expect,
                       "give an .npz with out0, out1, ... of the program's "
                       "results") &&
         checkWritable("--out", options.out) &&
         checkWritable("--save", options.save) &&
         checkWritable("--trace", options.trace) && checkReportFiles(options);
}

} // namespace shardwright
