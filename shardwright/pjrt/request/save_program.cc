//===- save_program.cc - files of the programs of a client ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/request/save_program.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <cstdlib>

using namespace mlir;

llvm::Error shardwright::pjrt::saveProgram(ModuleOp module) {
  static const char *const variable = "SHARDWRIGHT_SAVE_PROGRAMS";
  const char *folder = std::getenv(variable);
  if (!folder || !*folder)
    return llvm::Error::success();
  static std::atomic<int> numSaved = 0;
  std::string name;
  llvm::raw_string_ostream stream(name);
  stream << llvm::format("%04d-", ++numSaved);
  for (char c : module.getSymName().value_or("module").take_front(80))
    stream << (llvm::isAlnum(c) || c == '_' || c == '.' || c == '-' ? c : '_');
  stream << ".mlir";
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  auto fail = [&](std::error_code error) {
    return llvm::createStringError("environment variable " +
                                   llvm::Twine(variable) + ": cannot write '" +
                                   path + "': " + error.message());
  };
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return fail(error);
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (error)
    return fail(error);
  module.print(os, OpPrintingFlags().enableDebugInfo());
  os << "\n";
  os.close();
  if (os.has_error()) {
    error = os.error();
    os.clear_error();
    return fail(error);
  }
  return llvm::Error::success();
}
